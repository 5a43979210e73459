/** `Embedder`: texts to vectors. */

import type { EmbedOptions as EngineEmbedOptions } from '../core/types.js';
import { PocketBertError, refuse } from '../errors.js';
import { poolingNames } from '../models/info.js';
import type {
  CreateOptions,
  Embedding,
  Embeddings,
  EmbedOptions,
  SearchResult,
  SelfTest,
  StreamOptions,
} from '../types.js';
import { inBatches } from './batches.js';
import { EmbeddingList, search, similarity } from './embeddings.js';
import { textsOf } from './encoding.js';
import { ModelUser, ownOptions } from './model_user.js';
import { check, embedTable } from './options.js';
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
    const session = await ModelUser.open(options);
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
  embed(texts: string | readonly string[], options?: EmbedOptions): Promise<Embedding | Embeddings>;
  async embed(
    texts: string | readonly string[],
    options: EmbedOptions = {},
  ): Promise<Embedding | Embeddings> {
    check(options, embedTable(this.info.model));
    const args = { texts: textsOf(texts), options: engineOptions(options) };
    const { data, count, dimensions, tokens, truncated } = await this.ask('embed', args, options, texts);
    if (typeof texts === 'string') {
      return Object.assign(data, { tokens: tokens[0] ?? 0, truncated: truncated[0] === 1 });
    }
    const flags = Array.from(truncated, (flag) => flag === 1);
    return new EmbeddingList(data, [count, dimensions], Int32Array.from(tokens), flags);
  }

  /**
   * The vectors of any number of texts, in their order, each as soon as it is there. Memory stays flat: no
   * more is read than the batch after the one at work. Leaving the loop, or the signal, ends it.
   *
   *     for await (const vector of embedder.embedStream(linesOf(file))) …
   */
  embedStream(
    texts: Iterable<string> | AsyncIterable<string>,
    options: StreamOptions = {},
  ): AsyncGenerator<Embedding, void, undefined> {
    const { onProgress, supersede, ...table } = embedTable(this.info.model);
    check(options, table);
    const source = typeof texts === 'string' ? [texts] : texts;
    if (!(Symbol.iterator in Object(source) || Symbol.asyncIterator in Object(source))) {
      refuse('the texts', source, 'something to iterate over');
    }
    const work = async (batch: string[], signal: AbortSignal): Promise<Embedding[]> => {
      const { data, dims, tokens, truncated } = await this.embed(batch, { ...options, signal });
      const [, width] = dims;
      return batch.map((_, at) =>
        Object.assign(data.slice(at * width, (at + 1) * width), {
          tokens: tokens[at] ?? 0,
          truncated: truncated[at] ?? false,
        }),
      );
    };
    return inBatches(source, work, options.signal);
  }

  /** Embeds the texts whose vectors the model's file holds, and compares. */
  selfTest(): Promise<SelfTest> {
    return selfTest(this);
  }
}

function engineOptions(options: EmbedOptions): EngineEmbedOptions {
  const { kind, promptName, prompt, pooling } = options;
  if ([kind, promptName, prompt].filter((given) => given !== undefined).length > 1) {
    throw new PocketBertError(
      'invalid_argument',
      'of kind, promptName and prompt more than one was given',
    );
  }
  return { ...ownOptions(options), pooling: pooling && poolingNames[pooling] };
}
