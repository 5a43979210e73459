/** What the module's tokenizer gives: one block of numbers, as in src/tasks/tokenize.h. */

import type { EncodedBatch, PackedBatch } from './types.js';

/** The lists in it; they share its memory. */
export function unpackBatch(numbers: PackedBatch): EncodedBatch {
  const count = numbers[0] ?? 0;
  let at = 1;
  const next = (length: number) => numbers.subarray(at, (at += length));
  const items = next(count);
  const truncated = next(count);
  const starts = next(count + 1);
  const tokens = starts[count] ?? 0;
  return {
    items,
    truncated,
    starts,
    ids: next(tokens),
    wordIds: next(tokens),
    marks: next(tokens),
    offsets: next(2 * tokens),
  };
}
