/** `Tagger`: texts to entities, parts of speech, punctuation. */

import { later } from '../models/platform.js';
import type { CreateOptions, Entity, TagOptions, Tags, TokenTag } from '../types.js';
import { ModelUser } from './model_user.js';
import type { tag } from './tagging.js';

/** Options that leave tokens as they are. */
type ForTokens = TagOptions & { readonly aggregation: 'none' };
/** Options that join them. */
type ForEntities = TagOptions & {
  readonly aggregation?: Exclude<TagOptions['aggregation'], 'none'>;
};

/**
 * Finds what a model labels in texts of any length.
 *
 *     const tagger = await Tagger.create({ model: 'https://host/bert-base-NER/' });
 *     await tagger.tag('Anna Smith lives in New York.');
 *     // [{ start: 0, end: 10, text: 'Anna Smith', entity_group: 'PER', score: 0.99 },
 *     //  { start: 20, end: 28, text: 'New York', entity_group: 'LOC', score: 0.99 }]
 */
export class Tagger extends ModelUser {
  #work!: typeof tag;

  /** Rejects as `unsupported` if the model does not label tokens. */
  static async create(options: CreateOptions = {}): Promise<Tagger> {
    const needs = 'labels tokens, as that of a ...ForTokenClassification does';
    const { tag: work } = await later(import('./tagging.js'));
    const tagger = new Tagger(await ModelUser.openHead(options, 'tag', needs));
    tagger.#work = work;
    return tagger;
  }

  /**
   * The entities of a text in their order; of a list of texts, one such list each. Which tokens are
   * joined, `aggregation` says; `none` gives single tokens with their own labels.
   */
  tag(text: string, options: ForTokens): Promise<TokenTag[]>;
  tag(text: string, options?: ForEntities): Promise<Entity[]>;
  tag(texts: readonly string[], options: ForTokens): Promise<TokenTag[][]>;
  tag(texts: readonly string[], options?: ForEntities): Promise<Entity[][]>;
  tag(texts: string | readonly string[], options?: TagOptions): Promise<Tags | Tags[]>;
  async tag(texts: string | readonly string[], options: TagOptions = {}): Promise<Tags | Tags[]> {
    const { model } = this.info;
    return this.#work(model, (args) => this.ask('tag', args, options, texts), texts, options);
  }
}
