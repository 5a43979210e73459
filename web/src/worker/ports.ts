/** The two ways to a host: through a worker, or on this thread. */

import type { LoadEngine } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { FromHost, ToHost } from './protocol.js';
import { createServer, type Server } from './server.js';

/** A way to one host. */
export interface Port {
  send(message: ToHost, transfer: ArrayBuffer[]): void;
  /** Ends the host and gives its memory back. */
  close(): void;
}

export interface PortEvents {
  receive(message: FromHost): void;
  /** The host itself is gone. */
  failed(error: PocketBertError): void;
}

export type OpenPort = (events: PortEvents) => Port;

const workerHint =
  'the Content-Security-Policy must allow workers of this origin (worker-src), ' +
  'and worker.js must lie beside index.js; { worker: false } needs none';

/** A host in a worker of its own. */
export function openWorkerPort(events: PortEvents): Port {
  let worker: Worker;
  // Node's own class of this name, which some scripts make global, is another one.
  if (typeof Worker !== 'function' || !('addEventListener' in Worker.prototype)) {
    throw new PocketBertError('unsupported', 'there are no web workers here; use { worker: false }');
  }
  try {
    worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  } catch (cause) {
    throw new PocketBertError('unsupported', 'the worker could not be started', {
      hint: workerHint,
      cause,
    });
  }
  worker.onmessage = (event: MessageEvent) => events.receive(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    const detail = event.message ? `: ${event.message}` : '';
    events.failed(new PocketBertError('trap', `the worker failed${detail}`, { hint: workerHint }));
  };
  return {
    send: (message, transfer) => worker.postMessage(message, transfer),
    close: () => worker.terminate(),
  };
}

/** A host on this thread; messages arrive in later microtasks, as if through a channel. */
export function openDirectPort(loadEngine: LoadEngine): OpenPort {
  return (events) => {
    let open = true;
    const server: Server = createServer(loadEngine, (message) => {
      if (open) events.receive(message);
    });
    return {
      send: (message) => queueMicrotask(() => server.receive(message)),
      close() {
        open = false;
        server.close();
      },
    };
  };
}
