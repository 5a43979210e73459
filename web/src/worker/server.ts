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

/** A host behind the message channel of the worker that this runs in. */
export function startWorker(): void {
  const server = createServer(loadEngine, (message) => {
    const transfer = message.type === 'done' ? buffersOf(message.value) : [];
    self.postMessage(message, { transfer });
  });
  self.onmessage = (event: MessageEvent) => server.receive(event.data);
}
