/** Comparing vectors, and the two forms in which lists of them are handed out. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { EmbeddingList } from '../../web/src/tasks/embeddings.js';
import { quantize } from '../../web/src/tasks/quantizing.js';
import { search, similarity } from '../../web/src/tasks/similarity.js';
import { MatrixTensor } from '../../web/src/tasks/tensor.js';
import { failure } from './support/errors.js';

const component = fc.float({ min: -4, max: 4, noNaN: true });
const vectors = (count: fc.ArrayConstraints) =>
  fc
    .integer({ min: 1, max: 8 })
    .chain((size) => fc.array(fc.array(component, { minLength: size, maxLength: size }), count));

/** Of 3-4-5 and 5-12-13 triangles: cosines that are fractions. */
test('similarity of known angles', () => {
  assert.equal(similarity([3, 4], [3, 4]), 1);
  assert.equal(similarity([3, 4], [-3, -4]), -1);
  assert.equal(similarity([3, 4], [-4, 3]), 0);
  assert.ok(Math.abs(similarity([3, 4], [5, 12]) - 63 / 65) < 1e-15);
  assert.equal(similarity([0, 0], [1, 2]), 0);
  assert.throws(() => similarity([1], [1, 2]), failure('invalid_argument', /1 and 2/));
});

/** What types would refuse. */
const any = <Value>(value: unknown): Value => value as Value;

describe('what is no vector is refused by name', () => {
  const list = new EmbeddingList({ data: Float32Array.of(1, 2), dims: [1, 2] }, { tokens: Int32Array.of(3), truncated: [false] });
  const wrong: readonly [name: string, call: () => unknown, message: RegExp][] = [
    ['promises', () => similarity(any(Promise.resolve([1])), any(Promise.resolve([1]))), /a is a Promise \(await it\)/],
    ['a promise second', () => similarity([1], any(Promise.resolve([1]))), /b is a Promise/],
    ['lists of vectors', () => similarity(any(list), any(list)), /a\[0\] is undefined/],
    ['objects', () => similarity(any({}), any({})), /a is of type Object/],
    ['null', () => similarity(any(null), [1]), /a is null/],
    ['nothing', () => similarity([1], any(undefined)), /b is undefined/],
    ['texts', () => similarity(any('ab'), any('ab')), /a is "ab"/],
    ['a function', () => similarity(any(() => 1), any(() => 1)), /a is of type Function/],
    ['NaN', () => similarity([NaN, 1], [1, 1]), /a\[0\] is NaN/],
    ['an infinity', () => similarity([1, 1], [1, Infinity]), /b\[1\] is Infinity/],
    ['a hole', () => similarity([1, , 1] as number[], [1, 1, 1]), /a\[1\] is undefined/],
    ['a query that is a promise', () => search(any(Promise.resolve([1])), [[1]], 1), /the query is a Promise/],
    ['a corpus that is null', () => search([1], any(null), 1), /the corpus is null/],
    ['a corpus that is a promise', () => search([1], any(Promise.resolve([])), 1), /the corpus is a Promise/],
    ['a vector of the corpus', () => search([1], [[1], any(null)], 1), /vector 1 is null/],
    ['a component of the corpus', () => search([1], [[1], [NaN]], 1), /vector 1\[0\] is NaN/],
    ['k below 0', () => search([1], [[1]], -1), /k is -1/],
    ['k NaN', () => search([1], [[1]], NaN), /k is NaN/],
    ['k null', () => search([1], [[1]], any(null)), /k is null/],
    ['k a text', () => search([1], [[1]], any('1')), /k is "1"/],
  ];
  for (const [name, call, message] of wrong)
    test(name, () => void assert.throws(call, failure('invalid_argument', message)));
});

test('similarity is symmetric, within bounds, and does not know lengths', () => {
  fc.assert(
    fc.property(vectors({ minLength: 2, maxLength: 2 }), ([a = [], b = []]) => {
      const found = similarity(a, b);
      assert.ok(found >= -1 && found <= 1);
      assert.equal(found, similarity(b, a));
      assert.ok(
        Math.abs(
          found -
            similarity(
              a.map((x) => x * 8),
              b,
            ),
        ) < 1e-12,
      );
    }),
  );
});

test('search gives the best, best first, and never leaves out a better one', () => {
  fc.assert(
    fc.property(
      vectors({ minLength: 1, maxLength: 12 }),
      fc.nat(14),
      ([query = [], ...corpus], k) => {
        const found = search(query, corpus, k);
        assert.equal(found.length, Math.min(k, corpus.length));
        assert.equal(new Set(found.map(({ index }) => index)).size, found.length);
        const scores = corpus.map((vector) => similarity(query, vector));
        found.forEach(({ index, score }, rank) => {
          assert.equal(score, scores[index]);
          assert.ok(rank === 0 || (found[rank - 1]?.score ?? 0) >= score);
        });
        const worst = found.at(-1)?.score ?? 2;
        const left = scores.filter((_, index) => !found.some((one) => one.index === index));
        if (k > 0) assert.ok(left.every((score) => score <= worst));
      },
    ),
  );
});

describe('lists of vectors', () => {
  const list = new EmbeddingList(
    { data: Float32Array.of(1, 2, 3, 4, 5, 6), dims: [3, 2] },
    { tokens: Int32Array.of(7, 8, 9), truncated: [false, true, false] },
  );

  test('rows are views', () => {
    assert.deepEqual(
      [...list].map((row) => [...row]),
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    );
    assert.deepEqual(list.tolist(), [
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    assert.equal(list.at(1).buffer, list.data.buffer);
    assert.deepEqual([...list.at(-1)], [5, 6]);
    assert.equal(list.length, 3);
    for (const index of [3, -4, 0.5, NaN])
      assert.throws(() => list.at(index), failure('invalid_argument'));
  });

  test('a tensor has the fields of transformers.js', () => {
    const tensor = new MatrixTensor(list.data, list.dims);
    assert.deepEqual([tensor.type, tensor.size, ...tensor.dims], ['float32', 6, 3, 2]);
    assert.deepEqual(tensor.tolist(), list.tolist());
  });

  /** numpy: `np.packbits([...] > 0)` is [178, 1]; sentence-transformers subtracts 128 for `binary`. */
  test('signs are packed as sentence-transformers packs them', () => {
    const data = Float32Array.of(1, -1, 2, 0.5, -3, 0, 0.25, -1, -1, -1, -1, -1, -1, -1, -1, 1);
    const tensorOf = (dims: [number, number], precision: 'binary' | 'ubinary'): MatrixTensor => {
      const packed = quantize(data, dims, { precision });
      return new MatrixTensor(packed.data, packed.dims);
    };
    const unsigned = tensorOf([1, 16], 'ubinary');
    assert.deepEqual([unsigned.type, ...unsigned.dims, ...unsigned.data], ['uint8', 1, 2, 178, 1]);
    const signed = tensorOf([2, 8], 'binary');
    assert.deepEqual([signed.type, ...signed.dims, ...signed.data], ['int8', 2, 1, 50, -127]);
    assert.throws(
      () => tensorOf([4, 4], 'binary'),
      failure('invalid_argument', /4 components/),
    );
  });
});
