/** The public types of vectors. Nothing here runs. */

import type { CallOptions, LengthOptions, Offset, Truncate } from './types.js';

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

/** What goes before each text: at most one of these. */
export interface PromptOptions {
  /** What the texts are; a model that has a prompt for it (`info.model.prompts`) uses it. Or one of these
   *  prompts by its name. */
  readonly kind?: 'query' | 'document' | 'passage' | 'corpus' | (string & {}) | undefined;
  /** Name of one of the model's prompts; a name that it does not have is an error. */
  readonly promptName?: string | undefined;
  /** Text to put before each text, instead of a named prompt. */
  readonly prompt?: string | undefined;
}

export interface EmbedOptions<P extends VectorPrecision = 'float32'>
  extends CallOptions, Omit<LengthOptions, 'truncate'>, PromptOptions {
  /** Default `'end'`; that a text was cut is said in `truncated`. With `'window'` nothing is: texts of up to
   *  4 MB (UTF-8) are read to their end in windows of `maxLength` tokens, each with the prompt. */
  readonly truncate?: Truncate | 'window' | undefined;
  /** Tokens that neighbouring windows share; default 0. */
  readonly stride?: number | undefined;
  /** Default `'pooled'`: one vector a text, the mean of its windows' weighted by their tokens, then scaled to
   *  length 1 if the model normalizes. `'each'`: one vector a window; then the result is always a list. */
  readonly windows?: 'pooled' | 'each' | undefined;
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
  'onProgress' | 'supersede' | 'windows'
>;

/** A stretch of a text that fits: `texts[text].slice(start, end)`. */
export interface TextWindow {
  /** Number of its text; 0 if there is only one. */
  readonly text: number;
  readonly start: number;
  readonly end: number;
  /** Its tokens, special ones and the prompt's included. */
  readonly tokens: number;
}

/** One vector, and what is to be known of its text. */
export type Embedding<P extends VectorPrecision = 'float32'> = Vector<P> & {
  /** Tokens that went into it, special ones included. */
  readonly tokens: number;
  /** True if the text was longer than fits and was cut. */
  readonly truncated: boolean;
  /** With `truncate: 'window'`: the windows that it is the mean of. */
  readonly windows?: readonly TextWindow[];
};

/** The vectors of a list of texts, back to back in `data`. */
export interface Embeddings<P extends VectorPrecision = 'float32'>
  extends Iterable<Vector<P>>, VectorForm {
  /** [texts, components], row-major. */
  readonly data: VectorTypes[P];
  /** `[number of texts, components]`; a component of `binary` and `ubinary` is eight dimensions. */
  readonly dims: readonly [count: number, components: number];
  /** Number of texts, or of windows if each has a vector: then all below is of windows. */
  readonly length: number;
  /** Tokens of each text, special ones included; those that windows share count in each. */
  readonly tokens: Int32Array;
  /** For each text whether it was cut. */
  readonly truncated: readonly boolean[];
  /** With `truncate: 'window'`: the windows of all texts, in order. */
  readonly windows?: readonly TextWindow[];
  /** The vector of text `index`: a view, not a copy. */
  at(index: number): Vector<P>;
  /** Plain nested arrays. */
  tolist(): number[][];
}

export interface SearchResult {
  /** Which vector of the corpus. */
  readonly index: number;
  /** Cosine similarity, −1 to 1; of `maxSim`, a sum of as many as the query has tokens. */
  readonly score: number;
}

export interface TokensOptions extends CallOptions, LengthOptions, PromptOptions {
  /** Keep the first so many components of each vector; at most the model's hidden size. */
  readonly dimensions?: number | undefined;
  /** Default true, as late interaction wants it: scale each vector to length 1. */
  readonly normalize?: boolean | undefined;
}

/** Some vectors that stand for a text together. */
export interface TokenVectors {
  /** [tokens, dimensions], row-major. */
  readonly data: Float32Array;
  readonly dims: readonly [tokens: number, dimensions: number];
}

/** The vectors of a text's tokens: the encoder's last states, special tokens and the prompt's included. */
export interface TokenEmbeddings extends TokenVectors {
  /** Number of tokens. */
  readonly tokens: number;
  /** Place of each token in the text; `[0, 0]` for special ones and those of the prompt. */
  readonly offsets: readonly Offset[];
  /** True if the text was longer than fits and was cut. */
  readonly truncated: boolean;
}

