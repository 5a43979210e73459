/**
 * What each word does to a label: the text is classified again without it. A file of its own, loaded with the
 * first call that wants it: few pages do.
 */

import { unpackBatch } from '../core/encoded_batch.js';
import type { ClassifyOptions, EncodedBatch, TextItem } from '../core/types.js';
import { PocketBertError, refuse } from '../errors.js';
import type { Explanation, WordEffect } from '../types.js';
import { partsOf } from '../worker/slices.js';
import { scoreOf } from './label_scores.js';
import type { Ask } from './model_user.js';

/** Words of a text, or a pair, at most: as often it is classified. */
const mostWords = 512;

type Word = Omit<WordEffect, 'score'>;

interface Wanted {
  /** What else the call asked for. */
  readonly own: ClassifyOptions;
  readonly explain: true | string;
  /** All labels of the head. */
  readonly known: readonly string[];
}

/** Progress was told of the texts themselves. */
const quiet = (): void => {};

/** @param call asks the engine on behalf of the user */
export async function explanationsOf(
  call: Ask,
  items: readonly TextItem[],
  { own, explain, known }: Wanted,
): Promise<Explanation[]> {
  if (explain !== true && !known.includes(explain)) {
    refuse('explain', explain, `true or ${known.join(' or ')}`);
  }
  const words = await wordsOf(call, items);
  const options = { ...own, top_k: undefined };
  const explanations: Explanation[] = [];
  for (const [i, item] of items.entries()) {
    const found = words[i] ?? [];
    const variants = [item, ...found.map((word) => without(item, word))];
    const result = await call('classify', { items: variants, options }, quiet);
    const label = explain === true ? (result.labels[result.indices[0] ?? 0] ?? '') : explain;
    const [score = NaN, ...others] = variants.map((_, at) => scoreOf(result, at, label));
    explanations.push({
      label,
      score,
      words: found.map((word, at) => ({ ...word, score: score - (others[at] ?? NaN) })),
    });
  }
  return explanations;
}

/** The item with a blank in place of the word. */
function without({ text, pair }: TextItem, { of, start, end }: Word): TextItem {
  const cut = (whole: string): string => `${whole.slice(0, start)} ${whole.slice(end)}`;
  return of === 'text' ? { text: cut(text), pair } : { text, pair: cut(pair ?? '') };
}

/** The words of each item, not too many. */
async function wordsOf(call: Ask, items: readonly TextItem[]): Promise<Word[][]> {
  const batches = await call('encode', { parts: partsOf(items), options: {} }, quiet);
  const places = batches.flatMap((batch) => placesOf(unpackBatch(batch)));
  return items.map((item, i) => {
    const words = (places[i] ?? []).map((place) => wordAt(item, place));
    const whole = words.filter(({ text }) => text !== '');
    if (whole.length <= mostWords) return whole;
    throw new PocketBertError(
      'too_long',
      `text ${i} has ${whole.length} words, expected at most ${mostWords} to be explained`,
      { hint: 'explain its parts one by one, or classify it without `explain`' },
    );
  });
}

/** Where a word is: sequence 1 or 2, start and end. */
type Place = [sequence: number, start: number, end: number];

/** The words of each item of the batch. */
function placesOf({ starts, wordIds, marks, offsets }: EncodedBatch): Place[][] {
  return Array.from({ length: starts.length - 1 }, (_, i) => {
    const places: Place[] = [];
    let before = '';
    for (let token = starts[i] ?? 0; token < (starts[i + 1] ?? 0); token++) {
      const sequence = ((marks[token] ?? 0) >> 2) & 3;
      if (sequence === 0) continue;
      const start = offsets[2 * token] ?? 0;
      const end = offsets[2 * token + 1] ?? 0;
      const word = `${sequence} ${wordIds[token]}`;
      const last = places.at(-1);
      if (word === before && last) {
        last[1] = Math.min(last[1], start);
        last[2] = Math.max(last[2], end);
      } else places.push([sequence, start, end]);
      before = word;
    }
    return places;
  });
}

/** Without the blanks around it, which some tokenizers count in. */
function wordAt(item: TextItem, [sequence, from, to]: Place): Word {
  const of = sequence === 1 ? 'text' : 'pair';
  const piece = (item[of] ?? '').slice(from, to);
  const start = from + piece.length - piece.trimStart().length;
  const text = piece.trim();
  return { of, start, end: start + text.length, text };
}
