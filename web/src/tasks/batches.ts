/** Input without end, in batches. */

import { whenAborted } from '../endings.js';
import { throwIfAborted } from '../errors.js';

/** A batch ends with the item that reaches one of these. */
const mostTexts = 64;
const mostUnits = 16_384; // UTF-16

/**
 * What `work` makes of each text, in order. While one batch is worked on, the next is collected and
 * the one before handed out: no more is read ahead. Texts that come slowly are not waited for.
 * @param work makes one result a text; its signal ends it when nobody wants them any more
 */
export async function* inBatches<Result>(
  texts: Iterable<string> | AsyncIterable<string>,
  work: (batch: string[], signal: AbortSignal) => Promise<Result[]>,
  outer: AbortSignal | undefined,
): AsyncGenerator<Result, void, undefined> {
  const source =
    Symbol.asyncIterator in texts ? texts[Symbol.asyncIterator]() : texts[Symbol.iterator]();
  const control = new AbortController();
  let wake = (): void => {};
  const unlink = whenAborted(outer, (error) => (control.abort(error), wake()));
  let next: ReturnType<typeof source.next> | undefined;
  let running: Promise<Result[]> | undefined;
  let batch: string[] = [];
  let units = 0;
  let ended = false;
  try {
    while (!ended || running || batch.length > 0) {
      // A promise of this round only: one that lived longer would hold what each item adds to it.
      const awake = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)));
      running?.then(wake, wake);
      while (!ended && batch.length < mostTexts && units < mostUnits) {
        next ??= source.next();
        const item = next instanceof Promise ? await Promise.race([next, awake]) : next;
        throwIfAborted(outer);
        if (item === undefined) break;
        if (item.done) ended = true;
        else units += batch[batch.push(item.value) - 1]?.length ?? 0;
        if (next instanceof Promise && !running) setTimeout(wake);
        next = undefined;
      }
      const results = await running;
      running = batch.length > 0 ? work(batch, control.signal) : undefined;
      running?.catch(() => {});
      batch = [];
      units = 0;
      if (results) yield* results;
    }
  } finally {
    unlink();
    control.abort();
    if (!ended) void Promise.resolve(source.return?.()).catch(() => {});
  }
}
