// Same text, same bits, for every family and task: each random model of the cases, whatever is beside a
// text, in whatever order, with any variant, any number of threads and any step size. One process, as
// what differs between processes and browsers is what bits.test.mjs and bits.browser.test.mjs compare.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import * as pocketbert from 'pocketbert';

const { Classifier, Embedder, Filler, PocketBertError, Reader, Tagger } = pocketbert;

const kSettings = [
  { variant: 'simd', threads: 1 },
  { variant: 'relaxed', threads: 1, maxBatchTokens: 40 },
  { variant: 'relaxed-mt', threads: 2 },
];
const kPrecisions = ['int8', 'float32'];
/** Families that no engine takes: refused by name. */
const kRefused = ['mobilebert'];

const kShort = ['boat', '', 'Anna Smith lives in New York, near 12 bridges.', 'Übergrößen, naïve café — 東京タワー 👩‍🚀'];
/** Longer than every fixture's limit. */
const kLong = `${kShort[2]} ${'The river and the bridge are old. '.repeat(60)}${kShort[3]}`;
const kTexts = [...kShort, kLong, 'the boat on the river'];
const kQuestions = [
  { question: 'who lives near', context: kShort[2] },
  { question: 'where is the bridge', context: kLong },
  { question: 'what', context: 'the boat on the river' },
];

const withMask = (mask) => [`the ${mask} is old`, `${mask} and the ${mask} on the river`, `a boat ${mask}`];

/** What each task is asked, alone and in a list. */
const kTasks = {
  embed: { Class: Embedder, items: () => kTexts, ask: (user, texts) => user.embed(texts) },
  classify: { Class: Classifier, items: () => kTexts, ask: (user, texts) => user.classify(texts) },
  pairs: {
    Class: Classifier,
    task: 'classify',
    items: () => kTexts.map((text, i) => ({ text, pair: kTexts.at(-1 - i) })),
    ask: (user, items) => user.classify(items),
  },
  tag: {
    Class: Tagger,
    items: () => kTexts,
    ask: (user, texts) => user.tag(texts, { aggregation: 'none', ignore_labels: [] }),
  },
  answer: {
    Class: Reader,
    items: () => kQuestions,
    ask: (user, questions) =>
      Array.isArray(questions)
        ? user.answerBatch(questions, { top_k: 5 })
        : user.answer(questions.question, questions.context, { top_k: 5 }),
  },
  fill_mask: {
    Class: Filler,
    items: (mask) => withMask(mask),
    ask: (user, texts) => user.fill(texts, { top_k: 4 }),
  },
};

const kFolders = ['tests/cases/hand/fixtures', 'tests/cases-families/hand/fixtures'].flatMap((folder) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, 'model.safetensors'))),
);

/** Numbers as their bits: a text that differs if one bit does. */
function bitsOf(result) {
  return JSON.stringify(result, (_, value) => {
    if (value instanceof Float32Array) return [...new Uint32Array(value.slice().buffer)];
    if (typeof value !== 'number' || Number.isInteger(value)) return value;
    return [...new Uint32Array(Float64Array.of(value).buffer)];
  });
}

/** Results of a list, one each. */
const each = (all) => [...all].map(bitsOf);

async function threeWays({ ask }, user, items) {
  const alone = [];
  for (const item of items) alone.push(bitsOf(await ask(user, item)));
  const reversed = each(await ask(user, [...items].reverse())).reverse();
  return { alone, together: each(await ask(user, items)), reversed };
}

/** The mask of the model's tokenizer, if it has one. */
async function maskOf(user) {
  for (const mask of ['[MASK]', '<mask>']) {
    if ((await user.countTokens(`x ${mask}`)) === (await user.countTokens('x')) + 1) return mask;
  }
  return assert.fail('no mask');
}

/** What a model gives with one setting, by task, and every way the same; undefined: it is refused. */
async function resultsOf(model, setting) {
  let first;
  try {
    first = await Embedder.create({ model, ...setting });
  } catch (error) {
    if (!(error instanceof PocketBertError) || error.code !== 'unsupported') throw error;
    return undefined;
  }
  const { tasks } = first.info.model;
  const found = {};
  for (const [name, task] of Object.entries(kTasks)) {
    if (!tasks.includes(task.task ?? name)) continue;
    const user = await task.Class.create({ model: first });
    const items = task.items(name === 'fill_mask' ? await maskOf(user) : '');
    const ways = await threeWays(task, user, items);
    for (const [way, results] of Object.entries(ways)) {
      assert.deepEqual(results, ways.together, `${name} ${way}, ${JSON.stringify(setting)}`);
    }
    found[name] = ways.together;
    await user.destroy();
  }
  await first.destroy();
  return found;
}

const played = new Set();
const refused = new Set();

describe('same text, same bits', () => {
  for (const model of kFolders) {
    test(basename(model), async () => {
      for (const precision of kPrecisions) {
        let first;
        for (const setting of kSettings) {
          const results = await resultsOf(model, { ...setting, precision });
          if (results === undefined) {
            refused.add(basename(model));
            return;
          }
          Object.keys(results).forEach((task) => played.add(task));
          first ??= results;
          assert.deepEqual(results, first, `${JSON.stringify(setting)} ${precision}`);
        }
      }
    });
  }

  test('every task was asked, and only what no engine takes was refused', () => {
    assert.deepEqual([...played].sort(), Object.keys(kTasks).sort());
    assert.deepEqual([...refused].sort(), kRefused);
    assert.ok(kFolders.length > 40, `${kFolders.length} models`);
  });
});
