/** `Embedder`: texts to vectors. */

import type { EmbedOptions as EngineEmbedOptions } from '../core/types.js';
import { PocketBertError, refuse } from '../errors.js';
import { poolingNames } from '../models/info.js';
import { later } from '../models/platform.js';
import type {
  CreateOptions,
  Embedding,
  Embeddings,
  EmbedOptions,
  SearchResult,
  SelfTest,
  StreamOptions,
  TokenEmbeddings,
  TokensOptions,
  TokenVectors,
  VectorForm,
  VectorPrecision,
} from '../types.js';
import { inBatches } from './batches.js';
import { copyOf, EmbeddingList, vectorAt, type Facts, type Vectors } from './embeddings.js';
import { textsOf } from './encoding.js';
import { ModelUser, ownOptions, type Ask } from './model_user.js';
import { check, embedTable, tokensTable } from './options.js';
import { selfTest } from './self_test.js';
import { maxSim, search, similarity } from './similarity.js';

type AnyEmbedOptions = EmbedOptions<VectorPrecision>;

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

  /**
   * Cosine of the angle between two vectors, −1 to 1. Bits count as ±1: it is 1 − 2 · those that differ / all.
   * Levels, and a vector beside one of another precision, count as the values they stand for.
   * @param form of vectors of bytes that do not tell theirs, as those from `embed` do and copies do not
   */
  static similarity(a: ArrayLike<number>, b: ArrayLike<number>, form?: VectorForm): number {
    return similarity(a, b, form);
  }

  /**
   * The `k` vectors of the corpus most similar to the query, best first.
   * @param form as in `similarity`
   */
  static search(
    query: ArrayLike<number>,
    corpus: Iterable<ArrayLike<number>>,
    k = 10,
    form?: VectorForm,
  ): SearchResult[] {
    return search(query, corpus, k, form);
  }

  /**
   * The `k` documents that answer the query best, by the sum over its tokens of the greatest inner product with
   * a token of the document (MaxSim, of ColBERT).
   */
  static maxSim(
    query: TokenVectors,
    documents: Iterable<TokenVectors>,
    k = 10,
  ): SearchResult[] {
    return maxSim(query, documents, k);
  }

  /** The vectors of all windows of texts of any length. */
  embed<P extends VectorPrecision = 'float32'>(
    texts: string | readonly string[],
    options: EmbedOptions<P> & { readonly windows: 'each' },
  ): Promise<Embeddings<P>>;
  /** The vector of one text, or the vectors of a list: the same for a text in either, but for `ranges`. */
  embed<P extends VectorPrecision = 'float32'>(
    text: string,
    options?: EmbedOptions<P>,
  ): Promise<Embedding<P>>;
  embed<P extends VectorPrecision = 'float32'>(
    texts: readonly string[],
    options?: EmbedOptions<P>,
  ): Promise<Embeddings<P>>;
  embed<P extends VectorPrecision = 'float32'>(
    texts: string | readonly string[],
    options?: EmbedOptions<P>,
  ): Promise<Embedding<P> | Embeddings<P>>;
  async embed(
    texts: string | readonly string[],
    options: AnyEmbedOptions = {},
  ): Promise<Embedding<VectorPrecision> | Embeddings<VectorPrecision>> {
    check(options, embedTable(this.info.model));
    const list = textsOf(texts);
    const isOne = typeof texts === 'string' && options.windows !== 'each';
    const args = { texts: list, options: engineOptions(options) };
    return this.forUser(options, texts, async (call) => {
      const found = await vectorsOf(call, args, options);
      const vectors = await formed(found, options);
      if (!isOne) return new EmbeddingList(vectors, found);
      const { tokens, truncated, windows } = found;
      const facts = { tokens: tokens[0] ?? 0, truncated: truncated[0] ?? false };
      return Object.assign(vectorAt(vectors, 0), facts, windows && { windows });
    });
  }

  /**
   * The vectors of a text's tokens, for late interaction; of a list of texts, one result each. `maxSim` compares
   * them.
   */
  tokens(text: string, options?: TokensOptions): Promise<TokenEmbeddings>;
  tokens(texts: readonly string[], options?: TokensOptions): Promise<TokenEmbeddings[]>;
  tokens(
    texts: string | readonly string[],
    options?: TokensOptions,
  ): Promise<TokenEmbeddings | TokenEmbeddings[]>;
  async tokens(
    texts: string | readonly string[],
    options: TokensOptions = {},
  ): Promise<TokenEmbeddings | TokenEmbeddings[]> {
    check(options, tokensTable(this.info.model));
    const args = { texts: textsOf(texts), options: engineOptions(options) };
    return this.forUser(options, texts, async (call) => {
      const { tokenVectors } = await later(import('./parts.js'));
      const all = await tokenVectors(call, args);
      if (typeof texts !== 'string') return all;
      const [only] = all;
      if (only === undefined) throw new PocketBertError('trap', 'the engine gave no vectors');
      return only;
    });
  }

  /**
   * The vectors of any number of texts, in their order, each as soon as it is there. Memory stays flat: no
   * more is read than the batch after the one at work. Leaving the loop, or the signal, ends it.
   *
   *     for await (const vector of embedder.embedStream(linesOf(file))) …
   */
  embedStream<P extends VectorPrecision = 'float32'>(
    texts: Iterable<string> | AsyncIterable<string>,
    options?: StreamOptions<P>,
  ): AsyncGenerator<Embedding<P>, void, undefined>;
  embedStream(
    texts: Iterable<string> | AsyncIterable<string>,
    options: StreamOptions<VectorPrecision> = {},
  ): AsyncGenerator<Embedding<VectorPrecision>, void, undefined> {
    const { onProgress, supersede, windows, ...table } = embedTable(this.info.model);
    check(options, table);
    const source = typeof texts === 'string' ? [texts] : texts;
    if (!(Symbol.iterator in Object(source) || Symbol.asyncIterator in Object(source))) {
      refuse('the texts', source, 'something to iterate over');
    }
    checkRanges(options, 'a stream');
    const work = async (
      batch: string[],
      signal: AbortSignal,
    ): Promise<Embedding<VectorPrecision>[]> => {
      const all = await this.embed<VectorPrecision>(batch, { ...options, signal });
      return batch.map((_, at) =>
        Object.assign(copyOf(all.at(at)), {
          tokens: all.tokens[at] ?? 0,
          truncated: all.truncated[at] ?? false,
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

/** What the engine makes of the texts, or of their windows. */
async function vectorsOf(
  call: Ask,
  args: { texts: string[]; options: EngineEmbedOptions },
  options: AnyEmbedOptions,
): Promise<Facts & { data: Float32Array; dims: readonly [number, number] }> {
  if (options.truncate === 'window') {
    const { windowVectors } = await later(import('./parts.js'));
    return windowVectors(call, args, options);
  }
  const { data, count, dimensions, tokens, truncated } = await call('embed', args);
  return {
    data,
    dims: [count, dimensions],
    tokens: Int32Array.from(tokens),
    truncated: Array.from(truncated, (flag) => flag === 1),
  };
}

/** The vectors in the form that was asked for. */
async function formed(
  vectors: Vectors & { readonly data: Float32Array },
  options: AnyEmbedOptions,
): Promise<Vectors> {
  const { data, dims } = vectors;
  if ((options.precision ?? 'float32') === 'float32') return vectors;
  if (dims[0] === 1) checkRanges(options, 'a single vector');
  const { quantize } = await later(import('./quantizing.js'));
  return quantize(data, dims, options);
}

/** Throws if the vectors themselves would have to give the ranges. */
function checkRanges({ precision, ranges }: VectorForm, which: string): void {
  if (ranges || !precision?.endsWith('int8')) return;
  throw new PocketBertError('invalid_argument', `precision ${precision} needs ranges for ${which}`, {
    hint: `give those of a corpus: (await embed(corpus, { precision: '${precision}' })).ranges`,
  });
}

function engineOptions(options: AnyEmbedOptions): EngineEmbedOptions {
  const { precision, ranges, stride, truncate, windows, pooling, ...own } = ownOptions(options);
  const isWindow = truncate === 'window';
  if (!isWindow && (stride ?? windows) !== undefined) {
    refuse('truncate', truncate, 'window, as stride or windows was given');
  }
  const { kind, promptName, prompt } = own;
  if ([kind, promptName, prompt].filter((given) => given !== undefined).length > 1) {
    throw new PocketBertError(
      'invalid_argument',
      'of kind, promptName and prompt more than one was given',
    );
  }
  return {
    ...own,
    truncate: isWindow ? undefined : truncate,
    pooling: pooling && poolingNames[pooling],
  };
}
