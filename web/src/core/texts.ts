/** Texts into the module's memory: one block of UTF-8. */

import { PocketBertError } from '../errors.js';
import { Handle, type Instance } from './instance.js';
import type { SharedModule } from './raw_module.js';
import type { FolderTexts, PackedTexts, TextItem } from './types.js';

/** Marks an item without a pair, as in src/tasks/text_block.h. */
const kNoPair = 0xffffffff;

/** UTF-16 units of the longest string that every browser can make. */
const kMostUnits = 2 ** 29 - 25;

const encoder = new TextEncoder();

/** These items in one block. */
export function packTexts(items: readonly TextItem[]): PackedTexts {
  const ends = new Uint32Array(2 * items.length).fill(kNoPair);
  const texts: string[] = [];
  let at = 0;
  items.forEach(({ text, pair }, i) => {
    texts.push(text);
    ends[2 * i] = at += text.length;
    if (pair === undefined) return;
    texts.push(pair);
    ends[2 * i + 1] = at += pair.length;
  });
  const units = at;
  if (units > kMostUnits) {
    throw new PocketBertError('too_long', `the texts have ${String(units)} units, expected at most ${String(kMostUnits)}`, {
      hint: 'give them in several calls',
    });
  }
  // One long string is encoded sooner than many short ones. Of ASCII, and of nothing else, there are
  // as many bytes as units.
  const ascii = new Uint8Array(units);
  if (encoder.encodeInto(texts.join(''), ascii).read === units) return { bytes: ascii, ends };
  // Joined, the others do not show where each ends, and two lone surrogates could become a character.
  const bytes = new Uint8Array(3 * units);
  at = 0;
  let next = 0;
  ends.forEach((end, i) => {
    if (end !== kNoPair) ends[i] = at += encoder.encodeInto(texts[next++] ?? '', bytes.subarray(at)).written;
  });
  return { bytes: bytes.slice(0, at), ends };
}

/** A block in the module's memory, to be freed by the caller. */
export function writeTexts(instance: Instance<SharedModule>, { bytes, ends }: PackedTexts) {
  return instance.call((raw) => {
    const block = instance.call(() => raw.createTextBlock(bytes.length, ends.length / 2));
    raw.textBytes(block).set(bytes);
    raw.textEnds(block).set(ends);
    return new Handle(instance, 'block of texts', block);
  });
}

/** Files by path, as a block of pairs. */
export function writeFiles(instance: Instance<SharedModule>, files: FolderTexts) {
  return writeTexts(instance, packTexts(Object.entries(files).map(([text, pair]) => ({ text, pair }))));
}
