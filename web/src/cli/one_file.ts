/** The header of a one-file model: reading its metadata, adding to them. */

import { PocketBertError } from '../errors.js';
import { isRecord } from '../models/files.js';

type Json = { readonly [key: string]: unknown };

/** Data of a one-file model begin at a multiple of this many bytes. */
const dataAlignment = 64;

/** Name of the JSON text in the metadata that holds what a conversion measured. */
const fidelityKey = 'fidelity';

interface Header {
  readonly json: Json;
  /** Bytes before the data. */
  readonly end: number;
}

function headerOf(file: Uint8Array): Header {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = 8 + Number(view.getBigUint64(0, true));
  const json: unknown = JSON.parse(new TextDecoder().decode(file.subarray(8, end)));
  if (!isRecord(json)) throw new PocketBertError('format', 'the header of the model is no JSON object');
  return { json, end };
}

function metadataOf(json: Json): Json {
  const metadata = json['__metadata__'];
  return isRecord(metadata) ? metadata : {};
}

/** What the importer measured while it quantized; empty for float32. */
export function fidelityOf(file: Uint8Array): Json {
  const text = metadataOf(headerOf(file).json)[fidelityKey];
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : {};
  return isRecord(value) ? value : {};
}

export interface TensorFacts {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** All tensors, in the order of the file. */
export function tensorsOf(file: Uint8Array): TensorFacts[] {
  const tensors: TensorFacts[] = [];
  for (const [name, value] of Object.entries(headerOf(file).json)) {
    if (name === '__metadata__' || !isRecord(value)) continue;
    const { dtype, shape, data_offsets: offsets } = value;
    const [begin, end] = numbers(offsets);
    tensors.push({ name, dtype: String(dtype), shape: numbers(shape), bytes: (end ?? 0) - (begin ?? 0) });
  }
  return tensors;
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'number') : [];
}

/** The same model with `fidelity` in its metadata, as the parts of the file: header, then data. */
export function withFidelity(file: Uint8Array, fidelity: Json): readonly [Uint8Array, Uint8Array] {
  const { json, end } = headerOf(file);
  const metadata = { ...metadataOf(json), [fidelityKey]: JSON.stringify(fidelity) };
  const text = new TextEncoder().encode(JSON.stringify({ ...json, __metadata__: metadata }));
  const header = new Uint8Array(Math.ceil((8 + text.length) / dataAlignment) * dataAlignment).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(header.length - 8), true);
  header.set(text, 8);
  return [header, file.subarray(end)];
}
