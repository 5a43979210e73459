/** Vectors of a list of texts. */

import { PocketBertError } from '../errors.js';
import type { Embeddings, Ranges, TextWindow, Vector, VectorPrecision } from '../types.js';

/** Some vectors and their form. */
export type Vectors = Pick<
  Embeddings<VectorPrecision>,
  'data' | 'dims' | 'precision' | 'ranges'
>;

/** What is to be known of their texts besides. */
export type Facts = Pick<Embeddings, 'tokens' | 'truncated' | 'windows'>;

/** Vector `row` of them: a view. */
export function vectorAt(vectors: Vectors, row: number): Vector<VectorPrecision> {
  const { data, dims, precision, ranges } = vectors;
  const [, components] = dims;
  return formed(data.subarray(row * components, (row + 1) * components), precision, ranges);
}

/** The vector in memory of its own. */
export function copyOf(vector: Vector<VectorPrecision>): Vector<VectorPrecision> {
  return formed(vector.slice(), vector.precision, vector.ranges);
}

function formed(
  vector: Vector<VectorPrecision>,
  precision: VectorPrecision | undefined,
  ranges: Ranges | undefined,
): Vector<VectorPrecision> {
  if (precision === undefined || precision === 'float32') return vector;
  return Object.assign(vector, { precision, ...(ranges && { ranges }) });
}

export class EmbeddingList implements Embeddings<VectorPrecision> {
  readonly data: Float32Array | Int8Array | Uint8Array;
  readonly dims: readonly [count: number, dimensions: number];
  readonly tokens: Int32Array;
  readonly truncated: readonly boolean[];
  readonly precision: VectorPrecision;
  readonly ranges?: Ranges;
  readonly windows?: readonly TextWindow[];

  /** @param vectors `data` [count, components] */
  constructor(vectors: Vectors, { tokens, truncated, windows }: Facts) {
    const { data, dims, precision = 'float32', ranges } = vectors;
    this.data = data;
    this.dims = dims;
    this.tokens = tokens;
    this.truncated = truncated;
    this.precision = precision;
    if (ranges) this.ranges = ranges;
    if (windows) this.windows = windows;
  }

  get length(): number {
    return this.dims[0];
  }

  at(index: number): Vector<VectorPrecision> {
    const [count] = this.dims;
    const row = index < 0 ? index + count : index;
    if (!Number.isInteger(row) || row < 0 || row >= count) {
      throw new PocketBertError(
        'invalid_argument',
        `there is no vector ${index}; there are ${count}`,
      );
    }
    return vectorAt(this, row);
  }

  *[Symbol.iterator](): Iterator<Vector<VectorPrecision>> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  tolist(): number[][] {
    return Array.from(this, (vector) => Array.from(vector));
  }
}
