/** `pipeline()` and the package itself in node, with the real engine. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Embedder, pipeline, type Source } from 'pocketbert';
import { cls, code, enc, qa } from './support/public_api.js';

describe('pipeline', () => {
  test('feature-extraction has the shapes of transformers.js', async () => {
    const extract = await pipeline('feature-extraction', enc, { dtype: 'fp32' });
    const one = await extract('Sail on!', { pooling: 'mean', normalize: true });
    assert.deepEqual([one.type, one.dims, one.size, one.data.length], ['float32', [1, 24], 24, 24]);
    assert.ok(Math.abs(Math.hypot(...one.data) - 1) < 1e-5);
    const two = await extract(['Sail on!', 'boat'], { pooling: 'cls' });
    assert.deepEqual([two.dims, two.tolist().length, two.tolist()[1]?.length], [[2, 24], 2, 24]);
    assert.ok(
      Math.abs(Math.hypot(...two.data.slice(0, 24)) - 1) > 1e-3,
      'it was normalized although nobody said so',
    );
    const packed = await extract('boat', { pooling: 'mean', quantize: true, precision: 'ubinary' });
    assert.deepEqual([packed.type, packed.dims], ['uint8', [1, 3]]);
    await assert.rejects(
      extract('boat', { pooling: 'none', quantize: true }),
      code('unsupported', /quantize needs a pooling/),
    );
    assert.equal(extract.info.model.precision, 'float32');
    await extract.dispose();
  });

  test('feature-extraction without pooling gives the states of all tokens', async () => {
    const extract = await pipeline('feature-extraction', enc, { dtype: 'fp32' });
    const states = await extract(['Sail on!', 'boat']);
    assert.deepEqual([states.type, states.dims, states.size], ['float32', [2, 5, 24], 240]);
    const [long = [], short = []] = states.tolist();
    const { data } = await extract(['Sail on!', 'boat'], { pooling: 'mean' });
    for (let i = 0; i < 24; i++) {
      const mean = (rows: number[][], count: number) =>
        rows.reduce((sum, row) => sum + (row[i] ?? NaN), 0) / count;
      assert.ok(Math.abs(mean(long, 5) - (data[i] ?? NaN)) < 1e-6);
      assert.ok(Math.abs(mean(short, 3) - (data[24 + i] ?? NaN)) < 1e-6);
    }
    assert.ok(short.slice(3).flat().every((value) => value === 0));
    const one = await extract('boat', { normalize: true });
    assert.deepEqual(one.dims, [1, 3, 24]);
    for (const row of one.tolist()[0] ?? []) assert.ok(Math.abs(Math.hypot(...row) - 1) < 1e-6);
    assert.deepEqual((await extract([])).dims, [0, 0, 0]);
    await extract.dispose();
  });

  test('text-classification has the shapes of transformers.js', async () => {
    const statuses: string[] = [];
    const classify = await pipeline('sentiment-analysis', cls, {
      progress_callback: ({ status }) => statuses.push(status),
    });
    assert.equal(statuses.at(-1), 'ready');
    const labels = classify.info.model.heads[0]?.labels.length ?? 0;
    const isLabel = (value: unknown): boolean =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && 'label' in value;
    const one = await classify('boat');
    assert.deepEqual([one.length, one.every(isLabel)], [1, true]);
    assert.equal((await classify('boat', { top_k: null })).length, labels);
    const two = await classify(['boat', 'river']);
    assert.deepEqual([two.length, two.every(isLabel)], [2, true]);
    assert.equal(two[0]?.label, one[0]?.label);
    const lists = await classify(['boat', 'river'], { top_k: 2 });
    assert.deepEqual(
      lists.map((list) => Array.isArray(list) && list.length),
      [2, 2],
    );
    await classify.dispose();
  });

  test('question-answering gives one answer, or a list with top_k above 1, and a list of either for lists', async () => {
    const answer = await pipeline('question-answering', qa);
    const [question, context] = ['who', 'the old boat on the river'];
    const one = await answer(question, context);
    assert.equal(context.slice(one.start, one.end), one.answer);
    assert.deepEqual(await answer(question, context, { top_k: 1 }), one);
    const two = await answer(question, context, { top_k: 2 });
    assert.deepEqual([two.length, two[0]], [2, one]);
    const questions = [question, question];
    const contexts = [context, context];
    assert.deepEqual(await answer(questions, contexts), [one, one]);
    assert.deepEqual(await answer(questions, contexts, { top_k: 2 }), [two, two]);
    await answer.dispose();
  });

  test('what is not there is refused by name', async () => {
    const call = pipeline as (task: string, model: Source, options?: object) => Promise<unknown>;
    await assert.rejects(call('image-to-text', enc), code('unsupported', /image-to-text/));
    await assert.rejects(
      call('feature-extraction', enc, { dtype: 'q4' }),
      code('unsupported', /q4/),
    );
    await assert.rejects(
      call('feature-extraction', enc, { device: 'webgpu' }),
      code('unsupported', /webgpu/),
    );
    await assert.rejects(
      call('feature-extraction', 'a/b', { host: 'http://127.0.0.1:1/' }),
      code('network', /127\.0\.0\.1:1\/a\/b\/resolve\/main\//),
    );
  });

  test('options that contradict each other, or the engine that is given, are refused as they were written', async () => {
    const call = pipeline as (task: string, model: unknown, options: object) => Promise<unknown>;
    const embedder = await Embedder.create({ model: enc });
    const wrong: readonly [model: unknown, options: object, message: RegExp][] = [
      [enc, { dtype: 'fp32', precision: 'int8' }, /^dtype is "fp32", expected one for int8, as precision says$/],
      [enc, { dtype: 'q8', precision: 'float32' }, /^dtype is "q8", expected one for float32/],
      [enc, { offline: false, local_files_only: true }, /^local_files_only is true, expected false/],
      ['owner/name', { host: '' }, /^host is "", expected an address$/],
      ['owner/name', { host: 'https://h.test', revision: '' }, /^revision is ""/],
      [embedder, { dtype: 'fp32' }, /^dtype is "fp32", expected one for int8, as the shared engine has$/],
      [embedder, { local_files_only: true }, /^there is no local_files_only in .* shared engine/],
      [embedder, { local_files_only: false }, /^there is no local_files_only in .* shared engine/],
    ];
    for (const [model, options, message] of wrong)
      await assert.rejects(
        call('feature-extraction', model, options),
        code('invalid_argument', message),
      );
    for (const options of [{ dtype: 'auto', precision: 'int8' }, { dtype: 'q8', precision: 'int8' }])
      await call('feature-extraction', embedder, options);
    await embedder.destroy();
    const long = 'x'.repeat(9999);
    for (const [task, options] of [
      [long, {}],
      ['feature-extraction', { dtype: long }],
      ['feature-extraction', { device: long }],
    ] as const)
      await assert.rejects(call(task, enc, options), code('unsupported', /^.{0,400}$/));
    await assert.rejects(call('ner', enc, { [long]: 1 }), code('invalid_argument', /^.{0,600}$/));
  });

  test('question-answering without a context, or question, says what is missing', async () => {
    const answer = await pipeline('question-answering', qa);
    const call = answer as (...args: unknown[]) => Promise<unknown>;
    const wrong: readonly [args: readonly unknown[], message: RegExp][] = [
      [['who'], /^context 0 is undefined, expected a string$/],
      [['who', null], /^context 0 is null, expected a string$/],
      [[undefined, 'boat'], /^question 0 is undefined, expected a string$/],
      [[['who', 'who'], ['boat', undefined]], /^context 1 is undefined, expected a string$/],
      [[['who', 'who'], ['boat']], /^the number of contexts is 1, expected 2$/],
    ];
    for (const [args, message] of wrong)
      await assert.rejects(call(...args), code('invalid_argument', message));
    await answer.dispose();
  });
});

describe('loading', () => {
  test('int8 and float32, and the error of a file without either', async () => {
    for (const precision of ['int8', 'float32'] as const) {
      const embedder = await Embedder.create({ model: enc, precision });
      assert.equal(embedder.info.model.precision, precision);
      await embedder.destroy();
    }
  });

  test('a cut file is named, and the next load works', async () => {
    const names = ['config.json', 'tokenizer.json', 'model.safetensors'];
    const files = Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, new Uint8Array(await readFile(join(enc, name)))] as const),
      ),
    );
    const cut = {
      ...files,
      'model.safetensors': files['model.safetensors']?.slice(0, 30_000) ?? '',
    };
    await assert.rejects(Embedder.create({ model: cut }), code('format', /model\.safetensors/));
    const embedder = await Embedder.create({ model: files });
    await embedder.destroy();
  });

  test('importing the package does nothing', async () => {
    const names = Object.getOwnPropertyNames(globalThis);
    const own = await import('pocketbert');
    assert.ok('Embedder' in own);
    assert.deepEqual(Object.getOwnPropertyNames(globalThis), names);
  });

  test('`await using` destroys', async () => {
    const embedder = await Embedder.create({ model: enc });
    await embedder[Symbol.asyncDispose]();
    await assert.rejects(embedder.embed('x'), code('destroyed'));
  });
});
