/** The client's side of a message channel: calls as promises, aborted by their signals. */

import { whenAborted } from '../endings.js';
import { abortError, PocketBertError, toPocketBertError } from '../errors.js';
import type { Report } from './host.js';
import type { Priority } from './jobs.js';
import type { OpenPort, Port } from './ports.js';
import {
  unpackError,
  type Args,
  type Carried,
  type FromHost,
  type Invocation,
  type Method,
  type Results,
} from './protocol.js';

export interface RemoteCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly priority?: Priority | undefined;
  readonly onProgress?: Report | undefined;
  /** An error made where the user called, for its stack. */
  readonly callSite?: Error | undefined;
  /** Memory to hand over; it can not be used here any more. */
  readonly transfer?: ArrayBuffer[] | undefined;
}

/** Why a call was not answered: the host ended because of another call. It may be asked again. */
export class HostLost extends Error {}

interface Pending {
  readonly progress: Report | undefined;
  readonly succeed: (value: Carried) => void;
  readonly fail: (error: unknown) => void;
  /** Stops waiting for the call's signal. */
  readonly unlink: () => void;
  readonly callSite: Error;
}

/** One host, seen from outside. */
export class Remote {
  readonly #pending = new Map<number, Pending>();
  readonly #port: Port;
  #nextId = 1;
  #ended: PocketBertError | undefined;

  constructor(openPort: OpenPort) {
    this.#port = openPort({
      receive: (message) => this.#receive(message),
      failed: (error) => this.#end(error, () => error),
    });
  }

  /** True while calls can be answered. */
  get alive(): boolean {
    return this.#ended === undefined;
  }

  /** Rejects with `PocketBertError`, or `HostLost` if the host ended because of something else. */
  call<K extends Method>(
    method: K,
    args: Args[K],
    options: RemoteCallOptions = {},
  ): Promise<Results[K]> {
    const { signal, priority = 'interactive', onProgress: progress, transfer = [] } = options;
    const callSite = options.callSite ?? new Error('call site');
    return new Promise<Results[K]>((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      if (this.#ended !== undefined) return reject(new HostLost(this.#ended.message));
      const id = this.#nextId++;
      const unlink = whenAborted(signal, (error) => this.#cancel(id, error));
      this.#pending.set(id, { progress, succeed: resolve, fail: reject, unlink, callSite });
      this.#send(id, priority, { method, args }, transfer);
    });
  }

  /** Ends the host; unanswered calls are rejected with `reason`. */
  close(reason: PocketBertError): void {
    this.#end(reason, () => reason);
  }

  #send(id: number, priority: Priority, invocation: Invocation, transfer: ArrayBuffer[]): void {
    try {
      this.#port.send({ type: 'call', id, priority, invocation }, transfer);
    } catch (thrown) {
      this.#settle(id)?.fail(
        toPocketBertError(thrown, 'invalid_argument', 'an argument can not be sent to the worker'),
      );
    }
  }

  #receive(message: FromHost): void {
    if (message.type === 'progress') {
      try {
        this.#pending.get(message.id)?.progress?.(message.done, message.total);
      } catch (thrown) {
        // The listener's own error ends its call, and nothing else.
        this.#cancel(message.id, thrown);
      }
      return;
    }
    const pending = this.#settle(message.id);
    if (message.type === 'done') pending?.succeed(message.value);
    else {
      const error = unpackError(message.error, pending?.callSite ?? new Error());
      pending?.fail(error);
      if (message.lost) this.#end(error, () => new HostLost(error.message));
    }
  }

  #cancel(id: number, error: unknown): void {
    this.#settle(id)?.fail(error);
    if (this.alive) this.#port.send({ type: 'cancel', id }, []);
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.unlink();
    return pending;
  }

  #end(error: PocketBertError, reason: () => unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#port.close();
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.fail(reason());
  }
}
