/**
 * Messages between a client and its host. The names, arguments and results of the calls are those of
 * `createHandlers`, so the two sides cannot disagree.
 */

import { isErrorCode, messageOf, PocketBertError, type ErrorCode } from '../errors.js';
import type { createHandlers, Report } from './host.js';
import type { Job, Priority } from './jobs.js';

export type Handlers = ReturnType<typeof createHandlers>;
export type Method = keyof Handlers;
export type Args = { [K in Method]: Parameters<Handlers[K]>[0] };
export type Results = {
  [K in Method]: ReturnType<Handlers[K]> extends Job<infer Result> ? Result : never;
};

/** The same functions, seen so that method and arguments stay tied together. */
export type HandlerTable = { [K in Method]: (args: Args[K], report: Report) => Job<Results[K]> };

export interface Invocation<K extends Method = Method> {
  readonly method: K;
  readonly args: Args[K];
}

/**
 * The result of a call on its way. A channel does not know the types of what it carries: that the
 * value fits the call is the promise of this protocol, kept by `begin` on the other side.
 */
export type Carried = MessageEvent['data'];

export interface CallMessage {
  readonly type: 'call';
  readonly id: number;
  readonly priority: Priority;
  readonly invocation: Invocation;
}

export type ToHost = CallMessage | { readonly type: 'cancel'; readonly id: number };

export type FromHost =
  | { readonly type: 'done'; readonly id: number; readonly value: Carried }
  | {
      readonly type: 'progress';
      readonly id: number;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly error: WireError;
      /** True if the engine can not go on. */
      readonly lost: boolean;
    };

/** Begins the work that an invocation asks for. */
export function begin<K extends Method>(
  table: HandlerTable,
  invocation: Invocation<K>,
  report: Report,
): Job<Results[K]> {
  return table[invocation.method](invocation.args, report);
}

/** An error in a form that every message channel can carry. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly stack: string;
  readonly cause: string;
}

export function packError(thrown: unknown): WireError {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  if (thrown instanceof PocketBertError) {
    const { code, message, hint, cause } = thrown;
    return { code, message, hint, stack, cause: cause === undefined ? '' : messageOf(cause) };
  }
  const message = `the engine failed: ${messageOf(thrown)}`;
  return { code: 'trap', message, hint: '', stack, cause: messageOf(thrown) };
}

/** Rebuilds the error; its stack is the caller's, the host's stack is that of its cause. */
export function unpackError(wire: WireError, callSite: Error): PocketBertError {
  const code = isErrorCode(wire.code) ? wire.code : 'trap';
  const cause = new Error(wire.cause === '' ? wire.message : wire.cause);
  cause.stack = wire.stack;
  const error = new PocketBertError(code, wire.message, { hint: wire.hint, cause });
  const frames = (callSite.stack ?? '').split('\n').filter((line) => !line.startsWith('Error'));
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}

/** Memory that can be handed over with `value`: the buffers in it, and those of its typed arrays. */
export function buffersOf(
  value: unknown,
  depth = 3,
  found = new Set<ArrayBuffer>(),
): ArrayBuffer[] {
  if (value instanceof ArrayBuffer) {
    found.add(value);
  } else if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength) found.add(buffer);
  } else if (typeof value === 'object' && value !== null && depth > 0) {
    for (const part of Object.values(value)) {
      if (typeof part === 'object') buffersOf(part, depth - 1, found);
    }
  }
  return [...found];
}
