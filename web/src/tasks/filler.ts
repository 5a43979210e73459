/** `Filler`: words for the masks of a text. */

import type { FillMaskResult } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { CreateOptions, Fill, FillOptions, Fills } from '../types.js';
import { textsOf } from './encoding.js';
import { ModelUser, ownOptions } from './model_user.js';
import { check, fillTable } from './options.js';

/**
 * Finds the words that fit best in place of a text's mask tokens.
 *
 *     const filler = await Filler.create({ model: 'https://host/bert-base-uncased/' });
 *     await filler.fill('The old [MASK] was slow.', { top_k: 1 });
 *     // [{ score: 0.31, token: 4049, token_str: 'boat', sequence: 'the old boat was slow.' }]
 */
export class Filler extends ModelUser {
  static async create(options: CreateOptions = {}): Promise<Filler> {
    const needs = 'predicts masked words, as those of a ...ForMaskedLM do';
    return new Filler(await ModelUser.openHead(options, 'fill_mask', needs));
  }

  /**
   * The best words of a text with one mask, best first; of one with several, such a list for each. Of a
   * list of texts, one result each. The mask token is that of the model: `[MASK]`, `<mask>`.
   */
  fill(text: string, options?: FillOptions): Promise<Fills>;
  fill(texts: readonly string[], options?: FillOptions): Promise<Fills[]>;
  fill(texts: string | readonly string[], options?: FillOptions): Promise<Fills | Fills[]>;
  async fill(
    texts: string | readonly string[],
    options: FillOptions = {},
  ): Promise<Fills | Fills[]> {
    check(options, fillTable(this.info.model));
    const { targets, ...own } = ownOptions(options);
    const words = typeof targets === 'string' ? [targets] : targets;
    const args = { texts: textsOf(texts), options: { ...own, targets: words } };
    const all = fillsOf(await this.ask('fillMask', args, options, texts));
    if (Array.isArray(texts)) return all;
    const [only] = all;
    if (only === undefined) throw new PocketBertError('trap', 'the engine gave no words');
    return only;
  }
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
