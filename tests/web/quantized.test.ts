/** Vectors in fewer bits: what sentence-transformers makes of the same, and how they compare. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Embedder, type EmbedOptions, type VectorPrecision } from 'pocketbert';
import { quantize } from '../../web/src/tasks/quantizing.js';
import { code, enc } from './support/public_api.js';

/** What types would refuse. */
const any = <Value>(value: unknown): Value => value as Value;

interface Case {
  readonly vectors: number[][];
  readonly ranges?: [number[], number[]];
  readonly expect: {
    readonly [precision: string]: {
      readonly dtype: string;
      readonly data: number[][];
      readonly cosine: number;
      readonly cosine_to_float: number;
    };
  };
}

/** Made by tests/reference/vectors/make_golden.py. */
const golden: readonly Case[] = JSON.parse(
  readFileSync('tests/golden/vectors/quantized.json', 'utf8'),
);
const precisions = ['int8', 'uint8', 'binary', 'ubinary'] as const;

describe('as sentence-transformers has them', () => {
  for (const { vectors, ranges, expect } of golden) {
    const dimensions = vectors[0]?.length ?? 0;
    const name = `${vectors.length} of ${dimensions}${ranges ? ' by ranges' : ''}`;
    const data = Float32Array.from(vectors.flat());
    for (const precision of precisions) {
      test(`${name}: ${precision}`, () => {
        const found = quantize(data, [vectors.length, dimensions], { precision, ranges });
        const expected = expect[precision];
        assert.ok(expected);
        const type = found.data instanceof Int8Array ? 'int8' : 'uint8';
        assert.equal(type, expected.dtype);
        assert.deepEqual([...found.data], expected.data.flat());
        const width = found.data.length / vectors.length;
        assert.deepEqual(found.dims, [vectors.length, width]);
        const form = { precision, ranges: found.ranges };
        const [first, second] = [0, 1].map((at) => found.data.slice(at * width, (at + 1) * width));
        assert.ok(first && second);
        const close = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-12, `${a} ${b}`);
        close(Embedder.similarity(first, second, form), expected.cosine);
        close(Embedder.similarity(second, first, form), expected.cosine);
        const float = data.slice(dimensions, 2 * dimensions);
        close(Embedder.similarity(first, float, form), expected.cosine_to_float);
        const [best] = Embedder.search(float, [second, first], 2, form);
        assert.equal(best?.index, 0);
      });
    }
  }
});

describe('embed', () => {
  let embedder: Embedder;
  before(async () => {
    embedder = await Embedder.create({ model: enc });
  });
  after(() => embedder.destroy());
  const texts = ['boat', 'the old boat', 'a harbour at night', ''];

  test('gives what quantizing its vectors gives, with all that a list has', async () => {
    const plain = await embedder.embed(texts, { dimensions: 16 });
    for (const precision of precisions) {
      const expected = quantize(plain.data, plain.dims, { precision });
      const found = await embedder.embed(texts, { dimensions: 16, precision });
      assert.deepEqual(found.data, expected.data);
      assert.deepEqual([found.dims, found.ranges], [expected.dims, expected.ranges]);
      assert.deepEqual([found.tokens, found.truncated], [plain.tokens, plain.truncated]);
      assert.equal(found.precision, precision);
      assert.equal(found.tolist().length, 4);
      // As they tell their form, nothing has to be said.
      assert.ok(Math.abs(Embedder.similarity(found.at(1), found.at(1)) - 1) < 1e-12);
      const [best] = Embedder.search(found.at(2), found, 1);
      assert.equal(best?.index, 2);
      const { ranges } = found;
      const alone = await embedder.embed(texts[1] ?? '', { dimensions: 16, precision, ranges });
      assert.deepEqual([...alone], [...found.at(1)]);
      assert.equal(alone.tokens, found.tokens[1]);
      const streamed = [];
      for await (const one of embedder.embedStream(texts, { dimensions: 16, precision, ranges })) streamed.push(one);
      assert.deepEqual(streamed.map((one) => [...one]), found.tolist());
      assert.equal(Embedder.similarity(streamed[1] ?? [], found.at(1)) > 0.999, true);
    }
    const empty = await embedder.embed([], { precision: 'int8' });
    assert.deepEqual([empty.data.length, empty.dims[0], empty.ranges], [0, 0, undefined]);
  });

  test('types follow the precision', async () => {
    const bits: Int8Array = (await embedder.embed(texts, { precision: 'binary' })).data;
    const bytes: Uint8Array = await embedder.embed('boat', { precision: 'ubinary' });
    const floats: Float32Array = (await embedder.embed(texts, { kind: 'query' })).data;
    assert.deepEqual([bits.length, bytes.length, floats.length], [12, 3, 96]);
  });

  test('what can not be is refused by name', async () => {
    const wrong: readonly [options: object, message: RegExp, list?: readonly string[]][] = [
      [{ precision: 'int4' }, /precision is "int4", expected float32 or int8/],
      [{ precision: 'binary', dimensions: 9 }, /9 components/],
      [{ precision: 'int8' }, /int8 needs ranges for a single vector/, ['boat']],
      [{ precision: 'int8', ranges: [1] }, /ranges is .*expected \[least, greatest\]/],
      [{ precision: 'int8', ranges: [[0], [1]] }, /ranges are of 1 and 1 dimensions, expected 24/],
      [{ precision: 'uint8', ranges: [Array(24).fill(1), Array(24).fill(0)] }, /ranges\[1\]\[0\] is 0, expected a number not below/],
      [{ precision: 'uint8', ranges: [Array(24).fill(NaN), Array(24).fill(0)] }, /ranges\[1\]\[0\]/],
    ];
    for (const [options, message, list = texts] of wrong)
      await assert.rejects(embedder.embed(list, any<EmbedOptions>(options)), code('invalid_argument', message));
    await assert.rejects(embedder.embed('boat', { precision: 'uint8' }), code('invalid_argument', /single vector/));
    assert.throws(() => embedder.embedStream([], { precision: 'int8' }), code('invalid_argument', /needs ranges for a stream/));
    await embedder.embed(['boat'], { precision: 'binary' });
    const windows = { truncate: 'window', windows: 'each' } as const;
    await assert.rejects(
      embedder.embed('boat', { ...windows, precision: 'int8' }),
      code('invalid_argument', /single vector/),
    );
    const each = await embedder.embed('boat '.repeat(99), { ...windows, precision: 'int8' });
    assert.equal(each.ranges?.[0].length, 24);
  });

  test('calls end as others do', async () => {
    const older = embedder.embed(texts, { precision: 'binary', supersede: true });
    const newer = embedder.embed(texts, { supersede: true });
    await assert.rejects(older, code('superseded'));
    assert.equal((await newer).length, 4);
    const control = new AbortController();
    const call = embedder.embed(texts, { precision: 'binary', signal: control.signal });
    control.abort();
    await assert.rejects(call, code('aborted'));
  });
});

test('bytes whose form nobody tells are refused', () => {
  const bytes = Uint8Array.of(1, 2);
  const wrong: readonly [call: () => unknown, message: RegExp][] = [
    [() => Embedder.similarity(bytes, bytes), /the precision of a is undefined, expected uint8 or ubinary/],
    [() => Embedder.similarity([1, 2], Int8Array.of(1, 2)), /the precision of b is undefined, expected int8 or binary/],
    [() => Embedder.similarity(bytes, bytes, { precision: 'binary' }), /the precision of a is "binary", expected uint8/],
    [() => Embedder.similarity(bytes, bytes, { precision: 'uint8' }), /the ranges of a is undefined/],
    [() => Embedder.similarity(bytes, bytes, { precision: 'uint8', ranges: [[1], [2]] }), /of 1 and 1 dimensions, expected 2/],
    [() => Embedder.similarity([1], [1], any({ form: 1 })), /there is no form/],
    [() => Embedder.search([1, 2], [bytes], 1, { precision: 'ubinary' }), /2 and 16 components/],
    [() => Embedder.search(bytes, [Uint8Array.of(1)], 1, { precision: 'ubinary' }), /16 and 8 components/],
  ];
  for (const [call, message] of wrong) assert.throws(call, code('invalid_argument', message));
});

/** 10110010 and 10010011 differ in two bits of eight. */
test('bits are compared by how many differ', () => {
  const form = (precision: VectorPrecision) => ({ precision });
  assert.equal(Embedder.similarity(Uint8Array.of(178), Uint8Array.of(147), form('ubinary')), 0.5);
  assert.equal(Embedder.similarity(Int8Array.of(50), Int8Array.of(19), form('binary')), 0.5);
  const signed = Object.assign(Int8Array.of(50), { precision: 'binary' } as const);
  assert.equal(Embedder.similarity(signed, Uint8Array.of(147), form('ubinary')), 0.5);
});
