/** What a `Filler` does. A file of its own, which `Filler.create` loads: few pages have one. */

import type { FillMaskOptions, FillMaskResult } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { Fill, FillOptions, Fills, ModelInfo } from '../types.js';
import { textsOf } from './encoding.js';
import { ownOptions } from './model_user.js';
import { check, lengthTable, whole, type TableOf } from './options.js';

const fillTable = (model: ModelInfo) =>
  ({
    ...lengthTable(model),
    top_k: whole(1),
    targets: 'a string|a list of texts',
  }) satisfies TableOf<FillOptions>;

/** @param ask asks the engine on behalf of the user */
export async function fill(
  model: ModelInfo,
  ask: (args: { texts: string[]; options: FillMaskOptions }) => Promise<FillMaskResult>,
  texts: string | readonly string[],
  options: FillOptions,
): Promise<Fills | Fills[]> {
  check(options, fillTable(model));
  const { targets, ...own } = ownOptions(options);
  const words = typeof targets === 'string' ? [targets] : targets;
  const all = fillsOf(await ask({ texts: textsOf(texts), options: { ...own, targets: words } }));
  if (Array.isArray(texts)) return all;
  const [only] = all;
  if (only === undefined) throw new PocketBertError('trap', 'the engine gave no words');
  return only;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function wordsOf({ ids, scores, texts, ends }: FillMaskResult['parts'][number]): Fill[] {
  const textAt = (at: number): string =>
    decoder.decode(texts.subarray(ends[at - 1] ?? 0, ends[at]));
  return Array.from(ids, (token, i) => ({
    score: scores[i] ?? 0,
    token,
    token_str: textAt(2 * i),
    sequence: textAt(2 * i + 1),
  }));
}

function fillsOf(result: FillMaskResult): Fills[] {
  const { wordsPerMask, parts, tokens, truncated, notes } = result;
  const words = parts.flatMap(wordsOf);
  let at = 0;
  return Array.from(result.masks, (count, i) => {
    const masks = Array.from({ length: count }, () => words.slice(at, (at += wordsPerMask)));
    const [first] = masks;
    const list: Fill[] | Fill[][] = first !== undefined && count === 1 ? [...first] : [...masks];
    return Object.assign(list, {
      masks,
      tokens: tokens[i] ?? 0,
      truncated: truncated[i] === 1,
      notes,
    });
  });
}
