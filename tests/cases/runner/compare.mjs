// Found against expected, for each form of value that cases hold.

import { difference } from './outcome.mjs';

/** Fields of an encoding, as cases and as the API name them. */
const kEncodingFields = [
  'ids',
  'tokens',
  'offsets',
  'type_ids',
  'attention_mask',
  'special_tokens_mask',
];

/** Index of the first place where two lists differ, or −1. */
function firstMismatch(found, expected, same) {
  const length = Math.max(found.length, expected.length);
  for (let i = 0; i < length; i++) {
    if (i >= found.length || i >= expected.length || !same(found[i], expected[i])) return i;
  }
  return -1;
}

function sameValue(a, b) {
  return Array.isArray(b)
    ? Array.isArray(a) && a.length === b.length && a.every((x, i) => x === b[i])
    : a === b;
}

function sameList(what, found, expected) {
  const list = Array.from(found);
  const at = firstMismatch(list, expected, sameValue);
  if (at < 0) return [];
  const from = Math.max(0, at - 2);
  const part = (values) =>
    `[${from}…] ${JSON.stringify(values.slice(from, at + 6))}, ${values.length} in all`;
  return [difference(`${what}: first difference at ${at}`, part(list), part(expected))];
}

/** @returns {import('./outcome.mjs').Difference[]} */
export function compareEncoding(what, found, expected) {
  const differences = kEncodingFields.flatMap((field) => {
    if (expected[field] === null || expected[field] === undefined) return [];
    return sameList(`${what}.${field}`, found[field], expected[field]);
  });
  const windows = expected.overflow ?? [];
  if (found.overflow.length !== windows.length) {
    differences.push(
      difference(`${what}: overflow windows`, found.overflow.length, windows.length),
    );
  }
  windows.forEach((window, i) => {
    const own = found.overflow[i];
    if (own) differences.push(...compareEncoding(`${what}.overflow[${i}]`, own, window));
  });
  return differences;
}

/** Greatest difference of two vectors in a component; infinite if their lengths or a NaN differ. */
export function greatestDifference(found, expected) {
  if (found.length !== expected.length) return Infinity;
  let greatest = 0;
  for (let i = 0; i < found.length; i++) {
    const apart = Math.abs(found[i] - expected[i]);
    if (!(apart <= greatest)) greatest = Number.isNaN(apart) ? Infinity : apart;
  }
  return greatest;
}

/** Cosine of two vectors of equal length; NaN if one is zero or has a NaN. */
export function cosine(a, b) {
  if (a.length !== b.length) return NaN;
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / Math.sqrt(aa * bb);
}

/** @returns {import('./outcome.mjs').Difference[]} */
export function compareVectors(found, expected, { abs, min_cos: minCosine }) {
  if (found.length !== expected.length)
    return [difference('number of vectors', found.length, expected.length)];
  return expected.flatMap((vector, i) => {
    const differences = [];
    const apart = greatestDifference(found[i], vector);
    if (typeof abs === 'number' && !(apart <= abs)) {
      differences.push(
        difference(
          `vectors[${i}]: greatest difference ${apart}`,
          found[i],
          `within ${abs} of ${JSON.stringify(vector)}`,
        ),
      );
    }
    const cos = cosine(found[i], vector);
    if (typeof minCosine === 'number' && !(cos >= minCosine)) {
      differences.push(difference(`vectors[${i}]: cosine`, cos, `at least ${minCosine}`));
    }
    return differences;
  });
}

/** Lists of labels with scores. Two that are as good as equal may stand in either order. */
export function compareLabels(found, expected, abs) {
  if (found.length !== expected.length)
    return [difference('number of results', found.length, expected.length)];
  return expected.flatMap((labels, i) =>
    compareLabelList(`results[${i}]`, found[i], labels, abs ?? Infinity),
  );
}

function compareLabelList(what, found, expected, abs) {
  const list = found.map(({ label, score }) => ({ label, score }));
  const byLabel = new Map(list.map(({ label, score }) => [label, score]));
  if (byLabel.size !== expected.length || list.length !== expected.length) {
    return [difference(`${what}: labels`, list, expected)];
  }
  const differences = [];
  for (const { label, score } of expected) {
    if (!(Math.abs((byLabel.get(label) ?? NaN) - score) <= abs)) {
      differences.push(
        difference(
          `${what}: ${label}`,
          byLabel.get(label) ?? 'no such label',
          `${score} within ${abs}`,
        ),
      );
    }
  }
  for (let k = 0; k < list.length; k++) {
    const falls = k === 0 || list[k].score <= list[k - 1].score;
    const tied = Math.abs((byLabel.get(expected[k].label) ?? NaN) - list[k].score) <= 2 * abs;
    if (!falls || (list[k].label !== expected[k].label && !tied)) {
      return [...differences, difference(`${what}: order`, list, expected)];
    }
  }
  return differences;
}

/**
 * Spans with scores, in order: every field that the expected one has, the score to within `abs`.
 * @returns {import('./outcome.mjs').Difference[]}
 */
export function compareSpans(what, found, expected, abs) {
  if (found.length !== expected.length)
    return [difference(`number of ${what}`, found, `${expected.length}: ${JSON.stringify(expected)}`)];
  return expected.flatMap(({ score, ...fields }, i) => {
    const differences = Object.keys(fields)
      .filter((field) => found[i][field] !== fields[field])
      .map((field) => difference(`${what}[${i}].${field}`, found[i][field], fields[field]));
    const apart = Math.abs(found[i].score - (score ?? NaN));
    if (typeof abs === 'number' && score !== undefined && !(apart <= abs))
      differences.push(difference(`${what}[${i}].score`, found[i].score, `${score} within ${abs}`));
    return differences;
  });
}

/** The same spans, bit for bit. @returns {import('./outcome.mjs').Difference[]} */
export function sameSpans(what, found, expected) {
  const same = JSON.stringify(found) === JSON.stringify(expected);
  return same ? [] : [difference(what, found, expected)];
}
