/** Vectors of a list of texts, and how vectors compare. */

import { PocketBertError, refuse } from '../errors.js';
import type { Embeddings, SearchResult } from '../types.js';
import { checkValue, listOf, whole } from './options.js';

export class EmbeddingList implements Embeddings {
  readonly data: Float32Array;
  readonly dims: readonly [count: number, dimensions: number];
  readonly tokens: Int32Array;
  readonly truncated: readonly boolean[];

  /** @param data [count, dimensions] */
  constructor(
    data: Float32Array,
    dims: readonly [number, number],
    tokens: Int32Array,
    truncated: readonly boolean[],
  ) {
    this.data = data;
    this.dims = dims;
    this.tokens = tokens;
    this.truncated = truncated;
  }

  get length(): number {
    return this.dims[0];
  }

  at(index: number): Float32Array {
    const [count, dimensions] = this.dims;
    const row = index < 0 ? index + count : index;
    if (!Number.isInteger(row) || row < 0 || row >= count) {
      throw new PocketBertError(
        'invalid_argument',
        `there is no vector ${index}; there are ${count}`,
      );
    }
    return this.data.subarray(row * dimensions, (row + 1) * dimensions);
  }

  *[Symbol.iterator](): Iterator<Float32Array> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  tolist(): number[][] {
    return Array.from(this, (vector) => Array.from(vector));
  }
}

/** Cosine of the angle between two vectors, −1 to 1; 0 if one of them is zero. */
export function similarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return cosine(a, b, 'a', 'b');
}

function cosine(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  nameA: string,
  nameB: string,
): number {
  if (sizeOf(nameA, a) !== sizeOf(nameB, b)) {
    throw new PocketBertError(
      'invalid_argument',
      `vectors of ${a.length} and ${b.length} components can not be compared`,
    );
  }
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? NaN;
    const y = b[i] ?? NaN;
    product += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  if (!Number.isFinite(squaresA)) checkComponents(nameA, a);
  if (!Number.isFinite(squaresB)) checkComponents(nameB, b);
  const norms = Math.sqrt(squaresA) * Math.sqrt(squaresB);
  return norms > 0 ? Math.max(-1, Math.min(1, product / norms)) : 0;
}

function sizeOf(name: string, vector: ArrayLike<number>): number {
  const isVector = typeof vector === 'object' && typeof vector?.length === 'number';
  return isVector ? vector.length : refuse(name, vector, 'a vector');
}

function checkComponents(name: string, vector: ArrayLike<number>): void {
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i])) refuse(`${name}[${i}]`, vector[i], 'a finite number');
  }
}

/** The `k` vectors of the corpus most similar to the query, best first; equal ones in their order. */
export function search(
  query: ArrayLike<number>,
  corpus: Iterable<ArrayLike<number>>,
  k: number,
): SearchResult[] {
  checkValue('k', k, whole(0));
  const results = listOf('the corpus', corpus).map((vector, index) => ({
    index,
    score: cosine(query, vector, 'the query', `vector ${index}`),
  }));
  return results.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, k);
}
