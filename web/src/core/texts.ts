/** Texts into the module's memory: one block of UTF-8, written in place. */

import { PocketBertError } from '../errors.js';
import { Handle, type Instance } from './instance.js';
import type { FolderTexts, TextItem } from './types.js';

/** Marks an item without a pair, as in src/tasks/text_block.h. */
const kNoPair = 0xffffffff;

/** Up to this many UTF-16 units, three bytes are set aside for each instead of counting. */
const kCountAbove = 1 << 15;

const encoder = new TextEncoder();

/** Bytes of `text` in UTF-8; a lone surrogate takes three, as U+FFFD. */
function utf8Length(text: string): number {
  if (text.length * 3 <= kCountAbove) return text.length * 3;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return bytes;
}

/** Writes UTF-8 to `target` and returns the bytes written. Memory that threads share takes no text
 *  from an encoder in every browser, so there it goes through a copy. */
function write(text: string, target: Uint8Array): number {
  if (target.buffer instanceof ArrayBuffer) return encoder.encodeInto(text, target).written;
  const bytes = encoder.encode(text);
  target.set(bytes);
  return bytes.length;
}

/** A block of these items, to be freed by the caller. */
export function writeTexts(instance: Instance, items: readonly TextItem[]) {
  const length = items.reduce((sum, { text, pair }) => sum + utf8Length(text) + utf8Length(pair ?? ''), 0);
  if (length > 2 ** 31) {
    throw new PocketBertError('too_long', `the texts take ${String(length)} bytes, expected at most 2 GB in one call`);
  }
  return instance.call((raw) => {
    const block = instance.call(() => raw.createTextBlock(length, items.length));
    const bytes = raw.textBytes(block);
    const ends = raw.textEnds(block);
    let at = 0;
    items.forEach(({ text, pair }, i) => {
      at += write(text, bytes.subarray(at));
      ends[2 * i] = at;
      if (pair !== undefined) at += write(pair, bytes.subarray(at));
      ends[2 * i + 1] = pair === undefined ? kNoPair : at;
    });
    return new Handle(instance, 'block of texts', block);
  });
}

/** Files by path, as a block of pairs. */
export function writeFiles(instance: Instance, files: FolderTexts) {
  return writeTexts(
    instance,
    Object.entries(files).map(([text, pair]) => ({ text, pair })),
  );
}
