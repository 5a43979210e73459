/** The small part of a tensor library that results of `pipeline()` need. */

import { PocketBertError } from '../errors.js';
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

/**
 * Signs of the components, the first in the highest bit: 1 if above zero. `ubinary` is that byte,
 * `binary` the byte less 128, as sentence-transformers and transformers.js pack them.
 */
export function packSigns(
  data: Float32Array,
  dims: readonly [number, number],
  form: 'binary' | 'ubinary',
): MatrixTensor {
  const [rows, columns] = dims;
  if (columns % 8 !== 0) {
    throw new PocketBertError(
      'invalid_argument',
      `vectors of ${columns} components can not be packed: no multiple of 8`,
    );
  }
  const bytes =
    form === 'binary' ? new Int8Array(data.length / 8) : new Uint8Array(data.length / 8);
  for (let at = 0; at < bytes.length; at++) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) byte = byte * 2 + ((data[at * 8 + bit] ?? 0) > 0 ? 1 : 0);
    bytes[at] = form === 'binary' ? byte - 128 : byte;
  }
  return new MatrixTensor(bytes, [rows, columns / 8]);
}
