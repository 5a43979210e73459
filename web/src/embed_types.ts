/** The public types of vectors. Nothing here runs. */

import type { CallOptions, LengthOptions } from './types.js';

/** How token states become one vector; names as in sentence-transformers. */
export type Pooling =
  'mean' | 'cls' | 'max' | 'mean_sqrt_len_tokens' | 'weightedmean' | 'lasttoken';

/**
 * How components are kept, as sentence-transformers' `quantize_embeddings` makes them. `int8`, `uint8`: 256
 * levels of each dimension's range. `binary`, `ubinary`: one bit each, 1 if above zero, eight to a byte, the
 * first highest; `binary` is that byte less 128.
 */
export type VectorPrecision = 'float32' | 'int8' | 'uint8' | 'binary' | 'ubinary';

interface VectorTypes {
  readonly float32: Float32Array;
  readonly int8: Int8Array;
  readonly uint8: Uint8Array;
  readonly binary: Int8Array;
  readonly ubinary: Uint8Array;
}

/** The least and the greatest value of each dimension. */
export type Ranges = readonly [least: ArrayLike<number>, greatest: ArrayLike<number>];

/** How the components of a vector are to be read. */
export interface VectorForm {
  /** Default `float32`. */
  readonly precision?: VectorPrecision | undefined;
  /** Of `int8` and `uint8`. */
  readonly ranges?: Ranges | undefined;
}

/** A vector. One that is no `Float32Array` tells its form, which a copy or a clone of it does not. */
export type Vector<P extends VectorPrecision = 'float32'> = VectorTypes[P] & VectorForm;

export interface EmbedOptions<P extends VectorPrecision = 'float32'>
  extends CallOptions, LengthOptions {
  /** At most one of `kind`, `promptName` and `prompt`.
   *  What the texts are; a model that has a prompt for it (`info.model.prompts`) uses it. */
  readonly kind?: 'query' | 'document' | 'passage' | 'corpus' | undefined;
  /** Name of one of the model's prompts; a name that it does not have is an error. */
  readonly promptName?: string | undefined;
  /** Text to put before each text, instead of a named prompt. */
  readonly prompt?: string | undefined;
  /** Keep the first so many components, then scale to length 1 if the model normalizes. */
  readonly dimensions?: number | undefined;
  /** Default: as the model says. */
  readonly pooling?: Pooling | undefined;
  /** Scale to length 1; default: as the model says. */
  readonly normalize?: boolean | undefined;
  /** Default `float32`. What is made of that, last of all; `binary` and `ubinary` need dimensions in eights. */
  readonly precision?: P | undefined;
  /**
   * For `int8` and `uint8`: the ranges that are cut into 256 levels, of as many dimensions as the vectors;
   * what lies outside has the last level. Default: those of this call's own vectors, so that a vector then
   * depends on its neighbours; take the ranges of a corpus, which its `Embeddings` have, for all that comes
   * after. A single text and a stream need them.
   */
  readonly ranges?: Ranges | undefined;
}

/** A stream has no length to be far in, and is no single call. */
export type StreamOptions<P extends VectorPrecision = 'float32'> = Omit<
  EmbedOptions<P>,
  'onProgress' | 'supersede'
>;

/** One vector, and what is to be known of its text. */
export type Embedding<P extends VectorPrecision = 'float32'> = Vector<P> & {
  /** Tokens that went into it, special ones included. */
  readonly tokens: number;
  /** True if the text was longer than fits and was cut. */
  readonly truncated: boolean;
};

/** The vectors of a list of texts, back to back in `data`. */
export interface Embeddings<P extends VectorPrecision = 'float32'>
  extends Iterable<Vector<P>>, VectorForm {
  /** [texts, components], row-major. */
  readonly data: VectorTypes[P];
  /** `[number of texts, components]`; a component of `binary` and `ubinary` is eight dimensions. */
  readonly dims: readonly [count: number, components: number];
  /** Number of texts. */
  readonly length: number;
  /** Tokens of each text, special ones included. */
  readonly tokens: Int32Array;
  /** For each text whether it was cut. */
  readonly truncated: readonly boolean[];
  /** The vector of text `index`: a view, not a copy. */
  at(index: number): Vector<P>;
  /** Plain nested arrays. */
  tolist(): number[][];
}

export interface SearchResult {
  /** Which vector of the corpus. */
  readonly index: number;
  /** Cosine similarity, −1 to 1. */
  readonly score: number;
}

