// Whether an attempt ended as its case expects: with a value, an error, or either.

import { Skip, difference } from './outcome.mjs';
import { describe, judgeError, unsupportedPart } from './errors.mjs';

/**
 * @template Value
 * @param {object} expect the case's `expect`
 * @param {{ attempt: () => Promise<Value>,
 *           compare: (value: Value, expect: object) => import('./outcome.mjs').Difference[],
 *           files: Record<string, Uint8Array>,
 *           canary: import('./canary.mjs').Canary }} how
 * @returns {Promise<import('./outcome.mjs').Difference[]>}
 */
export async function settle(expect, { attempt, compare, files, canary }) {
  let value;
  let thrown;
  try {
    value = await attempt();
  } catch (error) {
    if (error instanceof Skip) throw error;
    thrown = error ?? new Error('nothing was thrown, by name');
  }
  if (thrown === undefined) return settleValue(value, expect, compare);
  const wanted = expect.error ?? expect.or_error;
  const differences = wanted
    ? judgeError(thrown, wanted)
    : [difference('an error', describe(thrown), 'a value')];
  if (differences.length === 0) return canary.check();
  const part = unsupportedPart(files);
  if (expect.error === undefined && thrown.code === 'unsupported' && part !== undefined) {
    throw new Skip(`${part} is not supported yet: ${thrown.message}`);
  }
  return differences;
}

function settleValue(value, expect, compare) {
  if (expect.error === undefined) return compare(value, expect);
  if (expect.or_answers !== undefined)
    return compare(value, { ...expect, answers: expect.or_answers });
  return [difference('no error, but a value', value, expect.error)];
}
