// `npm run bench`: PocketBERT beside its peers, in one browser, in one run.
//
//   npm run bench -- [--quick] [--only MEASURE,…] [--contestants ID,…] [--engine chromium|firefox|webkit]
//                    [--json FILE] [--markdown FILE] [--svg FILE] [--from FILE]
//
// `--from FILE` measures nothing and writes tables and plot from what `--json` wrote earlier.

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ensureBrowsers } from '../tests/web/harness/programs.mjs';
import { BuildError, runMain, say } from '../web/build/process.mjs';
import { openBrowser } from './browser.mjs';
import { kContestants } from './contestants.mjs';
import { describeMachine } from './machine.mjs';
import { measureMemory, measureSoak } from './measures/memory.mjs';
import { measureBytes, measureStart } from './measures/start.mjs';
import { measureBase, measureSteady, measureTokenizers } from './measures/steady.mjs';
import { ensureModels, ensurePackages } from './peers.mjs';
import { plot } from './plot.mjs';
import { markdown } from './report.mjs';
import { serveBench } from './site.mjs';
import { makeTexts } from './texts.mjs';
import { ensureTokenizers } from './tokenizer_models.mjs';

const kEngines = ['chromium', 'firefox', 'webkit'];
const kMeasures = [
  'lengths',
  'batch',
  'many',
  'tokenizer',
  'start',
  'bytes',
  'memory',
  'soak',
  'base',
];

/**
 * `rounds` of `budget` ms for each contestant and measure (at least one call, at most `most`), after
 * a warm-up of `warmUp` budgets, with `rest` ms in between, so that the threads of the one before are
 * asleep; `starts` fresh browsers; `looks` at the memory; `many` short texts; `soak` calls in a row.
 */
const kFull = {
  rounds: 9,
  budget: 200,
  warmUp: 3,
  most: 100,
  rest: 40,
  starts: 5,
  many: 1000,
  looks: 6,
  soak: 10_000,
};
const kQuick = {
  rounds: 2,
  budget: 40,
  warmUp: 2,
  most: 20,
  rest: 20,
  starts: 1,
  many: 100,
  looks: 2,
  soak: 500,
};

const kUsage = `usage: npm run bench -- [--quick] [--only MEASURE,…] [--contestants ID,…] [--engine ENGINE]
                    [--json FILE] [--markdown FILE] [--svg FILE] [--from FILE]
measures: ${kMeasures.join(', ')}
contestants: ${kContestants.map(({ id }) => id).join(', ')}
engines: ${kEngines.join(', ')}`;

function parseArguments() {
  try {
    const text = { type: /** @type {const} */ ('string') };
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        engine: { ...text, default: 'chromium' },
        only: text,
        contestants: text,
        json: text,
        markdown: text,
        svg: text,
        from: text,
      },
    });
    return values;
  } catch (error) {
    throw new BuildError(`${error.message}\n${kUsage}`);
  }
}

/** A comma-separated list, each of which must be in `known`; undefined if nothing was given. */
function listOf(text, known, what) {
  if (text === undefined) return undefined;
  const list = text.split(',').filter((word) => word !== '');
  const wrong = list.find((word) => !known.includes(word));
  if (wrong !== undefined) throw new BuildError(`there is no ${what} ${wrong}\n${kUsage}`);
  return list;
}

/** Runs all that was asked for and returns everything that is known about it. */
async function measure({ engine, quick, only, contestants }) {
  if (!kEngines.includes(engine)) throw new BuildError(`there is no engine ${engine}\n${kUsage}`);
  const wanted = listOf(only, kMeasures, 'measure') ?? kMeasures;
  const ids = listOf(
    contestants,
    kContestants.map(({ id }) => id),
    'contestant',
  );
  await ensureBrowsers();
  await ensurePackages();
  const models = await ensureModels(wanted.includes('base') ? ['minilm', 'base'] : ['minilm']);
  if (!models.minilm) throw new BuildError('without all-MiniLM-L6-v2 nothing can be measured');
  const texts = await makeTexts(models.minilm.ours);
  const leftOut = new Map();
  const site = await serveBench(Object.values(models));
  const browser = await openBrowser(engine);
  const context = {
    engine,
    site,
    browser,
    models,
    ids,
    settings: quick ? kQuick : kFull,
    texts,
    tokenizers: ensureTokenizers(),
    wants: (name) => wanted.includes(name),
    leaveOut(id, error) {
      const why = error.message.split('\n')[0].slice(0, 200);
      if (!leftOut.has(id)) say(`  ${id} is left out: ${why}`);
      leftOut.set(id, why);
    },
  };
  try {
    const result = {
      engine,
      quick: quick === true,
      machine: describeMachine(browser.version),
      measures: [],
    };
    const stages = [
      measureSteady,
      measureTokenizers,
      measureStart,
      measureBytes,
      measureMemory,
      measureSoak,
      measureBase,
    ];
    for (const stage of stages) {
      const { measures = [], ...rest } = await stage(context);
      Object.assign(result, rest);
      result.measures.push(...measures);
    }
    return { ...result, leftOut: Object.fromEntries(leftOut) };
  } finally {
    await browser.close();
    await site.close();
  }
}

async function main() {
  const values = parseArguments();
  process.once('SIGTERM', () => process.exit(143)); // the browsers end with it
  if (values.help) return console.log(kUsage);
  const result = values.from
    ? JSON.parse(readFileSync(values.from, 'utf8'))
    : await measure(values);
  const tables = markdown(result);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 1)}\n`);
  if (values.markdown) writeFileSync(values.markdown, tables);
  if (values.svg) writeFileSync(values.svg, plot(result));
  console.log(tables);
}

runMain(main);
