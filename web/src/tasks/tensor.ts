/** The small part of a tensor library that results of `pipeline()` need. */

import type { Tensor } from './pipeline_types.js';

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
