/** `loadEngine`: from a variant and a wasm source to an `Engine`. The types are in types.ts. */

import { PocketBertError, messageOf, throwIfAborted } from '../errors.js';
import { WasmByteBuffer } from './byte_buffer.js';
import { WasmImporter } from './importer.js';
import { Handle, Instance } from './instance.js';
import { WasmModel } from './model.js';
import { wellFormed } from './options.js';
import { kVariantFiles, loadGlue, type Glue, type RawModule } from './raw_module.js';
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

/** Workers that did not start by then never will: a policy of the page holds them back. */
const kThreadStartMs = 10_000;

/** Lines of the module's error output that are kept. */
const kLogLines = 20;

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

  constructor(instance: Instance, facts: Facts) {
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

  createImporter(files: FolderTexts, options?: ImportOptions): EngineImporter {
    return new WasmImporter(this.#instance, files, options);
  }

  openTokenizer(files: FolderTexts): EngineTokenizer {
    const texts = writeFiles(this.#instance, files);
    try {
      const raw = this.#instance.call((module) => module.openTokenizer(texts.raw));
      return new WasmTokenizer(this.#instance, new Handle(this.#instance, 'tokenizer', raw), true);
    } finally {
      texts.free();
    }
  }

  memory(): EngineMemory {
    return this.#instance.call((raw) => ({
      wasmBytes: raw.memoryBytes(),
      usedBytes: raw.usedBytes(),
    }));
  }

  destroy(): void {
    this.#instance.destroy();
  }
}

/** Starts a compiled module. Rejects with whatever keeps it from running here. */
async function instantiate(glue: Glue, module: WebAssembly.Module, threads: number): Promise<Instance> {
  const log: string[] = [];
  const keep = (line: string): void => {
    log.push(line);
    if (log.length > kLogLines) log.shift();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const raw = await new Promise<RawModule>((resolve, reject) => {
    if (threads > 1) {
      const late = () => reject(new Error(`its workers did not start: ${log.at(-1) ?? 'no answer'}`));
      timer = setTimeout(late, kThreadStartMs);
    }
    glue({
      threads,
      instantiateWasm: (imports, receive) => {
        WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module), reject);
        return {};
      },
      print: keep,
      printErr: keep,
    }).then(resolve, reject);
  }).finally(() => clearTimeout(timer));
  return new Instance(raw, log);
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
      return new WasmEngine(instance, { ...choice, reasons, maxBatchTokens });
    } catch (error) {
      if (error instanceof PocketBertError) throw error;
      reasons.push(`${choice.variant} is not used: ${messageOf(error)}`);
      last = error;
    }
  }
  const code = last instanceof RangeError ? 'out_of_memory' : 'unsupported';
  throw new PocketBertError(code, `no variant could be started: ${reasons.join('; ')}`, { cause: last });
};
