// How two contestants compare in one measure.

import { speedUp } from './statistics.mjs';

/**
 * Times `ours` is better (less time, bytes, memory) than `peer`; undefined unless both were measured.
 * @returns {import('./statistics.mjs').Summary | undefined}
 */
export function ratioOf(result, id, ours, peer) {
  const measures = [...result.measures, ...(result.tokenizers ?? [])];
  const values = measures.find((measure) => measure.id === id)?.values;
  const [a, b] = [values?.[ours], values?.[peer]];
  if (a === undefined || b === undefined) return undefined;
  if (a.rounds && b.rounds) return speedUp(a.rounds, b.rounds);
  const ratio = b.median / a.median;
  return { median: ratio, q1: ratio, q3: ratio, count: 1 };
}
