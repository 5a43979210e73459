/** `Filler`: words for the masks of a text. */

import { later } from '../models/platform.js';
import type { CreateOptions, FillOptions, Fills } from '../types.js';
import type { fill } from './filling.js';
import { ModelUser } from './model_user.js';

/**
 * Finds the words that fit best in place of a text's mask tokens.
 *
 *     const filler = await Filler.create({ model: 'https://host/bert-base-uncased/' });
 *     await filler.fill('The old [MASK] was slow.', { top_k: 1 });
 *     // [{ score: 0.31, token: 4049, token_str: 'boat', sequence: 'the old boat was slow.' }]
 */
export class Filler extends ModelUser {
  #work!: typeof fill;

  static async create(options: CreateOptions = {}): Promise<Filler> {
    const { fill: work } = await later(import('./filling.js'));
    const needs = 'predicts masked words, as those of a ...ForMaskedLM do';
    const filler = new Filler(await ModelUser.openHead(options, 'fill_mask', needs));
    filler.#work = work;
    return filler;
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
    const { model } = this.info;
    return this.#work(model, (args) => this.ask('fillMask', args, options, texts), texts, options);
  }
}
