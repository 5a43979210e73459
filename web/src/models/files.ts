/** A file that is being read, whatever it comes from, and stores of such files. */

import { PocketBertError, toPocketBertError } from '../errors.js';

/** Bytes in a buffer that is not shared between threads. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes that are read at once, where that can be chosen. */
export const partBytes = 1 << 18;

/** Reads a file from its beginning. */
export interface OpenFile {
  /** What messages call it: address or path. */
  readonly label: string;
  /** Bytes of the file, where that is certain. */
  readonly size: number | undefined;
  /** Bytes of the file as far as somebody said so; good for progress only. */
  readonly expected: number | undefined;
  /**
   * The next bytes, undefined at the end. Their whole buffer is the caller's, to hand over or to change.
   * @param spare a buffer that is not needed any more and may be filled again
   */
  read(spare?: ArrayBuffer): Promise<Bytes | undefined>;
  /** Stops reading; again is harmless. */
  close(): void;
}

/** Files by relative path. */
export interface FileStore {
  /** What messages call it. */
  readonly label: string;
  /** Name of the model that lies in it, for `info`. */
  readonly name: string;
  /** All paths, if the store can tell. */
  list(): Promise<readonly string[] | undefined>;
  /** Undefined if there is no such file. */
  open(path: string): Promise<OpenFile | undefined>;
}

/** Each part of a blob is a request to another process: larger ones are worth it. */
const blobPartBytes = 1 << 20;

/**
 * Copies chunks of any size into spare buffers. Only these few buffers go to a worker and come back: the
 * chunks stay where the browser counts them, and are freed in time.
 */
export function intoSpares(nextChunk: () => Promise<Uint8Array | undefined>): OpenFile['read'] {
  let chunk: Uint8Array | undefined;
  return async (spare = new ArrayBuffer(partBytes)) => {
    while (chunk === undefined || chunk.length === 0) {
      chunk = await nextChunk();
      if (chunk === undefined) return undefined;
    }
    const part = new Uint8Array(spare, 0, Math.min(chunk.length, spare.byteLength));
    part.set(chunk.subarray(0, part.length));
    chunk = chunk.subarray(part.length);
    return part;
  };
}

/** Reads a blob in parts. */
export function openBlob(blob: Blob, label: string): OpenFile {
  let offset = 0;
  const nextChunk = async (): Promise<Uint8Array | undefined> => {
    if (offset >= blob.size) return undefined;
    const part = blob.slice(offset, offset + blobPartBytes);
    try {
      const bytes = new Uint8Array(await part.arrayBuffer());
      offset += bytes.length;
      return bytes;
    } catch (thrown) {
      throw toPocketBertError(thrown, 'format', `${label} could not be read at byte ${offset}`);
    }
  };
  const close = (): void => {
    offset = blob.size;
  };
  return { label, size: blob.size, expected: blob.size, read: intoSpares(nextChunk), close };
}

/** Reads bytes that somebody else goes on owning. */
export function openBytes(bytes: Uint8Array, label: string): OpenFile {
  const chunks = [bytes];
  const read = intoSpares(async () => chunks.pop());
  return { label, size: bytes.length, expected: bytes.length, read, close() {} };
}

/** Puts `first` before what is left of `file`. */
export function withFirst(file: OpenFile, first: Bytes | undefined): OpenFile {
  let waiting = first;
  return {
    ...file,
    async read(spare) {
      const bytes = waiting ?? (await file.read(spare));
      waiting = undefined;
      return bytes;
    },
  };
}

/** The first characters of a file, for messages. */
export function beginningOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 60));
  return JSON.stringify(text.replace(/\s+/g, ' '));
}

/** True if the bytes begin as a web page does. */
export function isWebPage(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 256));
  return /^\s*(<!doctype\s+html|<html|<head|<body)/i.test(text);
}

/** Tells what is commonly found in the place of a model's file. */
function foreign(file: OpenFile, path: string, bytes: Uint8Array): PocketBertError | undefined {
  const kind = path.endsWith('.safetensors') ? 'a safetensors file' : 'a file of a model';
  if (isWebPage(bytes)) {
    return new PocketBertError(
      'format',
      `${file.label} is a web page, not ${kind}: it begins with ${beginningOf(bytes)}`,
      { hint: 'check the address' },
    );
  }
  if (new TextDecoder().decode(bytes.subarray(0, 24)).startsWith('version https://git-lfs')) {
    return new PocketBertError('format', `${file.label} is a Git LFS pointer, not ${kind}`, {
      hint: 'fetch the real file with `git lfs pull`, or use the address that resolves pointers',
    });
  }
  return undefined;
}

/** Refuses a file whose first bytes show that it is something else. */
export async function sniff(file: OpenFile, path: string): Promise<OpenFile> {
  const first = await file.read();
  const error = first && foreign(file, path, first);
  if (error === undefined) return withFirst(file, first);
  file.close();
  throw error;
}

/** True for a plain JSON object. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is none (the importer will say what is wrong). */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
