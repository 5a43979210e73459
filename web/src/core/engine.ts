/** `loadEngine`: from a variant and a wasm source to an `Engine`. The types are in types.ts. */

import { PocketBertError, messageOf, throwIfAborted } from '../errors.js';
import { WasmByteBuffer } from './byte_buffer.js';
import { WasmImporter } from './importer.js';
import { startImportInstance } from './import_instance.js';
import { Handle, type Instance } from './instance.js';
import { WasmModel } from './model.js';
import { wellFormed } from './options.js';
import { kVariantFiles, loadGlue, type ImportModule } from './raw_module.js';
import { instantiate } from './start_module.js';
import { writeFiles } from './texts.js';
import { WasmTokenizer } from './tokenizer.js';
import type {
  ByteBuffer,
  Engine,
  EngineImporter,
  EngineMemory,
  EngineModel,
  EngineOptions,
  EngineTokenizer,
  FolderTexts,
  ImportOptions,
  LoadEngine,
} from './types.js';
import { chooseVariants, probeHost, type Candidates, type Choice } from './variants.js';
import { compileSource, isSource, sourceFor, variantOf } from './wasm_source.js';

export type * from './types.js';

const kDefaultBatchTokens = 512;

interface Facts extends Choice {
  reasons: readonly string[];
  maxBatchTokens: number;
}

class WasmEngine implements Engine {
  readonly variant: Engine['variant'];
  readonly threads: number;
  readonly reasons: readonly string[];
  readonly maxBatchTokens: number;
  readonly #instance: Instance;
  readonly #handle: Handle;
  readonly #options: EngineOptions;
  /** Those that import a folder or hold a folder's tokenizer. */
  readonly #imports = new Set<Instance<ImportModule>>();

  constructor(instance: Instance, facts: Facts, options: EngineOptions) {
    this.#options = options;
    this.variant = facts.variant;
    this.threads = facts.threads;
    this.reasons = facts.reasons;
    this.maxBatchTokens = facts.maxBatchTokens;
    this.#instance = instance;
    const raw = instance.call((module) => module.createEngine(facts.threads, facts.maxBatchTokens));
    this.#handle = new Handle(instance, 'engine', raw);
  }

  get alive(): boolean {
    return this.#instance.alive;
  }

  warmUp(): void {
    this.#instance.call((raw) => raw.warmUp(this.#handle.raw));
  }

  allocate(byteLength: number): ByteBuffer {
    return WasmByteBuffer.allocate(this.#instance, byteLength);
  }

  openModel(file: ByteBuffer | Uint8Array, options: { source?: string } = {}): EngineModel {
    const buffer = file instanceof Uint8Array ? WasmByteBuffer.copyOf(this.#instance, file) : file;
    if (!(buffer instanceof WasmByteBuffer)) {
      throw new PocketBertError('invalid_argument', 'openModel takes bytes');
    }
    const engine = this.#handle.raw;
    const name = wellFormed(options.source ?? '') || 'model.pocketbert.safetensors';
    try {
      const raw = this.#instance.call((module) => module.openModel(engine, buffer.raw, name));
      return new WasmModel(this.#instance, raw);
    } finally {
      buffer.free();
    }
  }

  async createImporter(files: FolderTexts, options: ImportOptions = {}): Promise<EngineImporter> {
    const instance = await this.#startImport();
    try {
      return new WasmImporter(instance, this, files, options, () => this.#endImport(instance));
    } catch (error) {
      this.#endImport(instance);
      throw error;
    }
  }

  async openTokenizer(files: FolderTexts): Promise<EngineTokenizer> {
    const instance = await this.#startImport();
    const texts = writeFiles(instance, files);
    try {
      const raw = instance.call((module) => module.openTokenizer(texts.raw));
      return new WasmTokenizer(instance, new Handle(instance, 'tokenizer', raw), () => this.#endImport(instance));
    } catch (error) {
      this.#endImport(instance);
      throw error;
    } finally {
      texts.free();
    }
  }

  async #startImport(): Promise<Instance<ImportModule>> {
    const instance = await startImportInstance(this.#options);
    if (!this.alive) {
      instance.destroy();
      throw new PocketBertError('destroyed', 'the engine was destroyed');
    }
    this.#imports.add(instance);
    return instance;
  }

  #endImport(instance: Instance<ImportModule>): void {
    this.#imports.delete(instance);
    instance.destroy();
  }

  memory(): EngineMemory {
    const total = { wasmBytes: 0, usedBytes: 0 };
    // An import that trapped has ended alone.
    const imports = [...this.#imports].filter((instance) => instance.alive);
    for (const instance of [this.#instance, ...imports]) {
      total.wasmBytes += instance.call((raw) => raw.memoryBytes());
      total.usedBytes += instance.call((raw) => raw.usedBytes());
    }
    return total;
  }

  destroy(): void {
    for (const instance of [this.#instance, ...this.#imports]) instance.destroy();
    this.#imports.clear();
  }
}

/** The one choice that a wasm source given for `auto` leaves, and its module. */
interface Prepared {
  candidates: Candidates;
  module: WebAssembly.Module | undefined;
}

async function prepare(options: EngineOptions): Promise<Prepared> {
  const { variant = 'auto', threads, wasm } = options;
  const host = await probeHost();
  if (variant !== 'auto' || wasm === undefined || !isSource(wasm)) {
    return { candidates: chooseVariants(host, variant, threads), module: undefined };
  }
  const module = await compileSource(wasm, options);
  return { candidates: chooseVariants(host, variantOf(module), threads), module };
}

async function start(choice: Choice, prepared: Prepared, options: EngineOptions): Promise<Instance> {
  const glue = loadGlue(choice.variant);
  glue.catch(() => {});
  const source = sourceFor(options.wasm, choice.variant) ?? kVariantFiles[choice.variant].wasm();
  const module = prepared.module ?? (await compileSource(source, options));
  const found = variantOf(module);
  if (found !== choice.variant) {
    throw new PocketBertError('format', `the wasm given is variant ${found}, expected ${choice.variant}`);
  }
  const instance = await instantiate(await glue, module, choice.threads);
  if (options.signal?.aborted) instance.destroy();
  throwIfAborted(options.signal);
  return instance;
}

/** Tries the variants that this host should run, best first. A file that cannot be had or is wrong
 *  ends the search; a host that cannot run a variant after all gets the next one. */
export const loadEngine: LoadEngine = async (options = {}) => {
  throwIfAborted(options.signal);
  const { maxBatchTokens = kDefaultBatchTokens } = options;
  const prepared = await prepare(options);
  const { choices } = prepared.candidates;
  const reasons = [...prepared.candidates.reasons];
  let last: unknown;
  for (const choice of choices) {
    try {
      const instance = await start(choice, prepared, options);
      return new WasmEngine(instance, { ...choice, reasons, maxBatchTokens }, options);
    } catch (error) {
      if (error instanceof PocketBertError) throw error;
      reasons.push(`${choice.variant} is not used: ${messageOf(error)}`);
      last = error;
    }
  }
  const code = last instanceof RangeError ? 'out_of_memory' : 'unsupported';
  throw new PocketBertError(code, `no variant could be started: ${reasons.join('; ')}`, { cause: last });
};
