// Medians, quartiles and ratios. Quantiles interpolate linearly between order statistics (type 7 of
// Hyndman and Fan, 1996; what numpy's percentile does by default).

/**
 * @param {readonly number[]} values at least one
 * @param {number} q 0 to 1
 */
export function quantile(values, q) {
  if (values.length === 0) throw new Error('a quantile of no values');
  const sorted = Float64Array.from(values).sort();
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

export const median = (values) => quantile(values, 0.5);

/** @typedef {{ median: number, q1: number, q3: number, count: number }} Summary */

/** @returns {Summary} */
export function summarize(values) {
  return {
    median: median(values),
    q1: quantile(values, 0.25),
    q3: quantile(values, 0.75),
    count: values.length,
  };
}

/**
 * How many times `ours` is faster than `peer`: median and quartiles of the ratios of the rounds'
 * medians. What slows a whole round down falls out of it.
 * @param {readonly (readonly number[])[]} ours times by round
 * @param {readonly (readonly number[])[]} peer times by round, as many rounds
 * @returns {Summary}
 */
export function speedUp(ours, peer) {
  if (ours.length !== peer.length)
    throw new Error(`${ours.length} rounds are compared with ${peer.length}`);
  return summarize(ours.map((times, round) => median(peer[round]) / median(times)));
}

/** Cosine of the angle between two vectors. */
export function cosine(a, b) {
  if (a.length !== b.length)
    throw new Error(`${a.length} dimensions are compared with ${b.length}`);
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / Math.sqrt(aa * bb);
}
