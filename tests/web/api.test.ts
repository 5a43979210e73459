/** `Embedder` and `Classifier` in node, with the real engine and tiny models. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Classifier, Embedder, ModelUser, pipeline, Tokenizer, type CallOptions } from 'pocketbert';
import { cls, code, enc } from './support/public_api.js';

const sentences = [
  'The old river boat was slow.',
  'A new stone bridge by the mill, one day and one night at the water city.',
  'Sail on!',
  '',
  'boat',
];

const bits = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('hex');

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
    assert.ok((await embedder.countTokens(text)) > 2_000_000);
    assert.ok(performance.now() - start < 20_000, `it took ${performance.now() - start} ms`);
  });

  test('pooling, length and dimensions of a call', async () => {
    const whole = await embedder.embed('boat', { normalize: false });
    const part = await embedder.embed('boat', { normalize: false, dimensions: 8 });
    assert.equal(bits(part), bits(whole.subarray(0, 8)));
    const unit = await embedder.embed('boat', { dimensions: 8 });
    assert.ok(Math.abs(Math.hypot(...unit) - 1) < 1e-5);
    const pooled = await Promise.all(
      (['mean', 'cls', 'max', 'lasttoken'] as const).map((pooling) =>
        embedder.embed('old boat', { pooling }),
      ),
    );
    assert.equal(new Set(pooled.map(bits)).size, 4);
  });

  test('wrong arguments are refused by name, and harm nothing', async () => {
    const wrong: [unknown, object, RegExp][] = [
      [undefined, {}, /undefined/],
      [[null], {}, /null/],
      [[1], {}, /text 0 is 1/],
      ['boat', { pooling: 'median' }, /median/],
      ['boat', { dimensions: 25 }, /25/],
      ['boat', { dimensions: 0.5 }, /0\.5/],
      ['boat', { maxLength: -1 }, /-1/],
      ['boat', { truncate: 'middle' }, /middle/],
      ['boat', { promptName: 'nobody' }, /nobody/],
    ];
    for (const [text, options, message] of wrong) {
      await assert.rejects(
        embedder.embed(text as string, options),
        code('invalid_argument', message),
      );
    }
    await embedder.embed('boat');
  });

  test('an abort, a newer call, and progress of a list', async () => {
    const many = Array.from({ length: 400 }, (_, i) => `boat ${i} ${'river '.repeat(20)}`);
    const control = new AbortController();
    const seen: number[] = [];
    const aborted = embedder.embed(many, {
      signal: control.signal,
      onProgress: ({ done }) => void (seen.push(done), control.abort()),
    });
    await assert.rejects(aborted, code('aborted'));
    assert.ok(seen.length >= 1 && (seen[0] ?? 400) < 400);
    const calls = ['r', 'ri', 'riv'].map((text) => embedder.embed(text, { supersede: 'search' }));
    const other = embedder.embed('x', { supersede: 'other' });
    const settled = await Promise.allSettled(calls);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    );
    for (const result of settled.slice(0, 2))
      assert.ok(result.status === 'rejected' && code('superseded')(result.reason));
    await other;
  });

  test('progress of a list ends with all of it', async () => {
    const many = Array.from({ length: 100 }, (_, i) => `boat ${i} ${'river '.repeat(20)}`);
    const calls: readonly [string, number, (options: CallOptions) => Promise<unknown>][] = [
      ['embed', 100, (options) => embedder.embed(many, options)],
      ['one text', 1, (options) => embedder.embed('boat', options)],
      ['an empty list', 0, (options) => embedder.embed([], options)],
      ['countTokens', 100, (options) => embedder.countTokens(many, options)],
      ['tokenize', 1, (options) => embedder.tokenize('boat', { ...options, padding: true })],
    ];
    for (const [name, total, call] of calls) {
      const seen: (readonly [number, number])[] = [];
      await call({ onProgress: (progress) => void seen.push([progress.done, progress.total]) });
      assert.deepEqual(seen.at(-1), [total, total], name);
      assert.ok(seen.every(([done], i) => i === 0 || done > (seen[i - 1]?.[0] ?? 0)), name);
    }
  });

  test('what a listener throws is the error of its call, and harms nothing', async () => {
    const fault = new RangeError('the listener is broken');
    const onProgress = (): never => {
      throw fault;
    };
    const many = Array.from({ length: 100 }, (_, i) => `boat ${i} ${'river '.repeat(20)}`);
    const before = await embedder.memory();
    for (const texts of [many, 'boat']) {
      const other = embedder.embed(many.slice(0, 50));
      await assert.rejects(embedder.embed(texts, { onProgress }), (thrown) => thrown === fault);
      await other;
    }
    assert.equal((await embedder.memory()).wasm, before.wasm, 'a new engine was started');
    for (const model of [enc, embedder]) {
      const create = Embedder.create({ model, onProgress });
      await assert.rejects(create, (thrown) => thrown === fault);
    }
    const extract = pipeline('feature-extraction', enc, { progress_callback: onProgress });
    await assert.rejects(extract, (thrown) => thrown === fault);
  });

  test('many calls at once with one signal: node warns of nothing', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error): void => void warnings.push(warning);
    process.on('warning', keep);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 40 }, () => embedder.embed('boat', { signal })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', keep);
    assert.deepEqual(warnings, []);
  });

  test('info can not be changed', () => {
    const frozen = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      assert.ok(Object.isFrozen(value), path);
      for (const [name, part] of Object.entries(value)) frozen(part, `${path}.${name}`);
    };
    frozen(embedder.info, 'info');
  });

  test('a newer call takes the place of one that is still preparing', async () => {
    const padding = { length: 8, pad_token: '[PAD]' } as const;
    const older = embedder.tokenize('river', { supersede: 'mixed', padding });
    const newer = embedder.embed('river', { supersede: 'mixed' });
    await assert.rejects(older, code('superseded'));
    assert.equal((await newer).length, embedder.info.model.dimensions);
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
      fc.asyncProperty(
        fc.array(
          fc.constantFrom('boat', 'River', ' ', ',', '\n', 'é', '橋', '\ud83d\ude00', '\u0301'),
        ),
        async (parts) => {
          const text = parts.join('');
          const {
            length,
            offsets,
            tokens,
            special_tokens_mask: special,
          } = await embedder.tokenize(text);
          assert.equal(await embedder.countTokens(text), length);
          for (let i = 0; i < length; i++) {
            const [start, end] = offsets[i] ?? [-1, -1];
            assert.ok(start >= 0 && start <= end && end <= text.length);
            const span = text.slice(start, end).toLowerCase();
            if (special[i] === 0 && /^[a-z]+$/.test(span))
              assert.equal(tokens[i]?.replace('##', ''), span);
          }
        },
      ),
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
    const items = [
      'The old river boat was slow.',
      { text: 'Sail on!', pair: 'A new stone bridge' },
    ];
    const list = await classifier.classify(items, { top_k: 1 });
    assert.deepEqual(
      list.map((labels) => labels.length),
      [1, 1],
    );
    assert.deepEqual(list[0]?.[0], one[0]);
    assert.deepEqual(await classifier.classify([]), []);
    await assert.rejects(
      classifier.classify('x', { head: 'nobody' }),
      code('invalid_argument', /nobody/),
    );
    await assert.rejects(classifier.classify('x', { top_k: 0 }), code('invalid_argument'));
    await classifier.destroy();
    await classifier.destroy();
    await assert.rejects(classifier.classify('x'), code('destroyed'));
    await assert.rejects(classifier.memory(), code('destroyed'));
    await assert.rejects(classifier.requests(), code('destroyed'));
  });

  test('a model without a head is refused by name', async () => {
    await assert.rejects(
      Classifier.create({ model: enc }),
      code('unsupported', /\(\w+\) has no head that classifies texts/),
    );
    await assert.rejects(
      Classifier.create({ model: 'tests/cases/hand/fixtures/ner' }),
      code('unsupported', /\(BertForTokenClassification\) has no head that classifies texts/),
    );
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
