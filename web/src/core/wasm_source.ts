/** From an address, bytes or a module to a compiled wasm module. */

import { PocketBertError, messageOf, throwIfAborted, toPocketBertError } from '../errors.js';
import type { EngineOptions, VariantName, WasmSource } from './types.js';
import { isNode } from './variants.js';

type FetchOptions = Pick<EngineOptions, 'fetch' | 'signal'>;

/** Names the variant inside a wasm file, see bindings/memory_binding.cc. */
const kVariantSection = 'pocketbert';

const kWasmMagic = [0x00, 0x61, 0x73, 0x6d];

const kWasmHint = 'the option `wasm` takes an address, bytes or a WebAssembly.Module instead';

/** The variant that a compiled module of ours is, or an error if it is none of ours. */
export function variantOf(module: WebAssembly.Module): string {
  const [section] = WebAssembly.Module.customSections(module, kVariantSection);
  if (section !== undefined) return new TextDecoder().decode(section);
  throw new PocketBertError('format', 'the wasm module given is not one of PocketBERT', { hint: kWasmHint });
}

/** Compiles `source`. Throws `network` or `format` where that is the fault of what was given, and
 *  WebAssembly.CompileError where this host cannot run it. */
export async function compileSource(
  source: WasmSource,
  options: FetchOptions,
): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== 'string' && !(source instanceof URL)) {
    return compileBytes(asBytes(source), 'the wasm bytes given');
  }
  const path = diskPath(source);
  const module =
    path === undefined ? await compileFetched(source, options) : await compileFile(path);
  throwIfAborted(options.signal);
  return module;
}

function asBytes(source: BufferSource): Uint8Array {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  return new Uint8Array(source);
}

/** In node: the path that a file URL, or a string that is no URL, stands for. */
function diskPath(source: URL | string): URL | string | undefined {
  if (!isNode()) return undefined;
  if (source instanceof URL) return source.protocol === 'file:' ? source : undefined;
  if (source.startsWith('file:')) return new URL(source);
  return /^[a-z][a-z0-9+.-]+:/i.test(source) ? undefined : source;
}

async function compileFile(path: URL | string): Promise<WebAssembly.Module> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw toPocketBertError(error, 'network', `the wasm file ${String(path)} cannot be read`);
  }
  return compileBytes(bytes, `the wasm file ${String(path)}`);
}

async function compileBytes(bytes: Uint8Array, what: string): Promise<WebAssembly.Module> {
  if (!kWasmMagic.every((byte, i) => bytes[i] === byte)) {
    const found = new TextDecoder().decode(bytes.subarray(0, 40)).replaceAll(/\s+/g, ' ');
    throw new PocketBertError('format', `${what} is no WebAssembly: it begins with "${found}"`, {
      hint: kWasmHint,
    });
  }
  return WebAssembly.compile(bytes as BufferSource);
}

async function compileFetched(
  address: URL | string,
  options: FetchOptions,
): Promise<WebAssembly.Module> {
  const response = await fetchWasm(address, options);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/wasm') && 'compileStreaming' in WebAssembly) {
    return WebAssembly.compileStreaming(response);
  }
  const what = `the answer for ${String(address)} (status ${String(response.status)}, type ${type || 'unknown'})`;
  return compileBytes(new Uint8Array(await response.arrayBuffer()), what);
}

async function fetchWasm(address: URL | string, options: FetchOptions): Promise<Response> {
  const { fetch = globalThis.fetch, signal } = options;
  let response: Response;
  try {
    response = await fetch(address, signal === undefined ? {} : { signal });
  } catch (error) {
    throwIfAborted(signal);
    throw new PocketBertError('network', `${String(address)} cannot be fetched: ${messageOf(error)}`, {
      hint: kWasmHint,
      cause: error,
    });
  }
  if (!response.ok) {
    throw new PocketBertError(
      'network',
      `${String(address)} answered with status ${String(response.status)} ${response.statusText}`,
      { hint: kWasmHint },
    );
  }
  return response;
}

/** The source that `wasm` names for a module, if it does. One source alone is a variant's. */
export function sourceFor(
  wasm: EngineOptions['wasm'],
  name: VariantName | 'import',
): WasmSource | undefined {
  if (wasm === undefined) return undefined;
  if (!isSource(wasm)) return wasm[name];
  return name === 'import' ? undefined : wasm;
}

/** True for one source, false for a table of them by variant. */
export function isSource(wasm: unknown): wasm is WasmSource {
  return (
    typeof wasm === 'string' ||
    wasm instanceof URL ||
    wasm instanceof WebAssembly.Module ||
    wasm instanceof ArrayBuffer ||
    ArrayBuffer.isView(wasm)
  );
}
