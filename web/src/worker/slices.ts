/** Long lists cut into parts that take some milliseconds each. */

import type { TextItem } from '../core/types.js';
import type { Job } from './jobs.js';

/** UTF-16 units in one part, unless one text alone has more; some 5 ms of tokenizing. */
const unitsPerPart = 65_536;

/** Index behind the last item of the part that begins at `start`. */
export function endOfPart(items: readonly TextItem[], start: number): number {
  let units = 0;
  let end = start;
  while (end < items.length) {
    const item = items[end];
    units += (item?.text.length ?? 0) + (item?.pair?.length ?? 0) + 16;
    if (end > start && units > unitsPerPart) break;
    end += 1;
  }
  return end;
}

/** A job that does `work` on part after part; its result is the list of theirs. */
export function stepsOf<Part>(
  items: readonly TextItem[],
  work: (items: readonly TextItem[]) => Part,
): Job<Part[]> {
  const parts: Part[] = [];
  let done = 0;
  return {
    total: items.length,
    step() {
      const end = endOfPart(items, done);
      parts.push(work(items.slice(done, end)));
      done = end;
      return done;
    },
    finish: () => parts,
    destroy() {
      done = items.length;
    },
  };
}
