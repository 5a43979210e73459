/** What all objects of the API have in common: a session, and a way to share it and to end it. */

import { loadEngine } from '../core/engine.js';
import { destroyedError, whenAborted } from '../endings.js';
import { PocketBertError } from '../errors.js';
import { Session } from '../models/session.js';
import type {
  CallOptions,
  Encoding,
  EncodeOptions,
  Info,
  Memory,
  RequestRecord,
  Source,
  TextInput,
  TokenizerCreateOptions,
} from '../types.js';
import type { Report } from '../worker/host.js';
import type { Args, Method, Results } from '../worker/protocol.js';
import { encodeItems, itemsOf, Vocabulary } from './encoding.js';

/** Base of `Tokenizer`, `Embedder` and `Classifier`. Give one as `model` of another: they share it. */
export abstract class ModelUser implements AsyncDisposable {
  readonly #session: Session;
  readonly #latest = new Map<string, AbortController>();
  readonly #vocabulary = new Vocabulary();
  readonly #ending = new AbortController();
  #destroyed = false;

  protected constructor(session: Session) {
    this.#session = session.retain();
  }

  /** The session of another object, or a new one. */
  protected static async open(
    options: TokenizerCreateOptions,
    tokenizerOnly: boolean,
  ): Promise<Session> {
    if (options.model instanceof ModelUser) return options.model.#shared(options);
    const model: Source = options.files ?? options.model ?? 'default';
    return Session.open({ ...options, model, tokenizerOnly, loadEngine });
  }

  /** The session, for another object that asks for nothing else. */
  #shared({ precision }: TokenizerCreateOptions): Session {
    if (this.#destroyed)
      throw new PocketBertError('destroyed', 'the object given as model was destroyed');
    const found = this.info.model.precision;
    if (precision === undefined || precision === found) return this.#session;
    throw new PocketBertError(
      'invalid_argument',
      `the object given as model has ${found} weights, not ${precision}`,
    );
  }

  /** Closes a session that turned out to be of no use, unless others use it. */
  protected static async refuse(session: Session, error: unknown): Promise<never> {
    await session.retain().release();
    throw error;
  }

  /** Variant, threads and why; what the model is and does. */
  get info(): Info {
    return this.#session.info;
  }

  /** Bytes in use. They do not grow with the number of calls. */
  memory(): Promise<Memory> {
    return this.#session.memory();
  }

  /** What the worker has requested so far; empty if there is no worker. */
  async requests(): Promise<readonly RequestRecord[]> {
    return this.info.worker ? this.ask('requests', {}, {}) : [];
  }

  /** Number of tokens of the text, uncut, special tokens included. */
  countTokens(text: string, options?: CallOptions): Promise<number>;
  countTokens(texts: readonly TextInput[], options?: CallOptions): Promise<number[]>;
  async countTokens(
    texts: string | readonly TextInput[],
    options: CallOptions = {},
  ): Promise<number | number[]> {
    const parts = await this.ask('countTokens', { items: itemsOf(texts) }, options, texts);
    const counts = parts.flatMap((part) => [...part]);
    return typeof texts === 'string' ? (counts[0] ?? 0) : counts;
  }

  /** The tokens of a text with their places in it. */
  async tokenize(text: string, options: EncodeOptions = {}): Promise<Encoding> {
    const { pair, ...rest } = options;
    const [encoding] = await this.encodeAll(
      [pair === undefined ? text : { text, pair }],
      rest,
      text,
    );
    if (encoding === undefined) throw new PocketBertError('trap', 'the engine gave no encoding');
    return encoding;
  }

  /** Gives the memory back, and ends the worker if no other object shares it. */
  async destroy(): Promise<void> {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#ending.abort(destroyedError('while the call ran'));
    await this.#session.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.destroy();
  }

  protected async encodeAll(
    texts: readonly TextInput[],
    options: EncodeOptions,
    all: unknown,
  ): Promise<Encoding[]> {
    const items = itemsOf(texts);
    const aside: Ask = (method, args) => this.ask(method, args, {});
    return this.#forUser(options, all, (call) =>
      encodeItems(items, options, this.#vocabulary, { call, aside }),
    );
  }

  /**
   * Asks the engine on behalf of the user.
   * @param texts what the user gave: one text is urgent, a list is not
   */
  protected async ask<K extends Method>(
    method: K,
    args: Args[K],
    options: CallOptions,
    texts: unknown = '',
  ): Promise<Results[K]> {
    return this.#forUser(options, texts, (call) => call(method, args));
  }

  /** Does what the user called for; all that goes through `call` ends as the options say. */
  async #forUser<Result>(
    options: CallOptions,
    texts: unknown,
    work: (call: Ask) => Promise<Result>,
  ): Promise<Result> {
    if (this.#destroyed) throw destroyedError('before the call');
    const priority = options.priority ?? (Array.isArray(texts) ? 'batch' : 'interactive');
    const { signal, unlink } = this.#link(options);
    const onProgress = progressOf(options);
    try {
      return await work((method, args) =>
        this.#session.call(method, args, { priority, signal, onProgress }),
      );
    } finally {
      unlink();
    }
  }

  /** One signal for the user's signal, a newer call of the same key, and the end of this object. */
  #link({ signal, supersede }: CallOptions): { signal: AbortSignal; unlink(): void } {
    const control = new AbortController();
    const key =
      typeof supersede === 'string' ? `:${supersede}` : supersede === true ? '' : undefined;
    if (key !== undefined) {
      this.#latest
        .get(key)
        ?.abort(new PocketBertError('superseded', 'a newer call took the place of this one'));
      this.#latest.set(key, control);
    }
    const links = [signal, this.#ending.signal].map((cause) =>
      whenAborted(cause, (error) => control.abort(error)),
    );
    return {
      signal: control.signal,
      unlink: () => {
        for (const unlink of links) unlink();
        if (key !== undefined && this.#latest.get(key) === control) this.#latest.delete(key);
      },
    };
  }
}

/** Asks the engine one question. */
export type Ask = <K extends Method>(method: K, args: Args[K]) => Promise<Results[K]>;

function progressOf({ onProgress }: CallOptions): Report | undefined {
  return onProgress && ((done, total) => onProgress({ done, total }));
}
