/** Long lists cut into parts that take a few milliseconds each. */

import { packTexts } from '../core/texts.js';
import type { PackedTexts, TextItem } from '../core/types.js';
import type { Job } from './jobs.js';

/** UTF-16 units in one part, unless one text alone has more. */
const unitsPerPart = 131_072;

/** The items in their order; one part, which may be empty, is always there. */
export function partsOf(items: readonly TextItem[], mostUnits = unitsPerPart): PackedTexts[] {
  const parts: PackedTexts[] = [];
  let start = 0;
  let units = 0;
  items.forEach(({ text, pair = '' }, index) => {
    const own = text.length + pair.length + 16;
    units += own;
    if (units <= mostUnits || index === start) return;
    parts.push(packTexts(items.slice(start, index)));
    start = index;
    units = own;
  });
  return [...parts, packTexts(items.slice(start))];
}

/** A job that does `work` on part after part; its result is the list of theirs. */
export function stepsOf<Result>(
  parts: readonly PackedTexts[],
  work: (part: PackedTexts) => Result,
): Job<Result[]> {
  const results: Result[] = [];
  const count = parts.reduce((sum, { ends }) => sum + ends.length / 2, 0);
  // A list of no items has a step, too: it checks the options.
  const total = Math.max(1, count);
  let done = 0;
  return {
    total,
    step() {
      const part = parts[results.length];
      if (part === undefined) return total;
      results.push(work(part));
      done += part.ends.length / 2;
      return results.length < parts.length ? done : total;
    },
    finish: () => results,
    destroy() {},
  };
}
