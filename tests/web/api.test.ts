/** The public API in node, with the real engine and tiny models. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Classifier, Embedder, ModelUser, pipeline, PocketBertError, Tokenizer, type Source } from 'pocketbert';

const fixtures = join(process.cwd(), 'tests/cases/hand/fixtures');
const enc = join(fixtures, 'enc');
const cls = join(fixtures, 'cls');

const sentences = [
  'The old river boat was slow.',
  'A new stone bridge by the mill, one day and one night at the water city.',
  'Sail on!',
  '',
  'boat',
];

function code(expected: string, message = /./) {
  return (thrown: unknown): true => {
    assert.ok(thrown instanceof PocketBertError, String(thrown));
    assert.equal(thrown.code, expected, thrown.message);
    assert.match(thrown.message, message);
    return true;
  };
}

const bits = (vector: Float32Array): string => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('hex');

describe('embedder', () => {
  let embedder: Embedder;
  before(async () => {
    embedder = await Embedder.create({ model: enc });
  });
  after(() => embedder.destroy());

  test('info tells what runs and what was loaded', () => {
    const { variant, threads, worker, cache, model } = embedder.info;
    assert.ok(['simd', 'relaxed', 'relaxed-mt'].includes(variant));
    assert.ok(threads >= 1);
    assert.equal(worker, false);
    assert.match(cache, /^none/);
    assert.equal(model.name, 'enc');
    assert.equal(model.type, 'bert');
    assert.equal(model.dimensions, 24);
    assert.equal(model.precision, 'int8');
    assert.deepEqual(model.pooling, ['mean']);
    assert.equal(model.normalize, true);
    assert.ok(model.maxTokens > 8 && model.maxTokens <= 48);
  });

  test('a text alone, in a list, and among calls at once: the same bits', async () => {
    const list = await embedder.embed(sentences);
    assert.deepEqual(list.dims, [sentences.length, 24]);
    const alone = await Promise.all(sentences.map((text) => embedder.embed(text)));
    const shuffled = await embedder.embed([...sentences].reverse());
    sentences.forEach((_, i) => {
      const expected = bits(list.at(i));
      assert.equal(bits(alone[i] ?? new Float32Array()), expected);
      assert.equal(bits(shuffled.at(sentences.length - 1 - i)), expected);
      assert.equal(alone[i]?.tokens, list.tokens[i]);
    });
  });

  test('empty texts, blanks and lone surrogates have vectors; an empty list has none', async () => {
    const vectors = await embedder.embed(['', ' \n\t', '\ud800', '\ufffd', 'a\udc00b', 'a\ufffdb']);
    for (const vector of vectors) assert.ok(vector.every(Number.isFinite));
    assert.equal(bits(vectors.at(0)), bits(vectors.at(1)));
    assert.equal(bits(vectors.at(2)), bits(vectors.at(3)));
    assert.equal(bits(vectors.at(4)), bits(vectors.at(5)));
    const none = await embedder.embed([]);
    assert.deepEqual([none.length, ...none.dims, none.data.length], [0, 0, 24, 0]);
  });

  test('a text that is too long: cut and said so, cut at the start, or refused', async () => {
    const limit = embedder.info.model.maxTokens;
    const long = 'boat '.repeat(500);
    const cut = await embedder.embed(long);
    assert.deepEqual([cut.truncated, cut.tokens], [true, limit]);
    const list = await embedder.embed([long, 'boat']);
    assert.deepEqual(list.truncated, [true, false]);
    const start = await embedder.embed(`river ${long}`, { truncate: 'start' });
    assert.equal(bits(start), bits(cut));
    await assert.rejects(embedder.embed(long, { truncate: 'error' }), code('too_long', /\d/));
    const short = await embedder.embed('boat boat boat boat', { maxLength: 4 });
    assert.deepEqual([short.truncated, short.tokens], [true, 4]);
    assert.equal(bits(short), bits(await embedder.embed('boat boat')));
    await embedder.embed('boat');
  });

  test('10 MB of text', async () => {
    const text = 'the old river boat was slow, '.repeat(362_000);
    const start = performance.now();
    const vector = await embedder.embed(text);
    assert.ok(vector.truncated);
    assert.ok(await embedder.countTokens(text) > 2_000_000);
    assert.ok(performance.now() - start < 20_000, `it took ${performance.now() - start} ms`);
  });

  test('pooling, length and dimensions of a call', async () => {
    const whole = await embedder.embed('boat', { normalize: false });
    const part = await embedder.embed('boat', { normalize: false, dimensions: 8 });
    assert.equal(bits(part), bits(whole.subarray(0, 8)));
    const unit = await embedder.embed('boat', { dimensions: 8 });
    assert.ok(Math.abs(Math.hypot(...unit) - 1) < 1e-5);
    const pooled = await Promise.all((['mean', 'cls', 'max', 'lasttoken'] as const).map((pooling) => embedder.embed('old boat', { pooling })));
    assert.equal(new Set(pooled.map(bits)).size, 4);
  });

  test('wrong arguments are refused by name, and harm nothing', async () => {
    const wrong: [unknown, object, RegExp][] = [
      [undefined, {}, /undefined/],
      [[null], {}, /null/],
      [[1], {}, /number/],
      ['boat', { pooling: 'median' }, /median/],
      ['boat', { dimensions: 25 }, /25/],
      ['boat', { dimensions: 0.5 }, /0\.5/],
      ['boat', { maxLength: -1 }, /-1/],
      ['boat', { truncate: 'middle' }, /middle/],
      ['boat', { promptName: 'nobody' }, /nobody/],
    ];
    for (const [text, options, message] of wrong) {
      await assert.rejects(embedder.embed(text as string, options), code('invalid_argument', message));
    }
    await embedder.embed('boat');
  });

  test('an abort, a newer call, and progress of a list', async () => {
    const many = Array.from({ length: 400 }, (_, i) => `boat ${i} ${'river '.repeat(20)}`);
    const control = new AbortController();
    const seen: number[] = [];
    const aborted = embedder.embed(many, { signal: control.signal, onProgress: ({ done }) => void (seen.push(done), control.abort()) });
    await assert.rejects(aborted, code('aborted'));
    assert.ok(seen.length >= 1 && (seen[0] ?? 400) < 400);
    const calls = ['r', 'ri', 'riv'].map((text) => embedder.embed(text, { supersede: 'search' }));
    const other = embedder.embed('x', { supersede: 'other' });
    const settled = await Promise.allSettled(calls);
    assert.deepEqual(settled.map(({ status }) => status), ['rejected', 'rejected', 'fulfilled']);
    for (const result of settled.slice(0, 2)) assert.ok(result.status === 'rejected' && code('superseded')(result.reason));
    await other;
  });

  test('memory does not grow with the number of calls', async () => {
    const texts = sentences.concat('river '.repeat(100));
    await embedder.embed(texts);
    const before = await embedder.memory();
    for (let i = 0; i < 200; i++) await embedder.embed(texts);
    assert.deepEqual(await embedder.memory(), before);
    assert.ok(before.weights > 0 && before.arena > 0 && before.used <= before.wasm);
  });

  test('the self-test says that there is nothing to compare with', async () => {
    const { status, count } = await embedder.selfTest();
    assert.deepEqual([status, count], ['no-vectors', 0]);
  });

  test('tokens of a text lie where they say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('boat', 'River', ' ', ',', '\n', 'é', '橋', '\ud83d\ude00', '\u0301')), async (parts) => {
        const text = parts.join('');
        const { length, offsets, tokens, special_tokens_mask: special } = await embedder.tokenize(text);
        assert.equal(await embedder.countTokens(text), length);
        for (let i = 0; i < length; i++) {
          const [start, end] = offsets[i] ?? [-1, -1];
          assert.ok(start >= 0 && start <= end && end <= text.length);
          const span = text.slice(start, end).toLowerCase();
          if (special[i] === 0 && /^[a-z]+$/.test(span)) assert.equal(tokens[i]?.replace('##', ''), span);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('classifier', () => {
  test('labels of a text, a pair and a list', async () => {
    const classifier = await Classifier.create({ model: cls });
    const one = await classifier.classify('The old river boat was slow.');
    const all = classifier.info.model.heads[0]?.labels ?? [];
    assert.deepEqual(new Set(one.map(({ label }) => label)), new Set(all));
    assert.ok(Math.abs(one.reduce((sum, { score }) => sum + score, 0) - 1) < 1e-5);
    assert.ok(one.every(({ score }, i) => i === 0 || score <= (one[i - 1]?.score ?? 0)));
    assert.equal(one.truncated, false);
    const items = ['The old river boat was slow.', { text: 'Sail on!', pair: 'A new stone bridge' }];
    const list = await classifier.classify(items, { top_k: 1 });
    assert.deepEqual(list.map((labels) => labels.length), [1, 1]);
    assert.deepEqual(list[0]?.[0], one[0]);
    assert.deepEqual(await classifier.classify([]), []);
    await assert.rejects(classifier.classify('x', { head: 'nobody' }), code('invalid_argument', /nobody/));
    await assert.rejects(classifier.classify('x', { top_k: 0 }), code('invalid_argument'));
    await classifier.destroy();
    await classifier.destroy();
    await assert.rejects(classifier.classify('x'), code('destroyed'));
  });

  test('a model without a head is refused by name', async () => {
    await assert.rejects(Classifier.create({ model: enc }), code('unsupported', /classification head/));
    const embedder = await Embedder.create({ model: enc });
    await assert.rejects(Classifier.create({ model: embedder }), code('unsupported'));
    await embedder.embed('boat');
    await embedder.destroy();
  });

  test('two objects share one engine, until the last is destroyed', async () => {
    const embedder = await Embedder.create({ model: cls });
    const classifier = await Classifier.create({ model: embedder });
    const tokenizer = await Tokenizer.create({ model: classifier });
    assert.ok(classifier instanceof ModelUser);
    await embedder.destroy();
    await assert.rejects(embedder.embed('x'), code('destroyed'));
    await classifier.classify('x');
    await classifier.destroy();
    assert.equal((await tokenizer.encode('boat')).tokens[1], 'boat');
    await tokenizer.destroy();
    await assert.rejects(Embedder.create({ model: tokenizer }), code('destroyed'));
  });
});

describe('tokenizer', () => {
  let tokenizer: Tokenizer;
  before(async () => {
    const file = await readFile(join(enc, 'tokenizer.json'), 'utf8');
    tokenizer = await Tokenizer.create({ files: { 'tokenizer.json': file } });
  });
  after(() => tokenizer.destroy());

  test('encoding, its names, and back', async () => {
    const text = 'The old boat';
    const encoding = await tokenizer.encode(text);
    assert.deepEqual(encoding.tokens.slice(0, 4), ['[CLS]', 'the', 'old', 'boat']);
    assert.deepEqual(encoding.offsets.slice(0, 4), [[0, 0], [0, 3], [4, 7], [8, 12]]);
    assert.equal(await tokenizer.decode(encoding.ids), 'the old boat');
    const [id = -1] = await tokenizer.encode('boat', { add_special_tokens: false }).then(({ ids }) => [...ids]);
    assert.equal(await tokenizer.tokenToId('boat'), id);
    assert.equal(await tokenizer.idToToken(id), 'boat');
    assert.equal(await tokenizer.tokenToId('no such entry'), undefined);
    assert.equal(await tokenizer.idToToken(1_000_000), undefined);
    const plain = JSON.parse(JSON.stringify(encoding));
    assert.deepEqual(plain.ids, [...encoding.ids]);
    await assert.rejects(tokenizer.decode([1.5]), code('invalid_argument', /1\.5/));
  });

  test('pairs, truncation with windows, padding with a token of its own', async () => {
    const pair = await tokenizer.encode('old boat', { pair: 'new bridge' });
    assert.deepEqual([...pair.type_ids], [0, 0, 0, 0, 1, 1, 1]);
    const windows = await tokenizer.encode('old boat old boat old', { truncation: { max_length: 4, stride: 1 } });
    assert.ok(windows.truncated);
    assert.deepEqual([windows, ...windows.overflow].map(({ tokens }) => tokens.slice(1, -1).join(' ')), ['old boat', 'boat old', 'old boat', 'boat old']);
    const [padded, longest] = await tokenizer.encodeBatch(['old', 'old boat'], { padding: { pad_token: '[UNK]' } });
    assert.equal(padded?.length, longest?.length);
    assert.deepEqual(padded?.tokens, ['[CLS]', 'old', '[SEP]', '[UNK]']);
    await assert.rejects(tokenizer.encode('x', { padding: { pad_token: 'nobody' } }), code('invalid_argument', /nobody/));
    assert.deepEqual(await tokenizer.encodeBatch([]), []);
  });

  test('many texts in steps are those of one by one', async () => {
    const texts = Array.from({ length: 3000 }, (_, i) => `${'boat '.repeat(i % 40)} ${i}`);
    const seen: number[] = [];
    const all = await tokenizer.encodeBatch(texts, { onProgress: ({ done }) => void seen.push(done) });
    assert.ok(seen.length > 1, 'it was one step');
    for (const i of [0, 1, 1234, 2999]) assert.deepEqual(all[i]?.ids, (await tokenizer.encode(texts[i] ?? '')).ids);
    assert.deepEqual(await tokenizer.countTokens(texts), all.map(({ length }) => length));
  });

  test('both kinds of source at once are refused', async () => {
    await assert.rejects(Tokenizer.create({ model: enc, files: {} }), code('invalid_argument'));
  });
});

describe('pipeline', () => {
  test('feature-extraction has the shapes of transformers.js', async () => {
    const extract = await pipeline('feature-extraction', enc, { dtype: 'fp32' });
    const one = await extract('Sail on!', { pooling: 'mean', normalize: true });
    assert.deepEqual([one.type, one.dims, one.size, one.data.length], ['float32', [1, 24], 24, 24]);
    assert.ok(Math.abs(Math.hypot(...one.data) - 1) < 1e-5);
    const two = await extract(['Sail on!', 'boat'], { pooling: 'cls' });
    assert.deepEqual([two.dims, two.tolist().length, two.tolist()[1]?.length], [[2, 24], 2, 24]);
    assert.ok(Math.abs(Math.hypot(...two.data.slice(0, 24)) - 1) > 1e-3, 'it was normalized although nobody said so');
    const packed = await extract('boat', { pooling: 'mean', quantize: true, precision: 'ubinary' });
    assert.deepEqual([packed.type, packed.dims], ['uint8', [1, 3]]);
    await assert.rejects(extract('boat'), code('unsupported', /none/));
    assert.equal(extract.info.model.precision, 'float32');
    await extract.dispose();
  });

  test('text-classification has the shapes of transformers.js', async () => {
    const statuses: string[] = [];
    const classify = await pipeline('sentiment-analysis', cls, { progress_callback: ({ status }) => statuses.push(status) });
    assert.equal(statuses.at(-1), 'ready');
    const labels = classify.info.model.heads[0]?.labels.length ?? 0;
    const isLabel = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value) && 'label' in value;
    const one = await classify('boat');
    assert.deepEqual([one.length, one.every(isLabel)], [1, true]);
    assert.equal((await classify('boat', { top_k: null })).length, labels);
    const two = await classify(['boat', 'river']);
    assert.deepEqual([two.length, two.every(isLabel)], [2, true]);
    const lists = await classify(['boat', 'river'], { top_k: 2 });
    assert.deepEqual(lists.map((list) => Array.isArray(list) && list.length), [2, 2]);
    await classify.dispose();
  });

  test('what is not there is refused by name', async () => {
    const call = pipeline as (task: string, model: Source, options?: object) => Promise<unknown>;
    await assert.rejects(call('image-to-text', enc), code('unsupported', /image-to-text/));
    await assert.rejects(call('feature-extraction', enc, { dtype: 'q4' }), code('unsupported', /q4/));
    await assert.rejects(call('feature-extraction', enc, { device: 'webgpu' }), code('unsupported', /webgpu/));
    await assert.rejects(call('feature-extraction', 'a/b', { host: 'http://127.0.0.1:1/' }), code('network', /127\.0\.0\.1:1\/a\/b\/resolve\/main\//));
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
    const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, new Uint8Array(await readFile(join(enc, name)))] as const)));
    const cut = { ...files, 'model.safetensors': files['model.safetensors']?.slice(0, 30_000) ?? '' };
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
