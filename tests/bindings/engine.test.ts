import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { packTexts } from '../../web/src/core/texts.js';
import type { Engine, EngineModel } from '../../web/src/core/types.js';
import { encode, fixture, importFolder, load, openFixture, runnableVariants, textsOf } from './support/setup.js';

interface Case {
  id: string;
  input: { texts: string[] };
  expect: { vectors: number[][]; abs: number };
}

function referenceCase(kind: string, id: string): Case {
  const file = JSON.parse(readFileSync(`tests/cases/hand/${kind}.json`, 'utf8')) as { cases: Case[] };
  const found = file.cases.find((candidate) => candidate.id === id);
  assert.ok(found, `${kind}.json has no case ${id}`);
  return found;
}

const kTexts = ['The old river boat was slow.', '', 'Sail on!', 'boat '.repeat(60), 'one day 🌉 and one night'];

for (const variant of await runnableVariants()) {
  describe(`engine ${variant}`, () => {
    let engine: Engine;
    let model: EngineModel;
    before(async () => {
      engine = await load(variant, { maxBatchTokens: 40, threads: variant === 'relaxed-mt' ? 3 : 1 });
      model = await openFixture(engine, 'enc');
    });
    after(() => engine.destroy());

    test('says what it is', () => {
      assert.equal(engine.variant, variant);
      assert.equal(engine.threads, variant === 'relaxed-mt' ? 3 : 1);
      assert.deepEqual(engine.reasons, []);
      assert.equal(engine.alive, true);
      assert.equal(engine.maxBatchTokens, 40);
      const memory = engine.memory();
      assert.ok(memory.usedBytes > 60_000 && memory.usedBytes < memory.wasmBytes, JSON.stringify(memory));
    });

    test('embeds as the reference does', () => {
      const { input, expect } = referenceCase('embed', 'emb-batch-h');
      const result = model.embed(input.texts);
      assert.equal(result.count, input.texts.length);
      assert.equal(result.dimensions, 24);
      expect.vectors.flat().forEach((value, i) => {
        assert.ok(Math.abs((result.data[i] ?? NaN) - value) <= expect.abs, `component ${i}`);
      });
    });

    test('a run in steps gives the same bits and tells how far it is', () => {
      const whole = model.embed(kTexts);
      const run = model.startEmbed(kTexts);
      const done = [0];
      while (done.at(-1) !== run.total) done.push(run.step());
      assert.ok(done.length > 2, 'a small token budget takes several steps');
      assert.deepEqual(done, [...new Set(done)].sort((a, b) => a - b));
      const stepped = run.finish();
      assert.deepEqual(stepped, whole);
      assert.deepEqual([...whole.truncated], [0, 0, 0, 1, 0]);
      kTexts.forEach((text, i) => {
        const alone = model.embed([text]);
        assert.deepEqual(alone.data, whole.data.slice(24 * i, 24 * (i + 1)), text);
        assert.equal(alone.tokens[0], whole.tokens[i]);
      });
    });

    test('lists longer than one block of texts', () => {
      const many = Array.from({ length: 2500 }, (_, i) => kTexts[i % kTexts.length] ?? '');
      const result = model.embed(many);
      const few = model.embed(kTexts);
      many.forEach((_, i) => {
        const at = 24 * (i % kTexts.length);
        assert.deepEqual(result.data.slice(24 * i, 24 * i + 24), few.data.slice(at, at + 24));
      });
    });

    test('an empty list', async () => {
      const result = model.embed([]);
      assert.deepEqual([result.count, result.dimensions, result.data.length], [0, 24, 0]);
      assert.equal(model.startEmbed([]).finish().count, 0);
      const classes = await openFixture(engine, 'cls');
      assert.deepEqual(classes.classify([]).labels, ['bad', 'so-so', 'good']);
      classes.destroy();
    });

    test('classifies texts and pairs', async () => {
      const classes = await openFixture(engine, 'cls');
      const items = [{ text: 'The old river boat was slow.', pair: 'Sail on!' }, { text: 'The old river boat was slow.' }];
      const result = classes.classify(items, { top_k: 2 });
      assert.deepEqual(result.labels, ['bad', 'so-so', 'good']);
      assert.equal(result.topK, 2);
      assert.deepEqual([...result.indices], [0, 1, 0, 1]);
      const expected = [0.594194, 0.405738, 0.518532, 0.48142];
      expected.forEach((score, i) => assert.ok(Math.abs((result.scores[i] ?? NaN) - score) < 1e-4));
      const raw = classes.classify(items, { activation: 'none' });
      assert.ok(raw.scores.some((score) => score < 0 || score > 1));
      classes.destroy();
    });

    test('tokenizes with UTF-16 offsets; a lone surrogate is one unit', () => {
      const text = 'one \ud800 🌉 boat';
      const { tokenizer } = model;
      const batch = encode(tokenizer, [{ text }]);
      assert.equal(batch.items.length, 1);
      const tokens = tokenizer.idsToTokens(batch.ids);
      const spans = tokens.map((_, t) => text.slice(batch.offsets[2 * t], batch.offsets[2 * t + 1]));
      assert.equal(spans[1], 'one');
      assert.equal(spans.at(-2), 'boat');
      assert.equal(tokens[0], '[CLS]');
      assert.equal(tokens.at(-1), '[SEP]');
      assert.ok(spans.includes('🌉'));
    });

    test('encode options', () => {
      const { tokenizer } = model;
      const items = [{ text: 'boat' }, { text: 'one day and one night', pair: 'boat' }];
      const padded = encode(tokenizer, items, { padding: { length: 'longest', direction: 'left' } });
      assert.equal(padded.starts[1], padded.ids.length / 2);
      assert.equal(padded.ids[0], tokenizer.info().specialTokens.pad);
      const cut = encode(tokenizer, items, { truncation: { max_length: 5, strategy: 'longest_first', stride: 0 } });
      assert.deepEqual([...cut.items].slice(0, 2), [0, 1]);
      assert.ok(cut.items.length > 2, 'overflow windows follow their item');
      assert.deepEqual([...cut.truncated].slice(0, 2), [0, 1]);
      const plain = encode(tokenizer, items, { add_special_tokens: false });
      assert.deepEqual(tokenizer.idsToTokens(plain.ids.slice(0, plain.starts[1])), ['boat']);
      assert.deepEqual([...tokenizer.countTokens(packTexts(items))], [3, 9]);
    });

    test('ids to text and tokens to ids', () => {
      const { tokenizer } = model;
      const { ids } = encode(tokenizer, [{ text: 'One day, and one night!' }]);
      assert.equal(tokenizer.decode(ids), 'one day, and one night!');
      assert.match(tokenizer.decode(ids, { skip_special_tokens: false }), /^\[CLS\] one day.*\[SEP\]$/);
      assert.equal(tokenizer.decode([]), '');
      const id = tokenizer.tokenToId('boat');
      assert.deepEqual(tokenizer.idsToTokens([id ?? -1, 1_000_000]), ['boat', undefined]);
      assert.equal(tokenizer.tokenToId('not in there'), undefined);
      assert.equal(tokenizer.tokenToId('\ud800'), undefined);
    });

    test('a tokenizer without a model', async () => {
      const { 'tokenizer.json': json, 'tokenizer_config.json': config } = textsOf(fixture('enc'));
      const alone = await engine.openTokenizer({ 'tokenizer.json': json ?? '', 'tokenizer_config.json': config ?? '' });
      const items = [{ text: 'The old river boat was slow.' }];
      assert.deepEqual(encode(alone, items), encode(model.tokenizer, items));
      assert.deepEqual(alone.info(), model.tokenizer.info());
      alone.destroy();
      alone.destroy();
    });

    test('a finished file opens again from its bytes, with the same bits', async () => {
      for (const precision of ['int8', 'float32'] as const) {
        const file = await importFolder(engine, fixture('enc'), { precision, source: 'enc' }, 1000);
        const bytes = file.bytes().slice();
        const imported = engine.openModel(file, { source: 'a' });
        const reopened = engine.openModel(bytes);
        assert.deepEqual(reopened.embed(kTexts), imported.embed(kTexts));
        assert.equal(reopened.info().precision, precision);
        imported.destroy();
        reopened.destroy();
      }
    });

    test('the size of the chunks does not change the file', async () => {
      const bytesOf = async (chunk: number) => {
        const file = await importFolder(engine, fixture('cls'), { precision: 'int8' }, chunk);
        const bytes = file.bytes().slice();
        file.free();
        return bytes;
      };
      const whole = await bytesOf(1 << 30);
      assert.deepEqual(await bytesOf(7), whole);
      assert.deepEqual(await bytesOf(4096), whole);
    });

    test('information about the model', () => {
      const info = model.info();
      assert.equal(info.modelType, 'bert');
      assert.deepEqual(info.tasks, ['embed']);
      assert.equal(info.dimensions, 24);
      assert.equal(info.maxLength, 32);
      assert.deepEqual(info.pooling, ['mean']);
      assert.equal(info.normalize, true);
      assert.equal(info.precision, 'float32');
      assert.equal(info.tokenizer.vocabularySize, 117);
      assert.deepEqual(info.heads, []);
    });
  });
}
