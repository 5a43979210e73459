/**
 * From a port to an engine that is ready, in spite of workers that fall silent.
 *
 * Firefox can put a worker that makes a worker (threads are such) to sleep for good: the maker waits
 * until the page has noted the new worker, on the very condition variable on which that one waits for
 * its own events, and the page wakes only one of the two. On a busy machine this befalls one start in
 * some hundreds. No script of the worker runs then, so only the page can see and mend it.
 */

import { whenAborted } from '../endings.js';
import { PocketBertError } from '../errors.js';
import { Remote } from './client.js';
import type { EngineFacts } from './host.js';
import type { OpenPort } from './ports.js';
import type { Args } from './protocol.js';

/** How often the page looks for the beats that a starting host sends, and for how many looks in a row a host may be silent: counted in looks, so
 *  that a page which stood still itself does not blame its worker. */
const kLookMs = 500;
const kSilentLooks = 10;

/** The last of so many workers is waited for however long it takes. */
const kAttempts = 3;

export interface StartedEngine {
  readonly remote: Remote;
  readonly facts: EngineFacts;
  /** Workers that fell silent before this one. */
  readonly replaced: number;
}

/** Calls `silent` when a host whose beats had begun sends none any more. */
function watchBeats(silent: () => void): { beat: () => void; end: () => void } {
  let looks = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = (): void => {
    looks += 1;
    if (looks > kSilentLooks) silent();
  };
  return {
    beat: () => {
      looks = 0;
      timer ??= setInterval(look, kLookMs);
    },
    end: () => clearInterval(timer),
  };
}

/** Rejects with `PocketBertError`, or `HostLost`, and leaves no host behind then. */
export async function startEngine(
  openPort: OpenPort,
  args: Args['start'],
  signal: AbortSignal,
): Promise<StartedEngine> {
  for (let replaced = 0; ; replaced += 1) {
    // Told to nobody.
    const silence = new PocketBertError('trap', '');
    const remote = new Remote(openPort);
    const unlink = whenAborted(signal, (error) => remote.close(error));
    const mayReplace = replaced + 1 < kAttempts;
    const watch = watchBeats(() => mayReplace && remote.close(silence));
    try {
      const facts = await remote.call('start', args, { onProgress: watch.beat });
      return { remote, facts, replaced };
    } catch (thrown) {
      unlink();
      remote.close(new PocketBertError('destroyed', 'the engine did not start'));
      if (thrown !== silence) throw thrown;
    } finally {
      watch.end();
    }
  }
}
