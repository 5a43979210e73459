/** Vectors of windows and of tokens, and MaxSim. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Embedder, type EmbedOptions, type TokensOptions, type TokenVectors } from 'pocketbert';
import { code, enc } from './support/public_api.js';

/** What types would refuse. */
const any = <Value>(value: unknown): Value => value as Value;

let embedder: Embedder;
before(async () => {
  embedder = await Embedder.create({ model: enc });
});
after(() => embedder.destroy());

/** Each word is one token, so that a window is what its stretch of the text gives alone. */
const words = 'the old river boat was slow and the new stone mill'.split(' ');
const long = words.join(' ');

describe('windows', () => {
  test('each has the vector of its stretch of the text', async () => {
    const texts = ['boat', long, '', `${long} ${long}`];
    const options = { truncate: 'window', maxLength: 6, stride: 1, windows: 'each' } as const;
    const found = await embedder.embed(texts, options);
    assert.deepEqual(found.windows?.map(({ text }) => text).slice(0, 7), [0, 1, 1, 1, 1, 2, 3]);
    assert.equal(found.length, found.windows?.length);
    assert.deepEqual(found.dims, [found.length, 24]);
    for (const [i, { text, start, end, tokens }] of (found.windows ?? []).entries()) {
      const stretch = texts[text]?.slice(start, end) ?? '';
      const alone = await embedder.embed(stretch);
      assert.deepEqual([...found.at(i)], [...alone], stretch);
      assert.deepEqual([tokens, found.tokens[i]], [alone.tokens, alone.tokens]);
    }
    assert.ok(found.truncated.every((flag) => !flag));
    const one = await embedder.embed(long, options);
    assert.deepEqual([...one.data], [...found.data.slice(24, 5 * 24)]);
    assert.deepEqual(one.windows?.map(({ text }) => text), [0, 0, 0, 0]);
  });

  test('pooled: their mean by tokens, of length 1, the same in a list, alone and in a stream', async () => {
    const texts = ['boat', long, ''];
    const options = { truncate: 'window', maxLength: 6 } as const;
    const each = await embedder.embed(long, { ...options, windows: 'each' });
    const sums = Array.from({ length: 24 }, (_, i) =>
      [4, 4, 3].reduce((sum, weight, w) => sum + weight * (each.at(w)[i] ?? NaN), 0),
    );
    const norm = Math.hypot(...sums);
    const found = await embedder.embed(texts, options);
    found.at(1).forEach((value, i) => assert.ok(Math.abs(value - (sums[i] ?? NaN) / norm) < 1e-6));
    assert.deepEqual([...found.at(0)], [...(await embedder.embed('boat'))]);
    assert.deepEqual([...found.tokens], [3, 17, 2]);
    assert.deepEqual(found.windows?.map(({ text }) => text), [0, 1, 1, 1, 2]);
    const alone = await embedder.embed(long, options);
    assert.deepEqual([...alone], [...found.at(1)]);
    assert.deepEqual([alone.tokens, alone.truncated, alone.windows?.length], [17, false, 3]);
    const streamed = [];
    for await (const one of embedder.embedStream(texts, options)) streamed.push([...one]);
    assert.deepEqual(streamed, found.tolist());
    const bits = await embedder.embed(texts, { ...options, precision: 'ubinary' });
    assert.equal(Embedder.similarity(bits.at(1), alone) > 0, true);
    assert.equal(bits.windows?.length, 5);
  });

  test('offsets are UTF-16, prompts are in none', async () => {
    const text = '🚣 🚣 the old river 🚣 boat';
    const options = { truncate: 'window', maxLength: 6, windows: 'each', prompt: 'one day ' } as const;
    const { windows = [] } = await embedder.embed(text, options);
    assert.equal(windows.map(({ start, end }) => text.slice(start, end)).join(' '), text);
    assert.ok(windows.length > 2);
  });

  test('a text of any length, and none', async () => {
    const text = 'boat '.repeat(5000);
    const vector = await embedder.embed(text, { truncate: 'window' });
    assert.equal(vector.windows?.at(-1)?.end, text.length - 1);
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
    const none = await embedder.embed([], { truncate: 'window' });
    assert.deepEqual([none.length, none.dims, none.windows], [0, [0, 24], []]);
  });

  test('what can not be is refused by name', async () => {
    const wrong: readonly [options: object, message: RegExp][] = [
      [{ stride: 1 }, /truncate is undefined, expected window/],
      [{ windows: 'each', truncate: 'end' }, /truncate is "end", expected window/],
      [{ truncate: 'window', windows: 'both' }, /windows is "both", expected pooled or each/],
      [{ truncate: 'window', stride: -1 }, /stride is -1/],
      [{ truncate: 'window', stride: 4, maxLength: 6 }, /text 0: the stride is 4, expected below 4/],
    ];
    for (const [options, message] of wrong)
      await assert.rejects(embedder.embed(long, any<EmbedOptions>(options)), code('invalid_argument', message));
    await assert.rejects(embedder.embed(['boat', long], { truncate: 'window', maxLength: 2 }), code('too_long', /text 0/));
    assert.throws(
      () => embedder.embedStream([], any<EmbedOptions>({ truncate: 'window', windows: 'each' })),
      code('invalid_argument', /there is no windows/),
    );
  });

  test('calls end as others do', async () => {
    const older = embedder.embed(long, { truncate: 'window', supersede: true });
    const newer = embedder.embed('boat', { supersede: true });
    await assert.rejects(older, code('superseded'));
    assert.equal((await newer).length, 24);
    const told: number[] = [];
    const texts = Array.from({ length: 40 }, () => long);
    await embedder.embed(texts, { truncate: 'window', onProgress: ({ done }) => told.push(done) });
    assert.equal(told.at(-1), 40);
  });
});

describe('tokens', () => {
  test('their mean is the vector of the text; offsets are those of tokenize', async () => {
    const texts = ['The old 🚣 boats', 'sail', ''];
    const all = await embedder.tokens(texts, { normalize: false });
    const vectors = await embedder.embed(texts, { normalize: false });
    for (const [i, text] of texts.entries()) {
      const own = all[i];
      assert.ok(own);
      const [count, width] = own.dims;
      assert.deepEqual([width, own.data.length, own.tokens], [24, count * 24, count]);
      vectors.at(i).forEach((value, at) => {
        let sum = 0;
        for (let token = 0; token < count; token++) sum += own.data[token * width + at] ?? NaN;
        assert.ok(Math.abs(value - sum / count) < 1e-6);
      });
      assert.deepEqual(own.offsets, (await embedder.tokenize(text)).offsets);
      const alone = await embedder.tokens(text, { normalize: false });
      assert.deepEqual(alone, own);
    }
  });

  test('of length 1 unless told otherwise; shortened before; cut as texts are', async () => {
    const [found] = await embedder.tokens([long], { dimensions: 8, maxLength: 5, prompt: 'one ' });
    assert.ok(found);
    assert.deepEqual([found.dims, found.truncated], [[5, 8], true]);
    for (let token = 0; token < 5; token++)
      assert.ok(Math.abs(Math.hypot(...found.data.subarray(token * 8, token * 8 + 8)) - 1) < 1e-6);
    assert.deepEqual(found.offsets, [[0, 0], [0, 0], [0, 3], [4, 7], [0, 0]]);
  });

  test('errors', async () => {
    await assert.rejects(embedder.tokens(any(5)), code('invalid_argument', /text 0 is 5/));
    await assert.rejects(embedder.tokens('boat', { dimensions: 25 }), code('invalid_argument', /expected 1 to 24/));
    await assert.rejects(embedder.tokens('boat', any<TokensOptions>({ pooling: 'mean' })), code('invalid_argument', /there is no pooling/));
    await assert.rejects(embedder.tokens('boat', { kind: 'question' }), code('invalid_argument', /kind is "question", expected query or document/));
    await assert.rejects(embedder.tokens([long, long], { truncate: 'error', maxLength: 6 }), code('too_long', /text 0/));
    await assert.rejects(embedder.tokens(long, { signal: AbortSignal.abort() }), code('aborted'));
    assert.deepEqual(await embedder.tokens([]), []);
  });
});

describe('MaxSim', () => {
  const matrix = (rows: number[][]): TokenVectors => ({
    data: Float32Array.from(rows.flat()),
    dims: [rows.length, rows[0]?.length ?? 0],
  });

  test('as numpy has it', () => {
    /** Made by tests/reference/vectors/make_golden.py. */
    const golden: readonly { query: number[][]; documents: number[][][]; scores: number[] }[] =
      JSON.parse(readFileSync('tests/golden/vectors/maxsim.json', 'utf8'));
    for (const { query, documents, scores } of golden) {
      const found = Embedder.maxSim(matrix(query), documents.map(matrix));
      const order = scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score);
      assert.deepEqual(found.map(({ index }) => index), order.map(({ index }) => index));
      for (const { index, score } of found)
        assert.ok(Math.abs(score - (scores[index] ?? NaN)) < 1e-9 * Math.abs(score));
      assert.deepEqual(Embedder.maxSim(matrix(query), documents.map(matrix), 1), found.slice(0, 1));
    }
  });

  test('a text is most like itself', async () => {
    const texts = ['the old river boat', 'a new stone mill', 'one day'];
    const documents = await embedder.tokens(texts);
    const [best] = Embedder.maxSim(await embedder.tokens('a new stone mill'), documents);
    assert.equal(best?.index, 1);
    assert.ok(Math.abs((best?.score ?? 0) - (documents[1]?.tokens ?? 0)) < 1e-5);
  });

  test('errors', () => {
    const one = matrix([[1, 2]]);
    const wrong: readonly [call: () => unknown, message: RegExp][] = [
      [() => Embedder.maxSim(any(null), []), /the query is null, expected \{data, dims\}/],
      [() => Embedder.maxSim(one, [any([1, 2])]), /document 0 is of type Array/],
      [() => Embedder.maxSim(one, [one, matrix([[1, 2, 3]])]), /the dimensions of document 1 is 3, expected 2/],
      [() => Embedder.maxSim(one, [matrix([[NaN, 1], [1, 1]])]), /document 0 is NaN/],
      [() => Embedder.maxSim(one, [{ data: new Float32Array(3), dims: [1, 2] }]), /document 0/],
      [() => Embedder.maxSim(one, [{ data: new Float32Array(0), dims: [0, 2] }]), /at least one token/],
      [() => Embedder.maxSim(one, any(5)), /the documents is 5/],
      [() => Embedder.maxSim(one, [one], -1), /k is -1/],
    ];
    for (const [call, message] of wrong) assert.throws(call, code('invalid_argument', message));
  });
});
