/** Brings a model into a host: bytes go from the source straight into the engine's memory. */

import type { ModelInfo, TokenizerInfo } from '../core/types.js';
import { PocketBertError, refuse, throwIfAborted } from '../errors.js';
import type { CreateOptions } from '../types.js';
import type { Remote } from '../worker/client.js';
import { partBytes, sniff, type Bytes, type FileStore, type OpenFile } from './files.js';
import { later } from './platform.js';
import type { ProgressMeter } from './progress.js';
import { brokenHeader, readHeader, type HeadedFile } from './safetensors_header.js';
import type { Origin } from './source.js';

/** What came in: a model with its tokenizer, or a tokenizer alone. */
export interface Loaded {
  readonly name: string;
  readonly model: ModelInfo | undefined;
  readonly tokenizer: TokenizerInfo;
}

export interface LoadSettings extends Pick<CreateOptions, 'precision' | 'weights' | 'integrity'> {
  /** A tokenizer alone is enough. */
  readonly tokenizerOnly: boolean;
}

export interface LoadContext {
  /** Resolves when the engine is there; files are read meanwhile. */
  readonly remote: Promise<Remote>;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
  /** What the user should know; grows. */
  readonly notes: string[];
}

/** Bytes of buffers that may be on their way to the host at once; more while it is starting, so that
 *  the download need not wait for it. */
const bytesInFlight = 2 << 20;
const bytesAhead = 24 << 20;

/** Hands a buffer with bytes of a file to the host; gives it back when they are written. */
export type Send = (offset: number, bytes: Bytes) => Promise<ArrayBuffer>;

/** Sends parts to the host without waiting for each, but never too many; buffers come back. */
class Sender {
  readonly #waiting: { readonly bytes: number; readonly answer: Promise<ArrayBuffer> }[] = [];
  readonly #spare: ArrayBuffer[] = [];
  #bytes = 0;
  #limit = bytesInFlight;

  /** @param started resolves when the host takes parts, if it may not do so yet */
  constructor(started?: Promise<unknown>) {
    if (started === undefined) return;
    this.#limit = bytesAhead;
    const stop = (): void => void (this.#limit = bytesInFlight);
    started.then(stop, stop);
  }

  /** A buffer that came back. */
  spare(): ArrayBuffer | undefined {
    return this.#spare.pop();
  }

  async push(bytes: number, answer: Promise<ArrayBuffer>): Promise<void> {
    answer.catch(() => {});
    this.#waiting.push({ bytes, answer });
    this.#bytes += bytes;
    while (this.#bytes > this.#limit) await this.#shift();
  }

  async finish(): Promise<void> {
    while (this.#waiting.length > 0) await this.#shift();
  }

  async #shift(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const buffer = await next.answer;
    this.#bytes -= next.bytes;
    // Those of a start that took long would lie about for long, too: nothing collects them soon.
    if (this.#spare.length * partBytes < bytesInFlight) this.#spare.push(buffer);
    else buffer.transfer?.(0);
  }
}

/**
 * Sends the whole file, and checks its length.
 * @param started resolves when the host takes parts, if it may not do so yet
 */
export async function sendAll(
  headed: HeadedFile,
  send: Send,
  signal: AbortSignal,
  started?: Promise<unknown>,
): Promise<void> {
  const { file, size } = headed;
  const sender = new Sender(started);
  let offset = 0;
  for (
    let bytes = await file.read();
    bytes !== undefined;
    bytes = await file.read(sender.spare())
  ) {
    throwIfAborted(signal);
    const start = offset;
    offset += bytes.length;
    if (size !== undefined && offset > size) break;
    await sender.push(bytes.buffer.byteLength, send(start, bytes));
  }
  await sender.finish();
  if (size === undefined || offset === size) return;
  const found =
    offset < size
      ? `ended after ${offset} bytes: it is truncated`
      : 'goes on behind its last tensor';
  throw new PocketBertError('format', `${file.label} ${found}; its header says ${size} bytes`);
}

async function loadFile(
  file: OpenFile,
  name: string,
  settings: LoadSettings,
  context: LoadContext,
): Promise<Loaded> {
  const { signal, meter } = context;
  const headed = await readHeader(file);
  if (headed.metadata === undefined || headed.size === undefined) throw brokenHeader(headed);
  if (headed.metadata['format'] !== 'pocketbert') {
    throw new PocketBertError(
      'unsupported',
      `${file.label} is a plain safetensors file without config and tokenizer`,
      {
        hint: 'give its folder, or convert it with `npx pocketbert convert`',
      },
    );
  }
  if (settings.weights !== undefined) {
    refuse('weights', settings.weights, `none: ${file.label} is one file`);
  }
  meter.add(file.label, headed.size);
  meter.allKnown();
  const byteLength = headed.size;
  const started = context.remote.then(async (remote) => {
    await remote.call('beginFile', { byteLength }, { signal });
    return remote;
  });
  const send: Send = async (offset, bytes) =>
    (await started).call('writeFile', { offset, bytes }, { signal, transfer: [bytes.buffer] });
  await sendAll(headed, send, signal, started);
  const remote = await started;
  meter.prepare();
  const model = await remote.call('openFile', { source: file.label }, { signal });
  if (settings.precision !== undefined && settings.precision !== model.precision) {
    throw new PocketBertError(
      'unsupported',
      `${file.label} holds ${model.precision} weights; ${settings.precision} was asked for`,
      {
        hint: 'load the original folder with this precision',
      },
    );
  }
  return { name, model, tokenizer: model.tokenizer };
}

/** Loads what is at `origin`; on failure the host is in no defined state and must be closed. */
export async function load(
  origin: Origin,
  settings: LoadSettings,
  context: LoadContext,
): Promise<Loaded> {
  const { Integrity } =
    settings.integrity === undefined ? {} : await later(import('./integrity.js'));
  const integrity = Integrity && new Integrity(settings.integrity);
  const open: OpenFile[] = [];
  let failed = false;
  const watch = (file: OpenFile, path: string, isOnlyFile = false): OpenFile => {
    if (failed) file.close();
    open.push(file);
    const read = metered(file, context.meter);
    return integrity?.check(read, path, isOnlyFile) ?? read;
  };
  const fromFile = async (one: Extract<Origin, { kind: 'file' }>): Promise<Loaded> => {
    const file = watch(await sniff(await one.open(), `${one.name}.safetensors`), one.name, true);
    return loadFile(file, one.name, settings, context);
  };
  const fromFolder = async (store: FileStore): Promise<Loaded> => {
    const { loadFolder } = await later(import('./folder.js'));
    const found = await loadFolder(store, settings, context, watch);
    if ('tokenizer' in found) return found;
    return loadFile(await found.open(), found.name, settings, context);
  };
  try {
    const loaded = await (origin.kind === 'file' ? fromFile(origin) : fromFolder(origin.store));
    integrity?.finish();
    return loaded;
  } catch (thrown) {
    failed = true;
    for (const file of open) file.close();
    throw thrown;
  }
}

function metered(file: OpenFile, meter: ProgressMeter): OpenFile {
  let loaded = 0;
  meter.add(file.label, file.expected ?? 0);
  return {
    ...file,
    async read(spare) {
      const bytes = await file.read(spare);
      loaded += bytes?.length ?? 0;
      if (bytes !== undefined) meter.read(file.label, loaded);
      return bytes;
    },
  };
}
