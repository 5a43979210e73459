/** How vectors compare, in whatever form they are kept. */

import { PocketBertError, refuse } from '../errors.js';
import type { Ranges, SearchResult, TokenVectors, VectorForm } from '../types.js';
import { check, checkValue, listOf, vectorTable, whole } from './options.js';

type Numbers = ArrayLike<number>;

/**
 * Cosine of the angle between two vectors, −1 to 1; 0 if one of them is zero.
 * @param form of vectors of bytes that do not tell theirs
 */
export function similarity(a: Numbers, b: Numbers, form: VectorForm = {}): number {
  check(form, vectorTable);
  return compare(read('a', a, form), read('b', b, form));
}

/** The `k` vectors of the corpus most similar to the query, best first; equal ones in their order. */
export function search(
  query: Numbers,
  corpus: Iterable<Numbers>,
  k: number,
  form: VectorForm = {},
): SearchResult[] {
  checkValue('k', k, whole(0));
  check(form, vectorTable);
  const wanted = read('the query', query, form);
  const results = listOf('the corpus', corpus).map((vector, index) => ({
    index,
    score: compare(wanted, read(`vector ${index}`, vector, form)),
  }));
  return bestOf(results, k);
}

function bestOf(results: SearchResult[], k: number): SearchResult[] {
  return results.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, k);
}

/** The `k` documents of the greatest sums, best first; equal ones in their order. */
export function maxSim(
  query: TokenVectors,
  documents: Iterable<TokenVectors>,
  k: number,
): SearchResult[] {
  checkValue('k', k, whole(0));
  const dimensions = dimensionsOf('the query', query);
  const results = listOf('the documents', documents).map((document, index) => {
    const name = `document ${index}`;
    if (dimensionsOf(name, document) !== dimensions) {
      refuse(`the dimensions of ${name}`, document.dims[1], `${dimensions}, as the query has`);
    }
    const score = sumOfGreatest(query.data, document.data, dimensions);
    return { index, score: Number.isFinite(score) ? score : refuse(name, score, 'finite numbers') };
  });
  return bestOf(results, k);
}

function dimensionsOf(name: string, vectors: TokenVectors): number {
  const { data, dims }: Partial<TokenVectors> = Object(vectors);
  const [count = 0, dimensions = 0] = dims ?? [];
  if (data instanceof Float32Array && count > 0 && count * dimensions === data.length)
    return dimensions;
  return refuse(name, vectors, '{data, dims} of at least one token');
}

function sumOfGreatest(query: Float32Array, document: Float32Array, dimensions: number): number {
  let sum = 0;
  for (let q = 0; q < query.length; q += dimensions) {
    let greatest = -Infinity;
    // Four at a time, so that they do not wait for each other; beyond the last one, the last again.
    const last = document.length - dimensions;
    for (let d = 0; d <= last; d += 4 * dimensions) {
      const d1 = Math.min(d + dimensions, last);
      const d2 = Math.min(d + 2 * dimensions, last);
      const d3 = Math.min(d + 3 * dimensions, last);
      let [p0, p1, p2, p3] = [0, 0, 0, 0];
      for (let i = 0; i < dimensions; i++) {
        const x = query[q + i] ?? 0;
        p0 += x * (document[d + i] ?? 0);
        p1 += x * (document[d1 + i] ?? 0);
        p2 += x * (document[d2 + i] ?? 0);
        p3 += x * (document[d3 + i] ?? 0);
      }
      greatest = Math.max(greatest, p0, p1, p2, p3);
    }
    sum += greatest;
  }
  return sum;
}

/** Start and step of each dimension's 256 levels, in single precision as numpy has them. */
export function levelsOf(
  [least, greatest]: Ranges,
  dimensions: number,
): { starts: Float32Array; steps: Float32Array } {
  const starts = Float32Array.from(least);
  const ends = Float32Array.from(greatest);
  const steps = ends.map((end, i) => Math.fround(end - (starts[i] ?? NaN)) / 255);
  const wrong = steps.findIndex((step) => !(step >= 0 && step < Infinity));
  if (starts.length !== dimensions || ends.length !== dimensions) {
    throw new PocketBertError(
      'invalid_argument',
      `ranges are of ${starts.length} and ${ends.length} dimensions, expected ${dimensions}`,
    );
  }
  if (wrong >= 0) {
    refuse(`ranges[1][${wrong}]`, ends[wrong], `a number not below ranges[0][${wrong}]`);
  }
  return { starts, steps: steps.map((step) => step || 1) };
}

/** A vector and what it stands for. */
interface Reading {
  readonly name: string;
  readonly length: number;
  /** Of signs packed in bytes: less this they are 0 to 255. */
  readonly zero: number | undefined;
  readonly bytes: Numbers;
  numbers(): Numbers;
}

/** What the bytes of an array may be. */
const forms: { readonly [type: string]: string } = {
  Int8Array: 'int8|binary',
  Uint8Array: 'uint8|ubinary',
};

/** A vector as callers give it; only typed arrays have the tag. */
type Given = Numbers & VectorForm & { readonly [Symbol.toStringTag]?: string };

function read(name: string, vector: Given, given: VectorForm): Reading {
  const length = typeof vector === 'object' ? vector?.length : undefined;
  if (typeof length !== 'number') return refuse(name, vector, 'a vector');
  const rule = forms[vector[Symbol.toStringTag] ?? ''];
  if (rule === undefined) return { name, length, zero: undefined, bytes: vector, numbers: () => vector };
  const { precision = given.precision, ranges = given.ranges } = vector;
  checkValue(`the precision of ${name}`, precision, rule);
  const zero = precision === 'int8' || precision === 'binary' ? -128 : 0;
  let numbers: Numbers | undefined;
  if (precision === 'binary' || precision === 'ubinary') {
    const signs = (): Numbers => (numbers ??= signsOf(vector, zero));
    return { name, length: 8 * length, zero, bytes: vector, numbers: signs };
  }
  if (ranges === undefined) return refuse(`the ranges of ${name}`, ranges, '[least, greatest]');
  const values = (): Numbers => (numbers ??= valuesOf(vector, zero, ranges));
  return { name, length, zero: undefined, bytes: vector, numbers: values };
}

/** 1 for a bit that is set, else −1. */
function signsOf(bytes: Numbers, zero: number): Numbers {
  return Int8Array.from({ length: 8 * bytes.length }, (_, i) =>
    (((bytes[i >> 3] ?? 0) - zero) >> (~i & 7)) & 1 ? 1 : -1,
  );
}

/** What the levels stand for. */
function valuesOf(levels: Numbers, zero: number, ranges: Ranges): Numbers {
  const { starts, steps } = levelsOf(ranges, levels.length);
  return Float64Array.from(
    levels,
    (level, i) => (level - zero) * (steps[i] ?? 0) + (starts[i] ?? 0),
  );
}

function compare(a: Reading, b: Reading): number {
  if (a.length !== b.length) {
    throw new PocketBertError(
      'invalid_argument',
      `vectors of ${a.length} and ${b.length} components can not be compared`,
    );
  }
  if (a.zero === undefined || b.zero === undefined) return cosine(a, b);
  return a.length > 0 ? 1 - (2 * differingBits(a, b)) / a.length : 0;
}

/** The Hamming distance. */
function differingBits(a: Reading, b: Reading): number {
  // Both are 0 to 255, or less 128, which is the highest bit in complement.
  const shift = a.zero === b.zero ? 0 : 128;
  let count = 0;
  for (let i = 0; i < a.bytes.length; i++) {
    let bits = ((a.bytes[i] ?? 0) ^ (b.bytes[i] ?? 0) ^ shift) & 255;
    bits -= (bits >> 1) & 0x55;
    bits = (bits & 0x33) + ((bits >> 2) & 0x33);
    count += (bits + (bits >> 4)) & 15;
  }
  return count;
}

function cosine({ name: nameA, ...readA }: Reading, { name: nameB, ...readB }: Reading): number {
  const a = readA.numbers();
  const b = readB.numbers();
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

function checkComponents(name: string, vector: Numbers): void {
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i])) refuse(`${name}[${i}]`, vector[i], 'a finite number');
  }
}
