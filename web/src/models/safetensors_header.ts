/** The beginning of a safetensors file: 8 bytes of length, then JSON that names every tensor. */

import { PocketBertError } from '../errors.js';
import { beginningOf, isRecord, parseJson, withFirst, type Bytes, type OpenFile } from './files.js';

/** Longest header that is read; that of a large model has some hundred thousand bytes. */
const greatestHeader = 100_000_000;

/** A file whose beginning was read. */
export interface HeadedFile {
  /** Reads from the first byte on, the header included. */
  readonly file: OpenFile;
  /** The first bytes: at least the whole header if the file is sound. */
  readonly head: Bytes;
  /** Bytes of the whole file, by what the header says, or by its store; undefined for a broken one. */
  readonly size: number | undefined;
  /** The header's `__metadata__`; undefined for a broken header. */
  readonly metadata: { readonly [key: string]: unknown } | undefined;
}

export function join(first: Bytes, second: Bytes): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Bytes up to the end of the header, as far as `head` tells. */
function headerEnd(head: Uint8Array): number {
  if (head.length < 8) return 8;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  return length <= greatestHeader ? 8 + length : 8;
}

/** End of the last tensor, counted from the end of the header. */
function dataBytes(header: { readonly [key: string]: unknown }): number {
  let end = 0;
  for (const tensor of Object.values(header)) {
    const offsets = isRecord(tensor) ? tensor['data_offsets'] : undefined;
    const last: unknown = Array.isArray(offsets) ? offsets[1] : undefined;
    if (typeof last === 'number' && last > end) end = last;
  }
  return end;
}

/** Reads until the header is there, or the file ends. */
export async function readHeader(file: OpenFile): Promise<HeadedFile> {
  let head: Bytes = new Uint8Array(0);
  const size = file.size ?? Infinity;
  for (;;) {
    const wanted = headerEnd(head) <= size ? headerEnd(head) : Math.min(8, size);
    if (head.length >= wanted) break;
    const bytes = await file.read();
    if (bytes === undefined) break;
    head = head.length === 0 ? bytes : join(head, bytes);
  }
  const end = headerEnd(head);
  const isComplete = end > 8 && head.length >= end;
  const value = isComplete ? parseJson(new TextDecoder().decode(head.subarray(8, end))) : undefined;
  const header = isRecord(value) ? value : undefined;
  const metadata = header === undefined ? undefined : header['__metadata__'];
  return {
    file: withFirst(file, head.length === 0 ? undefined : head),
    head,
    size: file.size ?? (header && end + dataBytes(header)),
    metadata: header && (isRecord(metadata) ? metadata : {}),
  };
}

/** What is wrong with a file that has no header. */
export function brokenHeader({ file, head }: HeadedFile): PocketBertError {
  const end = headerEnd(head);
  const size = file.size ?? head.length;
  const about =
    head[8] === 0x7b && size < end
      ? `${file.label} ended after ${size} bytes, within its header of ${end} bytes: it is truncated`
      : `${file.label} is not a safetensors file: no header of JSON at its beginning, but ` +
        (size < 8 ? `${size} bytes, ` : '') +
        beginningOf(head);
  return new PocketBertError('format', about);
}
