/** How calls end before they are done. */

import { abortError, PocketBertError } from './errors.js';

type Act = (error: PocketBertError) => void;

/** Who waits for a signal: one listener for all of them, since node warns of more than ten. */
const waiting = new WeakMap<AbortSignal, Set<Act>>();

/**
 * Calls `act` with {@link abortError} when `signal` is aborted, at once if it is already.
 * @returns ends this
 */
export function whenAborted(signal: AbortSignal | undefined, act: Act): () => void {
  if (signal?.aborted) act(abortError(signal));
  if (!signal || signal.aborted) return () => {};
  let acts = waiting.get(signal);
  if (acts === undefined) {
    const all = (acts = new Set<Act>());
    waiting.set(signal, all);
    const onAbort = (): void => all.forEach((one) => one(abortError(signal)));
    signal.addEventListener('abort', onAbort, { once: true });
  }
  const own = acts.add(act);
  return () => own.delete(act);
}

/** The error of a call to an object that was destroyed; `when` says when. */
export function destroyedError(when: 'before the call' | 'while the call ran'): PocketBertError {
  return new PocketBertError('destroyed', `the object was destroyed ${when}`);
}
