/** The host's side of a message channel. */

import { loadEngine } from '../core/engine.js';
import type { LoadEngine } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import { createHandlers } from './host.js';
import { createTurn, JobQueue } from './jobs.js';
import {
  begin,
  buffersOf,
  packError,
  type CallMessage,
  type FromHost,
  type HandlerTable,
  type ToHost,
} from './protocol.js';

export interface Server {
  receive(message: ToHost): void;
  /** Gives the engine back. */
  close(): void;
}

/** A host that answers through `send`. */
export function createServer(load: LoadEngine, send: (message: FromHost) => void): Server {
  const table: HandlerTable = createHandlers(load);
  const { turn, close } = createTurn();
  const queue = new JobQueue(turn);

  const enginePerished = (thrown: unknown): boolean => {
    if (!(thrown instanceof PocketBertError)) return true;
    return thrown.code === 'trap';
  };

  const add = ({ id, priority, invocation }: CallMessage): void => {
    const progress = (done: number, total: number): void =>
      send({ type: 'progress', id, done, total });
    queue.add({
      id,
      priority,
      start: () => begin(table, invocation, progress),
      done: (value) => send({ type: 'done', id, value }),
      progress,
      failed: (thrown) => {
        const lost = enginePerished(thrown);
        send({ type: 'failed', id, error: packError(thrown), lost });
        return lost;
      },
    });
  };

  return {
    receive(message) {
      if (message.type === 'call') add(message);
      else queue.cancel(message.id);
    },
    close() {
      queue.halt();
      const stop = table.stop({}, () => {});
      try {
        void stop.step();
      } finally {
        close();
      }
    },
  };
}

/** How long a worker stays awake after an answer, in ms. */
const kLinger = 1;

/**
 * Keeps the event loop turning until `kLinger` ms after the last call: in a row of short calls the next one
 * then does not wait for the thread to be woken, which takes 0.2 ms, a tenth of a call of 8 tokens.
 */
export function createLinger(turn: () => Promise<void>): () => Promise<void> {
  let end = 0;
  let turning = false;
  return async () => {
    end = performance.now() + kLinger;
    if (turning) return;
    turning = true;
    while (performance.now() < end) await turn();
    turning = false;
  };
}

/** A host behind the message channel of the worker that this runs in. */
export function startWorker(): void {
  const linger = createLinger(createTurn().turn);
  const server = createServer(loadEngine, (message) => {
    const transfer = message.type === 'done' ? buffersOf(message.value) : [];
    self.postMessage(message, { transfer });
    void linger();
  });
  self.onmessage = (event: MessageEvent) => server.receive(event.data);
}
