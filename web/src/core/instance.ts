/**
 * One wasm instance: its raw functions, whether it lives, and what its failures become. Errors of the
 * C++ side cross as values; anything that is thrown out of it is a trap, after which nothing in the
 * instance's memory can be relied on.
 */

import { PocketBertError, isErrorCode, messageOf } from '../errors.js';
import type { RawModule, SharedModule } from './raw_module.js';

interface ErrorValue {
  errorCode: unknown;
  message: unknown;
}

type Value<Reply> = Exclude<Reply, ErrorValue>;

function isErrorValue(reply: unknown): reply is ErrorValue {
  return typeof reply === 'object' && reply !== null && 'errorCode' in reply;
}

/** What can be done about any text that is too long; of other errors the message says it. */
const kTooLongHint =
  "shorten the text or, if it can be, raise maxLength or let truncate: 'end' cut it, 'window' read it all";

/** The value of a reply, or its error thrown. */
function unwrap<Reply>(reply: Reply): Value<Reply> {
  if (!isErrorValue(reply)) return reply as Value<Reply>;
  const code = isErrorCode(reply.errorCode) ? reply.errorCode : 'trap';
  const hint = code === 'too_long' ? kTooLongHint : '';
  throw new PocketBertError(code, String(reply.message), { hint });
}

export class Instance<Module extends SharedModule = RawModule> {
  readonly #raw: Module & Pick<RawModule, 'PThread'>;
  /** Lines that the module wrote to its error output, the last ones. */
  readonly #log: readonly string[];
  #end: PocketBertError | undefined;

  constructor(raw: Module, log: readonly string[]) {
    this.#raw = raw;
    this.#log = log;
  }

  get alive(): boolean {
    return this.#end === undefined;
  }

  /** Runs `body` on the raw module and unwraps its reply. */
  call<Reply>(body: (raw: Module) => Reply): Value<Reply> {
    if (this.#end !== undefined) throw this.#end;
    let reply: Reply;
    try {
      reply = body(this.#raw);
    } catch (thrown) {
      throw this.#fail(thrown);
    }
    return unwrap(reply);
  }

  /** Ends the threads; the memory goes with the last reference. Again is harmless. */
  destroy(): void {
    this.#end ??= new PocketBertError('destroyed', 'the engine was destroyed');
    this.#raw.PThread?.terminateAllThreads();
  }

  #fail(thrown: unknown): PocketBertError {
    if (thrown instanceof PocketBertError) return thrown;
    // Emscripten's own line about an abort says nothing; the check that failed stands before it.
    const cause = this.#log.findLast((line) => !line.startsWith('Aborted')) ?? messageOf(thrown);
    this.#end = new PocketBertError('trap', `the engine stopped: ${cause}`, {
      hint: 'please report it, with the input if you can',
      cause: thrown,
    });
    return this.#end;
  }
}

/** Owns an object inside the instance, until it is freed. */
export class Handle {
  readonly #instance: Instance<SharedModule>;
  /** For messages: "the model was destroyed". */
  readonly #what: string;
  #raw: number | undefined;

  /** @param raw the number by which the module knows the object (bindings/handles.h) */
  constructor(instance: Instance<SharedModule>, what: string, raw: number) {
    this.#instance = instance;
    this.#what = what;
    this.#raw = raw;
  }

  get raw(): number {
    if (this.#raw === undefined) throw new PocketBertError('destroyed', `the ${this.#what} was destroyed`);
    return this.#raw;
  }

  /** Again, or after the instance ended, is harmless. */
  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (raw !== undefined && this.#instance.alive) this.#instance.call((module) => module.destroy(raw));
  }
}
