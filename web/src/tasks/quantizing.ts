/**
 * Vectors to fewer bits, as sentence-transformers' `quantize_embeddings` makes them (single precision, as
 * of numpy's float32). A file of its own, loaded with the first call that wants it: few pages do.
 */

import { PocketBertError } from '../errors.js';
import type { Ranges, VectorForm, VectorPrecision } from '../types.js';
import { levelsOf } from './similarity.js';

interface Quantized {
  readonly data: Int8Array | Uint8Array;
  readonly dims: readonly [count: number, components: number];
  readonly precision: VectorPrecision;
  readonly ranges?: Ranges;
}

/**
 * @param data [count, dimensions]
 * @param precision other than `float32`
 */
export function quantize(
  data: Float32Array,
  dims: readonly [count: number, dimensions: number],
  { precision = 'float32', ranges }: VectorForm,
): Quantized {
  const [count, dimensions] = dims;
  const signed = precision === 'int8' || precision === 'binary';
  if (precision === 'binary' || precision === 'ubinary') {
    const packed = packSigns(data, dimensions, signed ? 128 : 0);
    return { data: typed(packed, signed), dims: [count, dimensions / 8], precision };
  }
  // No vectors, no ranges.
  if (count === 0) return { data: typed([], signed), dims, precision, ...(ranges && { ranges }) };
  const used = ranges ?? rangesOf(data, dimensions);
  const { starts, steps } = levelsOf(used, dimensions);
  const levels = Array.from(data, (value, i) => {
    const at = i % dimensions;
    const from = Math.fround(value - (starts[at] ?? 0));
    const level = Math.floor(Math.fround(from / (steps[at] ?? 1)));
    return Math.max(0, Math.min(255, level)) - (signed ? 128 : 0);
  });
  return { data: typed(levels, signed), dims, precision, ranges: used };
}

const typed = (values: number[], signed: boolean): Int8Array | Uint8Array =>
  signed ? Int8Array.from(values) : Uint8Array.from(values);

/** Bytes of eight signs each, the first in the highest bit: 1 if above zero. */
function packSigns(data: Float32Array, dimensions: number, zero: number): number[] {
  if (dimensions % 8 !== 0) {
    throw new PocketBertError(
      'invalid_argument',
      `vectors of ${dimensions} components can not be packed: no multiple of 8`,
    );
  }
  return Array.from({ length: data.length / 8 }, (_, at) => {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) byte = byte * 2 + ((data[at * 8 + bit] ?? 0) > 0 ? 1 : 0);
    return byte - zero;
  });
}

/** The least and the greatest value of each dimension. */
function rangesOf(data: Float32Array, dimensions: number): Ranges {
  const least = data.slice(0, dimensions);
  const greatest = data.slice(0, dimensions);
  data.forEach((value, i) => {
    const at = i % dimensions;
    least[at] = Math.min(least[at] ?? value, value);
    greatest[at] = Math.max(greatest[at] ?? value, value);
  });
  return [least, greatest];
}
