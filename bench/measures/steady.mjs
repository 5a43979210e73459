// Warmed-up calls: every contestant in a page of its own, all open at once, taking turns.

import { say } from '../../web/build/process.mjs';
import {
  kBaseContestants,
  kContestants,
  kReference,
  kTokenizers,
  chosen,
} from '../contestants.mjs';
import { addressOf } from '../site.mjs';
import { cosine, summarize } from '../statistics.mjs';
import { kLengths } from '../texts.mjs';

const kLeastCosine = 0.98;

const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

/**
 * @typedef {object} Entered a contestant whose page is open
 * @property {string} id
 * @property {import('../browser.mjs').Tab} tab
 */

/** Opens and loads the pages of all; those that fail are left out, and said. */
async function enter(context, contestants, model) {
  const entered = [];
  for (const contestant of contestants) {
    const url = addressOf(context.site, contestant, model);
    if (url === undefined) continue;
    let tab;
    try {
      tab = await context.browser.open(url);
      const { info } = await tab.call('load');
      entered.push({ id: contestant.id, contestant, tab, info });
    } catch (error) {
      context.leaveOut(contestant.id, error);
      await tab?.close().catch(() => undefined);
    }
  }
  return entered;
}

async function leave(entered) {
  for (const { tab } of entered) await tab.close();
}

/** Cosines to the reference's vectors; whoever computes something else is not timed. */
async function agree(context, entered, texts) {
  const vectors = new Map();
  for (const { id, tab } of entered) {
    try {
      vectors.set(id, await tab.call('vectors', texts));
    } catch (error) {
      context.leaveOut(id, error);
    }
  }
  // A run without the reference still tells who differs, from the first.
  const referenceId = vectors.has(kReference) ? kReference : vectors.keys().next().value;
  const reference = vectors.get(referenceId);
  const found = [...vectors].map(([id, list]) => {
    const cosines = list.map((vector, i) => cosine(vector, reference[i]));
    const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
    return { id, mean, least: Math.min(...cosines), reference: referenceId };
  });
  for (const { id, mean, least } of found) {
    say(`  ${id}: cosine ${mean.toFixed(5)}, least ${least.toFixed(5)}`);
    if (mean < kLeastCosine) context.leaveOut(id, new Error(`its vectors differ: cosine ${mean}`));
  }
  const good = new Set(found.filter(({ mean }) => mean >= kLeastCosine).map(({ id }) => id));
  return { agreement: found, timed: entered.filter(({ id }) => good.has(id)) };
}

/** Those whose pages are worth loading for these measures. */
function whoTakesPart({ ids }, measures) {
  return chosen(kContestants, ids).filter((one) =>
    measures.some((measure) => takesPart(one, measure)),
  );
}

/** Whether a contestant takes part: some are too slow for long lists, or cannot take long texts. */
function takesPart({ mostTokens = Infinity, measures }, { id, tokens = 0 }) {
  return tokens <= mostTokens && (measures?.some((name) => id.startsWith(name)) ?? true);
}

/**
 * Times one task, round by round, each contestant once a round.
 * @param {{ id: string, label: string, task: string, texts: string[], tokens?: number }} measure
 */
async function timeRounds(context, present, measure) {
  const { id, label, task, texts } = measure;
  const { rounds, warmUp, most, budget: time, rest } = context.settings;
  const entered = present.filter(({ contestant }) => takesPart(contestant, measure));
  const byRound = new Map(entered.map((one) => [one.id, []]));
  for (const { tab } of entered)
    await tab.call('time', { task, texts, budget: warmUp * time, least: 1, most: 10 * most });
  for (let round = 0; round < rounds; round++)
    for (const one of entered) {
      await pause(rest);
      const times = await one.tab.call('time', { task, texts, budget: time, least: 1, most });
      byRound.get(one.id).push(times);
    }
  const values = Object.fromEntries(
    [...byRound].map(([name, all]) => [name, { ...summarize(all.flat()), rounds: all }]),
  );
  say(
    `  ${label}: ${Object.entries(values)
      .map(([name, { median }]) => `${name} ${median.toFixed(2)}`)
      .join(', ')} ms`,
  );
  return { id, label, unit: 'ms', kind: 'time', values };
}

const lengthMeasures = (texts, lengths, prefix = '') =>
  lengths.map((tokens) => ({
    id: `${prefix}tokens-${tokens}`,
    label: `${prefix === '' ? '' : 'BERT-base, '}${tokens} tokens`,
    task: 'one',
    texts: [texts.byLength[tokens]],
    tokens,
  }));

/** The measures of a warmed-up MiniLM that were asked for. */
function measuresOf({ wants, texts, settings }) {
  return [
    ...(wants('lengths') ? lengthMeasures(texts, kLengths) : []),
    ...(wants('batch')
      ? [
          {
            id: 'batch-32',
            label: '32 texts of 8 to 64 tokens, one call',
            task: 'batch',
            texts: texts.mixed,
          },
          { id: 'singly-32', label: 'the same, one by one', task: 'singly', texts: texts.mixed },
        ]
      : []),
    ...(wants('many')
      ? [
          {
            id: 'short-texts',
            label: `${settings.many.toLocaleString('en')} short texts (peers: 32 a call)`,
            task: 'chunks',
            texts: texts.short.slice(0, settings.many),
          },
        ]
      : []),
  ];
}

/** all-MiniLM-L6-v2. */
export async function measureSteady(context) {
  const measures = measuresOf(context);
  if (measures.length === 0) return {};
  say('all-MiniLM-L6-v2, warmed up');
  const entered = await enter(context, whoTakesPart(context, measures), context.models.minilm);
  try {
    const { agreement, timed } = await agree(context, entered, context.texts.agreement);
    const done = [];
    for (const measure of measures) done.push(await timeRounds(context, timed, measure));
    return { agreement, measures: done };
  } finally {
    await leave(entered);
  }
}

/** The shape of BERT-base. */
export async function measureBase(context) {
  if (!context.wants('base') || !context.models.base) return {};
  say('BERT-base with random weights, warmed up');
  const ids = kBaseContestants.filter((id) => context.ids?.includes(id) ?? true);
  const entered = await enter(context, chosen(kContestants, ids), context.models.base);
  try {
    const { agreement, timed } = await agree(context, entered, context.texts.agreement);
    const done = [];
    for (const measure of lengthMeasures(context.texts, [8, 32, 128, 256], 'base-'))
      done.push(await timeRounds(context, timed, measure));
    return { baseAgreement: agreement, measures: done };
  } finally {
    await leave(entered);
  }
}

/** What each kind of tokenizer is measured with; all but WordPiece's have no model and are folders. */
function tokenizerMeasures({ models, texts, tokenizers }) {
  const mixed = 'paragraphs in 48 languages';
  return [
    { id: 'tokenizer', kind: 'WordPiece', model: models.minilm, texts: texts.corpus, what: 'texts' },
    { id: 'tokenizer-bpe', kind: 'byte-level BPE', model: tokenizers.bpe, texts: texts.paragraphs, what: mixed },
    { id: 'tokenizer-unigram', kind: 'Unigram', model: tokenizers.unigram, texts: texts.paragraphs, what: mixed },
  ];
}

/** Ids by contestant; the texts that all agree on, unless those are few. */
async function agreeOnIds(context, entered, texts) {
  const ids = new Map();
  for (const { id, tab } of entered)
    ids.set(id, (await tab.call('tokens', texts)).map((list) => JSON.stringify(list)));
  const [first, ...others] = ids.values();
  const equal = texts.filter((_, i) => others.every((list) => list[i] === first[i]));
  if (equal.length > 0.9 * texts.length) {
    if (equal.length < texts.length)
      say(`  ${texts.length - equal.length} of ${texts.length} texts are left out: ids differ`);
    return { equal, timed: entered };
  }
  const same = ({ id }) => ids.get(id).join() === first.join();
  for (const one of entered)
    if (!same(one)) context.leaveOut(one.id, new Error('its ids differ from those of the first'));
  return { equal: texts, timed: entered.filter(same) };
}

/** Tokenizers alone. */
export async function measureTokenizers(context) {
  if (!context.wants('tokenizer')) return {};
  const tokenizers = [];
  for (const { id, kind, model, texts, what } of tokenizerMeasures(context)) {
    say(`tokenizers: ${kind}`);
    const entered = await enter(context, kTokenizers, model);
    try {
      const { equal, timed } = await agreeOnIds(context, entered, texts);
      const label = `${kind} alone, ${equal.length.toLocaleString('en')} ${what}`;
      const done = await timeRounds(context, timed, { id, label, task: 'tokens', texts: equal });
      const bytes = equal.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      tokenizers.push({ ...done, bytes });
    } finally {
      await leave(entered);
    }
  }
  return { tokenizers };
}
