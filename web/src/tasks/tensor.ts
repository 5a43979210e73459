/** The small part of a tensor library that results of `pipeline()` need. */

import type { TokenVectors } from '../types.js';
import type { Tensor, TokensTensor } from './pipeline_types.js';

/** A matrix of rows. */
export class MatrixTensor implements Tensor {
  readonly type: Tensor['type'];
  readonly data: Tensor['data'];
  readonly dims: readonly [rows: number, columns: number];

  /** @param data [rows, columns] */
  constructor(data: Tensor['data'], dims: readonly [number, number]) {
    this.type =
      data instanceof Float32Array ? 'float32' : data instanceof Int8Array ? 'int8' : 'uint8';
    this.data = data;
    this.dims = dims;
  }

  get size(): number {
    return this.data.length;
  }

  tolist(): number[][] {
    const [rows, columns] = this.dims;
    const list = Array.from(this.data);
    return Array.from({ length: rows }, (_, row) => list.slice(row * columns, (row + 1) * columns));
  }
}

/** Matrices one behind the other, those with fewer rows filled up with zeros. */
export class StackedTensor implements TokensTensor {
  readonly type = 'float32';
  readonly data: Float32Array;
  readonly dims: readonly [texts: number, rows: number, columns: number];

  /** @param columns of each matrix, also if there is none */
  constructor(matrices: readonly TokenVectors[], columns: number) {
    const rows = Math.max(0, ...matrices.map(({ dims }) => dims[0]));
    this.dims = [matrices.length, rows, columns];
    this.data = new Float32Array(matrices.length * rows * columns);
    matrices.forEach(({ data }, i) => this.data.set(data, i * rows * columns));
  }

  get size(): number {
    return this.data.length;
  }

  tolist(): number[][][] {
    const [texts, rows, columns] = this.dims;
    const size = rows * columns;
    return Array.from({ length: texts }, (_, i) =>
      new MatrixTensor(this.data.subarray(i * size, (i + 1) * size), [rows, columns]).tolist(),
    );
  }
}
