/** How calls end before they are done. */

import { abortError, PocketBertError } from './errors.js';

/**
 * Calls `act` with {@link abortError} when `signal` is aborted, at once if it is already.
 * @returns ends this
 */
export function whenAborted(
  signal: AbortSignal | undefined,
  act: (error: PocketBertError) => void,
): () => void {
  const onAbort = (): void => signal && act(abortError(signal));
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return () => signal?.removeEventListener('abort', onAbort);
}

/** The error of a call to an object that was destroyed; `when` says when. */
export function destroyedError(when: 'before the call' | 'while the call ran'): PocketBertError {
  return new PocketBertError('destroyed', `the object was destroyed ${when}`);
}
