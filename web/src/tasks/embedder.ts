/** `Embedder`: texts to vectors. */

import type { EmbedOptions as EngineEmbedOptions } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import { isPooling, poolingNames } from '../models/info.js';
import type {
  CreateOptions,
  Embedding,
  Embeddings,
  EmbedOptions,
  SearchResult,
  SelfTest,
} from '../types.js';
import { EmbeddingList, search, similarity } from './embeddings.js';
import { itemsOf } from './encoding.js';
import { ModelUser } from './model_user.js';
import { selfTest } from './self_test.js';

/**
 * Turns texts into vectors whose cosine says how near their meanings are.
 *
 *     const embedder = await Embedder.create();
 *     const [a, b] = await embedder.embed(['A cat sleeps.', 'A kitten naps.']);
 *     Embedder.similarity(a, b);      // 0.7
 */
export class Embedder extends ModelUser {
  static async create(options: CreateOptions = {}): Promise<Embedder> {
    const session = await ModelUser.open(options, false);
    if (session.model === undefined) {
      const error = new PocketBertError(
        'invalid_argument',
        'the given object holds a tokenizer without a model',
      );
      return ModelUser.refuse(session, error);
    }
    return new Embedder(session);
  }

  /** Cosine of the angle between two vectors, −1 to 1. */
  static similarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
    return similarity(a, b);
  }

  /** The `k` vectors of the corpus most similar to the query, best first. */
  static search(
    query: ArrayLike<number>,
    corpus: Iterable<ArrayLike<number>>,
    k = 10,
  ): SearchResult[] {
    return search(query, corpus, k);
  }

  /** The vector of one text, or the vectors of a list: the same for a text in either. */
  embed(text: string, options?: EmbedOptions): Promise<Embedding>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embeddings>;
  async embed(
    texts: string | readonly string[],
    options: EmbedOptions = {},
  ): Promise<Embedding | Embeddings> {
    const list = itemsOf(texts).map(({ text }) => text);
    const result = await this.ask(
      'embed',
      { texts: list, options: engineOptions(options) },
      options,
      texts,
    );
    const { data, count, dimensions, tokens, truncated } = result;
    if (typeof texts === 'string') {
      return Object.assign(data, { tokens: tokens[0] ?? 0, truncated: truncated[0] === 1 });
    }
    const flags = Array.from(truncated, (flag) => flag === 1);
    return new EmbeddingList(data, [count, dimensions], Int32Array.from(tokens), flags);
  }

  /** Embeds the texts whose vectors the model's file holds, and compares. */
  selfTest(): Promise<SelfTest> {
    return selfTest(this);
  }
}

function engineOptions(options: EmbedOptions): EngineEmbedOptions {
  const { kind, promptName, prompt, dimensions, normalize, pooling, truncate, maxLength } = options;
  if (pooling !== undefined && !isPooling(pooling)) {
    const known = Object.keys(poolingNames).join(', ');
    throw new PocketBertError(
      'invalid_argument',
      `pooling is ${JSON.stringify(pooling)}; expected one of ${known}`,
    );
  }
  const mode = pooling && poolingNames[pooling];
  return { kind, promptName, prompt, dimensions, normalize, pooling: mode, truncate, maxLength };
}
