/**
 * The one error class that PocketBERT throws. `code` is for programs, `message` names the thing,
 * what was found and what was expected, and `hint` says what can be done about it.
 */

/** Every `code` that a {@link PocketBertError} can carry. */
export const errorCodes = [
  /** A request failed, or was answered by a status other than success. */
  'network',
  /** The bytes differ from the `integrity` that was asked for. */
  'integrity',
  /** A file is broken, incomplete, or not what its name says. */
  'format',
  /** The file is sound, but holds something that PocketBERT does not do. */
  'unsupported',
  /** `truncate: 'error'` was asked for and a text has more tokens than fit. */
  'too_long',
  /** An option or an argument has a value that makes no sense, or is a path where nothing is. */
  'invalid_argument',
  /** The engine or the browser could not get the memory that was needed. */
  'out_of_memory',
  /** The call's `signal` was aborted. */
  'aborted',
  /** A newer call with the same `supersede` key took this call's place. */
  'superseded',
  /** The object was destroyed before, or while, the call ran. */
  'destroyed',
  /** The engine itself failed. It is restarted: the next call works. */
  'trap',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface PocketBertErrorOptions {
  /** What the caller can do about it. */
  readonly hint?: string | undefined;
  /** What went wrong underneath: often an error of the platform. */
  readonly cause?: unknown;
}

/**
 * The only error class that a PocketBERT promise rejects with, but for what your own `onProgress` or
 * `onResult` throws: that arrives as it is. What your `fetch` throws is the `cause` of a `network` error.
 */
export class PocketBertError extends Error {
  /** Stays when the code is made smaller. */
  static override readonly name: string = 'PocketBertError';

  readonly code: ErrorCode;
  /** What the caller can do about it; empty if there is nothing to add. */
  readonly hint: string;

  constructor(code: ErrorCode, message: string, options: PocketBertErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = PocketBertError.name;
    this.code = code;
    this.hint = options.hint ?? '';
  }
}

/** True for a value that is one of {@link errorCodes}. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return errorCodes.some((code) => code === value);
}

/** The text of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A value of the caller, in messages: texts in quotes, objects by their kind. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 99));
  if (Object(value) !== value) return String(value);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Promise' ? 'a Promise (await it)' : `of type ${kind}`;
}

/** The error for a wrong argument or option. */
export function refuse(name: string, value: unknown, expected: string): never {
  throw new PocketBertError('invalid_argument', `${name} is ${show(value)}, expected ${expected}`);
}

/** `thrown` itself if it is ours, otherwise wrapped as `code` with `thrown` as its cause. */
export function toPocketBertError(thrown: unknown, code: ErrorCode, about = ''): PocketBertError {
  if (thrown instanceof PocketBertError) return thrown;
  const text = messageOf(thrown);
  return new PocketBertError(code, about === '' ? text : `${about}: ${text}`, { cause: thrown });
}

/** The error of a call whose signal was aborted; the signal's reason becomes the cause. */
export function abortError(signal: AbortSignal): PocketBertError {
  const reason: unknown = signal.reason;
  if (reason instanceof PocketBertError) return reason;
  return new PocketBertError('aborted', 'the call was aborted by its signal', { cause: reason });
}

/** Throws {@link abortError} if `signal` is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}
