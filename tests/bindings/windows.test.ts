/** Long texts are read in runs of many steps: what each gives, and that nothing of them stays. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine, EngineModel, EngineRun } from '../../web/src/core/types.js';
import { failure, load, openFixture, runnableVariants } from './support/setup.js';

const kSentence = 'Anna Stone met the old man near the river in New York . ';
const kTexts = ['boat', kSentence.repeat(30), '', 'anna', kSentence.repeat(20)];
const kItems = kTexts.filter((text) => text !== '').map((pair) => ({ text: 'who', pair }));
const kEach = { each: true, stride: 2, embed: { maxLength: 8 } };

/** Bytes that allocating may lose in gaps; a run holds more. */
const kMostLoss = 500;

interface Kind {
  name: string;
  fixture: string;
  start(model: EngineModel): EngineRun<{ count: number }>;
}

const kKinds: readonly Kind[] = [
  { name: 'tag', fixture: 'ner', start: (model) => model.startTag(kTexts, { maxLength: 12, stride: 4 }) },
  {
    name: 'tag words',
    fixture: 'ner',
    start: (model) => model.startTag(kTexts, { maxLength: 12, stride: 4, aggregation: 'average' }),
  },
  {
    name: 'answer',
    fixture: 'qa',
    start: (model) => model.startAnswer(kItems, { max_seq_len: 16, top_k: 5 }),
  },
  { name: 'windows', fixture: 'enc', start: (model) => model.startEmbedParts(kTexts, kEach) },
  {
    name: 'pooled windows',
    fixture: 'enc',
    start: (model) => model.startEmbedParts(kTexts, { ...kEach, each: false }),
  },
];

/** Lists of arrays, which the steps make, as one. */
function joined(result: object) {
  const bytesOf = (part: unknown) =>
    ArrayBuffer.isView(part) ? [...new Uint8Array(part.buffer)] : [part];
  const join = (value: unknown): unknown =>
    Array.isArray(value) ? value.flatMap(bytesOf) : value;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, join(value)]));
}

function complete<Result>(run: EngineRun<Result>): { result: Result; done: number[] } {
  const done = [];
  do done.push(run.step());
  while (done.at(-1) !== run.total);
  return { result: run.finish(), done };
}

for (const variant of await runnableVariants()) {
  describe(`long texts in ${variant}`, () => {
    const engines: Engine[] = [];
    before(async () => {
      for (const maxBatchTokens of [40, 4000]) {
        const threads = variant === 'relaxed-mt' ? 2 : 1;
        engines.push(await load(variant, { maxBatchTokens, threads }));
      }
    });
    after(() => engines.forEach((engine) => engine.destroy()));

    for (const { name, fixture, start } of kKinds) {
      test(`${name}: step by step as at once, and memory comes back wherever it ends`, async () => {
        const [small, large] = engines;
        assert.ok(small && large);
        const model = await openFixture(small, fixture);
        const other = await openFixture(large, fixture);
        const { result, done } = complete(start(model));
        const whole = complete(start(other));
        assert.deepEqual(joined(result), joined(whole.result));
        assert.ok(done.length >= 20, `${done.length} steps`);
        assert.ok(whole.done.length <= 3, `${whole.done.length} steps`);
        assert.deepEqual(done, [...new Set(done)].sort((a, b) => a - b), 'it rises with each step');
        assert.ok(done.filter((at) => !Number.isInteger(at)).length >= 15, 'in the middle of texts');

        const levels = Array.from({ length: 6 }, () => {
          for (const steps of [1, 2, 5, done.length - 1]) {
            const { usedBytes } = small.memory();
            const run = start(model);
            for (let i = 0; i < steps; i++) run.step();
            assert.ok(small.memory().usedBytes > usedBytes + kMostLoss);
            // Others come and go in between.
            assert.deepEqual(joined(complete(start(model)).result), joined(result));
            failure('invalid_argument', () => run.finish());
            run.destroy();
            failure('destroyed', () => run.step());
            assert.ok(small.memory().usedBytes < usedBytes + kMostLoss, `after ${steps} steps`);
          }
          return small.memory().usedBytes;
        });
        assert.equal(levels.at(-1), levels.at(-4), 'it grows');
        const run = start(model);
        run.step();
        model.destroy();
        failure('destroyed', () => run.step());
        const { usedBytes: without } = small.memory();
        run.destroy();
        assert.equal(small.memory().usedBytes, without);
        other.destroy();
      });
    }
  });
}
