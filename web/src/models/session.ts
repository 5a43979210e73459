/**
 * One engine with one model in it: loaded, shared by the objects that use it, started again after a
 * trap, and given back when its last user is destroyed.
 */

import type { LoadEngine, ModelInfo as EngineModelInfo } from '../core/types.js';
import { isSource } from '../core/wasm_source.js';
import { destroyedError, whenAborted } from '../endings.js';
import { abortError, PocketBertError, throwIfAborted, toPocketBertError } from '../errors.js';
import type { CreateOptions, Info, Memory, Source, WasmFiles, WasmSource } from '../types.js';
import { HostLost, Remote, type RemoteCallOptions } from '../worker/client.js';
import { openDirectPort, openWorkerPort } from '../worker/ports.js';
import type { Args, Method, Results } from '../worker/protocol.js';
import type { EngineFacts } from '../worker/host.js';
import { startEngine } from '../worker/start_engine.js';
import { isRecord } from './files.js';
import { describe } from './info.js';
import { load, type Loaded } from './load.js';
import { hasDisk, pageAddress } from './platform.js';
import { ProgressMeter } from './progress.js';
import { originOf } from './source.js';

/** `CreateOptions` with a source that is no other object. */
export interface SessionOptions extends CreateOptions {
  readonly model: Source;
  readonly tokenizerOnly: boolean;
  readonly loadEngine: LoadEngine;
}

/** A host that is ready, and what is in it. */
interface Running {
  readonly remote: Remote;
  readonly facts: EngineFacts;
  readonly loaded: Loaded;
  readonly notes: readonly string[];
}

const replacedNote = 'a worker fell silent and was replaced';

function isTable(wasm: unknown): wasm is WasmFiles {
  return isRecord(wasm) && !isSource(wasm);
}

function engineOptions(options: SessionOptions): Args['start']['options'] {
  const { variant, threads, wasm, maxBatchTokens } = options;
  const page = pageAddress();
  const placed = (source: WasmSource | undefined): WasmSource | undefined =>
    source instanceof URL || (typeof source === 'string' && page !== undefined)
      ? new URL(source, page).href
      : source;
  const sources = isTable(wasm)
    ? Object.fromEntries(Object.entries(wasm).map(([name, source]) => [name, placed(source)]))
    : placed(wasm);
  return { variant, threads, wasm: sources, maxBatchTokens };
}

function runsInWorker(options: SessionOptions): boolean {
  return options.worker ?? (typeof Worker === 'function' && !hasDisk());
}

/** The listener, which notes what it throws in `faults`. */
function guarded(
  listener: CreateOptions['onProgress'],
  faults: unknown[],
): CreateOptions['onProgress'] {
  return (
    listener &&
    ((progress) => {
      try {
        listener(progress);
      } catch (thrown) {
        faults.push(thrown);
        throw thrown;
      }
    })
  );
}

/** An engine and its model, from nothing; leaves nothing behind if it fails. */
async function run(options: SessionOptions, outer: AbortSignal | undefined): Promise<Running> {
  throwIfAborted(outer);
  const control = new AbortController();
  const unlink = whenAborted(outer, (error) => control.abort(error));
  const { signal } = control;
  const faults: unknown[] = [];
  const meter = new ProgressMeter(guarded(options.onProgress, faults));
  const notes: string[] = [];
  const openPort = runsInWorker(options) ? openWorkerPort : openDirectPort(options.loadEngine);
  try {
    const reading = {
      fetch:
        options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init)),
      offline: options.offline ?? false,
      signal,
      note: (sentence: string) => void notes.push(sentence),
    };
    const isWarm = !options.tokenizerOnly && options.precision !== 'float32';
    const engine = startEngine(openPort, { options: engineOptions(options), warm: isWarm }, signal);
    const remote = engine.then((started) => {
      meter.engineReady();
      return started.remote;
    });
    remote.catch(() => {});
    const origin = await originOf(options.model, reading);
    const loading = load(origin, options, { remote, meter, signal, notes });
    const [started, loaded] = await Promise.all([engine, loading]);
    await warm(started.remote, loaded, signal);
    if (started.replaced > 0) notes.push(replacedNote);
    meter.ready();
    return { ...started, loaded, notes };
  } catch (thrown) {
    const error = thrown instanceof HostLost ? new PocketBertError('trap', thrown.message) : thrown;
    control.abort(error);
    if (faults.length > 0) throw faults[0];
    throw toPocketBertError(
      outer?.aborted ? abortError(outer) : error,
      'trap',
      'the model could not be loaded',
    );
  } finally {
    unlink();
  }
}

/**
 * The first calls are slow, because engines optimize code that has run: better here. Texts of 3 to 14
 * tokens: all shapes of the kernels, in so many calls that V8 has replaced what it compiled in haste.
 * For int8 the engine did most of that by itself, before the model was there.
 */
async function warm(remote: Remote, { model }: Loaded, signal: AbortSignal): Promise<void> {
  const calls: Promise<unknown>[] = [];
  const step = model?.precision === 'int8' ? 11 : 1;
  for (let words = 1; model && words <= 12; words += step) {
    calls.push(remote.call('embed', { texts: ['warm '.repeat(words)], options: {} }, { signal }));
  }
  await Promise.all(calls);
}

export class Session {
  readonly #options: SessionOptions;
  #running: Promise<Running>;
  #users = 0;
  #destroyed = false;
  #info: Info;
  #loaded: Loaded;

  private constructor(options: SessionOptions, running: Running) {
    this.#options = options;
    this.#running = Promise.resolve(running);
    this.#loaded = running.loaded;
    this.#info = this.#describe(running);
  }

  /** Loads the model; resolves when the first call will be as fast as all others. */
  static async open(options: SessionOptions): Promise<Session> {
    return new Session(options, await run(options, options.signal));
  }

  get info(): Info {
    return this.#info;
  }

  /** Facts of the model as the engine tells them; undefined for a tokenizer alone. */
  get model(): EngineModelInfo | undefined {
    return this.#loaded.model;
  }

  /** One more user; the session lives until `release` was called as often. */
  retain(): this {
    this.#throwIfDestroyed();
    this.#users += 1;
    return this;
  }

  async release(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0 || this.#destroyed) return;
    this.#destroyed = true;
    const running = await this.#running.catch(() => undefined);
    running?.remote.close(destroyedError('while the call ran'));
  }

  /** Asks the engine, and again in a new one whenever another call's trap ends it. */
  async call<K extends Method>(
    method: K,
    args: Args[K],
    options?: RemoteCallOptions,
  ): Promise<Results[K]> {
    const callSite = new Error('call site');
    for (;;) {
      this.#throwIfDestroyed();
      const { remote } = await this.#ready(options?.signal);
      try {
        return await remote.call(method, args, { ...options, callSite });
      } catch (thrown) {
        if (!(thrown instanceof HostLost)) throw thrown;
      }
    }
  }

  async memory(): Promise<Memory> {
    const { wasmBytes, usedBytes } = await this.call('memory', {});
    const { model } = this.#loaded;
    return {
      wasm: wasmBytes,
      used: usedBytes,
      weights: model?.weightBytes ?? 0,
      arena: model?.scratchBytes ?? 0,
    };
  }

  async #ready(signal: AbortSignal | undefined): Promise<Running> {
    throwIfAborted(signal);
    const before = this.#running;
    const running = await before.catch(() => undefined);
    if (running?.remote.alive) return running;
    this.#throwIfDestroyed();
    if (this.#running === before) this.#running = this.#restart();
    return this.#running;
  }

  async #restart(): Promise<Running> {
    const running = await run({ ...this.#options, onProgress: undefined }, undefined).catch(
      (thrown: unknown) => {
        const { code, message } = toPocketBertError(thrown, 'trap', '');
        throw new PocketBertError(
          code,
          `the model could not be loaded again after a trap: ${message}`,
          { hint: 'its source is gone: create a new object', cause: thrown },
        );
      },
    );
    this.#loaded = running.loaded;
    this.#info = this.#describe(running);
    if (this.#destroyed) running.remote.close(destroyedError('while the call ran'));
    return running;
  }

  #describe(running: Running): Info {
    return describe(running, runsInWorker(this.#options));
  }

  #throwIfDestroyed(): void {
    if (this.#destroyed) throw destroyedError('before the call');
  }
}
