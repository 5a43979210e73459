/// <reference lib="esnext.disposable" preserve="true" />

/** What all objects of the API have in common: a session, and a way to share it and to end it. */

import { loadEngine } from '../core/engine.js';
import { destroyedError, whenAborted } from '../endings.js';
import { PocketBertError, throwIfAborted } from '../errors.js';
import { Session } from '../models/session.js';
import type {
  CallOptions,
  CreateOptions,
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
import { partsOf } from '../worker/slices.js';
import { encodeItems, itemsOf, Vocabulary } from './encoding.js';
import {
  callTable,
  check,
  checkValue,
  createTable,
  encodeTable,
  sharedTable,
  type Table,
} from './options.js';

/** Base of `Tokenizer`, `Embedder` and all others. Give one as `model` of another: they share it. */
export abstract class ModelUser implements AsyncDisposable {
  readonly #session: Session;
  readonly #latest = new Map<string, AbortController>();
  readonly #vocabulary = new Vocabulary();
  readonly #ending = new AbortController();
  #destroyed = false;

  protected constructor(...unknown: never[]);
  /** @internal */
  protected constructor(session: Session);
  protected constructor(session: Session) {
    this.#session = session.retain();
  }

  /** The session of another object, or a new one. @internal */
  protected static async open(
    options: TokenizerCreateOptions,
    table: Table = createTable,
  ): Promise<Session> {
    check(options, table);
    if (options.model instanceof ModelUser) return options.model.#shared(options);
    const tokenizerOnly = table !== createTable;
    const model: Source = options.files ?? options.model ?? 'default';
    return Session.open({ ...options, model, tokenizerOnly, loadEngine });
  }

  /**
   * The session of a model that has a head for `task`, else an error.
   * @param needs what such a head does, for the message
   * @param hint default: what the model can do
   * @internal
   */
  protected static async openHead(
    options: CreateOptions,
    task: string,
    needs: string,
    hint?: string,
  ): Promise<Session> {
    const session = await ModelUser.open(options);
    const { model, info } = session;
    if (model?.tasks.includes(task)) return session;
    const name = info.model.name || 'the model';
    const architectures = model?.architectures.join() || 'of no architecture';
    const message = `${name} (${architectures}) has no head that ${needs}`;
    const { tasks } = info.model;
    const can = tasks.length > 0 ? `it can ${tasks.join(', ')}` : 'it can only tokenize';
    const error = new PocketBertError('unsupported', message, { hint: hint ?? can });
    return ModelUser.refuse(session, error);
  }

  /** The session, for another object that asks for nothing else. */
  #shared(options: TokenizerCreateOptions): Session {
    const { precision, signal, onProgress } = options;
    if (this.#destroyed)
      throw new PocketBertError('destroyed', 'the object given as model was destroyed');
    check(options, sharedTable, 'the options beside a shared engine');
    if (precision !== undefined)
      checkValue('precision', precision, [this.info.model.precision]);
    throwIfAborted(signal);
    onProgress?.({ phase: 'ready', fraction: 1, loaded: 0, total: 0, file: '' });
    return this.#session;
  }

  /** Closes a session that turned out to be of no use, unless others use it. @internal */
  protected static async refuse(session: Session, error: unknown): Promise<never> {
    await session.retain().release();
    throw error;
  }

  /** Variant, threads and why; what the model is and does. */
  get info(): Info {
    return this.#session.info;
  }

  /** Bytes in use. They do not grow with the number of calls. */
  async memory(): Promise<Memory> {
    this.#throwIfDestroyed();
    return this.#session.memory();
  }

  /** What the worker has requested so far; empty if there is no worker. */
  async requests(): Promise<readonly RequestRecord[]> {
    this.#throwIfDestroyed();
    return this.info.worker ? this.ask('requests', {}, {}) : [];
  }

  /** Number of tokens of the text, uncut, special tokens included. */
  countTokens(text: string, options?: CallOptions): Promise<number>;
  countTokens(texts: readonly TextInput[], options?: CallOptions): Promise<number[]>;
  countTokens(
    texts: string | readonly TextInput[],
    options?: CallOptions,
  ): Promise<number | number[]>;
  async countTokens(
    texts: string | readonly TextInput[],
    options: CallOptions = {},
  ): Promise<number | number[]> {
    check(options, callTable);
    const parts = await this.ask('countTokens', { parts: partsOf(itemsOf(texts)) }, options, texts);
    const counts = parts.flatMap((part) => [...part]);
    return Array.isArray(texts) ? counts : (counts[0] ?? 0);
  }

  /** The tokens of a text with their places in it. */
  async tokenize(source: string, options: EncodeOptions = {}): Promise<Encoding> {
    check(options, encodeTable);
    const { pair, ...rest } = options;
    const [encoding] = await this.encodeAll(
      [pair === undefined ? source : { text: source, pair }],
      rest,
      source,
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

  /** @internal */
  protected async encodeAll(
    texts: readonly TextInput[],
    options: EncodeOptions,
    all: unknown,
  ): Promise<Encoding[]> {
    const items = itemsOf(texts);
    const aside: Ask = (method, args) => this.ask(method, args, {});
    return this.forUser(options, all, (call) =>
      encodeItems(items, ownOptions(options), this.#vocabulary, { call, aside }),
    );
  }

  /**
   * Asks the engine on behalf of the user.
   * @param texts what the user gave: one text is urgent, a list is not
   * @internal
   */
  protected async ask<K extends Method>(
    method: K,
    args: Args[K],
    options: CallOptions,
    texts: unknown = '',
  ): Promise<Results[K]> {
    return this.forUser(options, texts, (call) => call(method, args));
  }

  /**
   * Does what the user called for; all that goes through `call` ends as the options say, which `signal`
   * tells.
   * @internal
   */
  protected async forUser<Result>(
    options: CallOptions,
    texts: unknown,
    work: (call: Ask, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    this.#throwIfDestroyed();
    throwIfAborted(options.signal);
    const count = Array.isArray(texts) ? texts.length : 1;
    const { priority = Array.isArray(texts) ? 'batch' : 'interactive', onProgress: tell } = options;
    const { signal, unlink } = this.#link(options);
    const onProgress: Report | undefined = tell && ((done, total) => tell({ done, total }));
    try {
      const call: Ask = (method, args, report = onProgress) =>
        this.#session.call(method, args, { priority, signal, onProgress: report });
      const result = await work(call, signal);
      throwIfAborted(signal);
      onProgress?.(count, count);
      return result;
    } finally {
      unlink();
    }
  }

  #throwIfDestroyed(): void {
    if (this.#destroyed) throw destroyedError('before the call');
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

/** Asks the engine one question; `report` in place of the user's `onProgress`. @internal */
export type Ask = <K extends Method>(
  method: K,
  args: Args[K],
  report?: Report,
) => Promise<Results[K]>;

/** What of the options is for the engine; lists as they are now, whatever the caller does later. @internal */
export function ownOptions<Options extends CallOptions>(options: Options) {
  const { signal, priority, supersede, onProgress, ...own } = options;
  for (const [name, value] of Object.entries(own)) {
    if (Array.isArray(value)) Object.assign(own, { [name]: [...value] });
  }
  return own;
}
