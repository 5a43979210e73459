/** `Tagger`: texts to entities, parts of speech, punctuation. */

import type { TagResult } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { CreateOptions, Entity, TagOptions, TextSpan, TokenTag } from '../types.js';
import { textsOf } from './encoding.js';
import { ModelUser, ownOptions } from './model_user.js';
import { check, tagTable } from './options.js';

/** What joined tokens are, or single ones. */
type Tags = Entity[] | TokenTag[];

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
  /** Rejects as `unsupported` if the model does not label tokens. */
  static async create(options: CreateOptions = {}): Promise<Tagger> {
    const needs = 'labels tokens, as that of a ...ForTokenClassification does';
    return new Tagger(await ModelUser.openHead(options, 'tag', needs));
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
    check(options, tagTable(this.info.model));
    const copy = textsOf(texts);
    const args = { texts: copy, options: ownOptions(options) };
    const result = await this.ask('tag', args, options, texts);
    const all = tagsOf(result, copy, options.aggregation === 'none');
    if (typeof texts !== 'string') return all;
    const [only] = all;
    if (only === undefined) throw new PocketBertError('trap', 'the engine gave no entities');
    return only;
  }
}

function spanOf(whole: string, start: number, end: number): TextSpan {
  return { start, end, text: whole.slice(start, end) };
}

function tagsOf(result: TagResult, texts: readonly string[], single: boolean): Tags[] {
  const words = result.entities.map((part) => [part, new Float32Array(part.buffer)] as const);
  let number = 0;
  const all = words.flatMap(([part, scores]) =>
    Array.from({ length: part.length / 6 }, (_, i) => {
      const [label = 0, , start = 0, end = 0, index = 0] = part.subarray(6 * i);
      const name = result.labels[label]?.slice(result.prefixes[label]) ?? '';
      const token = result.names[number++] ?? '';
      return { name, score: scores[6 * i + 1] ?? 0, start, end, index, token };
    }),
  );
  let from = 0;
  return texts.map((whole, item): Tags => {
    const own = all.slice(from, (from += result.counts[item] ?? 0));
    return single
      ? own.map(({ name, score, start, end, index, token }): TokenTag => ({
          ...spanOf(whole, start, end),
          entity: name,
          score,
          index,
          token,
        }))
      : own.map(({ name, score, start, end }): Entity => ({
          ...spanOf(whole, start, end),
          entity_group: name,
          score,
        }));
  });
}
