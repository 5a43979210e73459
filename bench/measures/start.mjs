// A page's start: from navigation to the first vector, the first calls after that, and what is fetched.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { cacheFolder, kSourceFolder } from '../../web/build/cache.mjs';
import { say } from '../../web/build/process.mjs';
import { openBrowser } from '../browser.mjs';
import { chosen, kContestants, kPageContestants } from '../contestants.mjs';
import { addressOf } from '../site.mjs';
import { median, summarize } from '../statistics.mjs';

const kFirstCalls = 10;
const kSteadyCalls = 40; // of which the last half is taken as the steady state
const kSettle = 1000; // ms that a fresh browser is given to finish its own start

const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

/** Those that were asked for, of the ones that a page would use; `measure`: start, bytes or memory. */
export function pageContestants({ ids, models }, measure) {
  const wanted = kPageContestants.filter((id) => ids?.includes(id) ?? true);
  return chosen(kContestants, wanted).filter(
    ({ options, measures }) =>
      options(models.minilm) !== undefined && (measures?.includes(measure) ?? true),
  );
}

async function startOnce(browser, url) {
  const tab = await browser.open(url);
  try {
    return await tab.call('start');
  } finally {
    await tab.close();
  }
}

/** One contestant in a browser with an empty profile: nothing cached, then all, then 128 tokens. */
async function startInFreshBrowser({ engine, site, models, texts }, contestant) {
  const browser = await openBrowser(engine);
  try {
    await pause(kSettle);
    const short = { text: texts.byLength[8], calls: kFirstCalls };
    const url = addressOf(site, contestant, models.minilm, short);
    const cold = await startOnce(browser, url);
    const warm = await startOnce(browser, url);
    const long = { text: texts.byLength[128], calls: kSteadyCalls };
    const { times } = await startOnce(browser, addressOf(site, contestant, models.minilm, long));
    const steady = median(times.slice(kSteadyCalls / 2));
    return {
      'start-cold': [cold.firstVector],
      'start-warm': [warm.firstVector],
      'first-ten': cold.times,
      'first-128': [times[0] / steady],
    };
  } finally {
    await browser.close();
  }
}

const kStartMeasures = [
  {
    id: 'start-cold',
    label: 'navigation to first vector, nothing cached',
    unit: 'ms',
    kind: 'time',
  },
  { id: 'start-warm', label: 'navigation to first vector, second visit', unit: 'ms', kind: 'time' },
  {
    id: 'first-ten',
    label: 'the first ten 8-token calls of a fresh page',
    unit: 'ms',
    kind: 'time',
  },
  { id: 'first-128', label: 'first call of 128 tokens / steady state', unit: '×', kind: 'plain' },
];

/** Cold and warm start, first calls; a new browser for each, taking turns. */
export async function measureStart(context) {
  if (!context.wants('start')) return {};
  say('start');
  const rounds = new Map(kStartMeasures.map(({ id }) => [id, new Map()]));
  for (let round = 0; round < context.settings.starts; round++) {
    for (const contestant of pageContestants(context, 'start')) {
      try {
        const found = await startInFreshBrowser(context, contestant);
        for (const [id, times] of Object.entries(found)) {
          const all = rounds.get(id);
          all.set(contestant.id, [...(all.get(contestant.id) ?? []), times]);
        }
      } catch (error) {
        context.leaveOut(contestant.id, error);
      }
    }
  }
  const measures = kStartMeasures.map((measure) => {
    const entries = [...rounds.get(measure.id)].filter(
      ([, all]) => all.length === context.settings.starts,
    );
    const values = Object.fromEntries(
      entries.map(([id, all]) => [id, { ...summarize(all.flat()), rounds: all }]),
    );
    say(
      `  ${measure.label}: ${entries.map(([id]) => `${id} ${values[id].median.toFixed(2)}`).join(', ')} ${measure.unit}`,
    );
    return { ...measure, values };
  });
  return { measures };
}

// ---- bytes

/** The file on disk that a request's path was answered with, if it is code of a contestant. */
function codeFile(path) {
  const folders = { '/peers/': 'bench/node_modules', '/dist/': 'dist' };
  for (const [prefix, folder] of Object.entries(folders))
    if (path.startsWith(prefix)) return join(kSourceFolder, folder, path.slice(prefix.length));
  return undefined;
}

const kBrotli = { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } };

/** Bytes of a file as it is and as a site would send it; quality 11 takes a minute for 14 MB and is kept. */
function sizesOf(path) {
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const kept = join(cacheFolder(), 'bench', 'brotli', hash);
  if (!existsSync(kept)) {
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, String(brotliCompressSync(bytes, kBrotli).length));
  }
  return { raw: bytes.length, brotli: Number(readFileSync(kept, 'utf8')) };
}

/** What one contestant's page fetches besides its model: { script, wasm } of { raw, brotli }, in bytes. */
async function bytesOf({ engine, site, models, texts }, contestant, known) {
  const browser = await openBrowser(engine); // with nothing cached
  const from = site.requests.length;
  const first = { text: texts.byLength[8], calls: 1 };
  try {
    await startOnce(browser, addressOf(site, contestant, models.minilm, first));
  } finally {
    await browser.close();
  }
  const paths = site.requests
    .slice(from)
    .map((line) => new URL(line.split(' ')[1], site.url).pathname);
  const sums = { script: { raw: 0, brotli: 0 }, wasm: { raw: 0, brotli: 0 } };
  for (const file of new Set(paths.map(codeFile))) {
    if (file === undefined || !/\.(m?js|wasm)$/.test(file)) continue;
    if (!known.has(file)) known.set(file, sizesOf(file));
    const sum = file.endsWith('.wasm') ? sums.wasm : sums.script;
    sum.raw += known.get(file).raw;
    sum.brotli += known.get(file).brotli;
  }
  return sums;
}

const kByteMeasures = [
  { id: 'bytes-wasm', label: 'wasm fetched', of: ({ wasm }) => wasm.raw },
  { id: 'bytes-script', label: 'script fetched', of: ({ script }) => script.raw },
  {
    id: 'bytes-brotli',
    label: 'both, with brotli',
    of: ({ wasm, script }) => wasm.brotli + script.brotli,
  },
];

/** Code that is fetched before the first vector, in kB of 1,000 bytes. */
export async function measureBytes(context) {
  if (!context.wants('bytes')) return {};
  say('bytes');
  const known = new Map();
  const found = new Map();
  for (const contestant of pageContestants(context, 'bytes')) {
    try {
      found.set(contestant.id, await bytesOf(context, contestant, known));
    } catch (error) {
      context.leaveOut(contestant.id, error);
    }
  }
  const measures = kByteMeasures.map(({ id, label, of }) => ({
    id,
    label,
    unit: 'kB',
    kind: 'plain',
    values: Object.fromEntries(
      [...found].map(([name, sums]) => [name, summarize([of(sums) / 1000])]),
    ),
  }));
  return { measures };
}
