// What a played case can end as, and the small values that say why.

/** Thrown by a player: this case cannot be played here, and why. */
export class Skip extends Error {}

/**
 * One way in which the found differs from the expected.
 * @typedef {{ what: string, found: unknown, expected: unknown }} Difference
 */

/** @returns {Difference} */
export function difference(what, found, expected) {
  return { what, found, expected };
}

/** A value on one line of at most `limit` characters. */
export function brief(value, limit = 400) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, plain);
  const line = String(text).replace(/\s*\n\s*/g, ' ');
  return line.length <= limit ? line : `${line.slice(0, limit)}… (${line.length} characters)`;
}

/** Typed arrays as lists, and numbers that JSON has no form for by name. */
function plain(_key, value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
