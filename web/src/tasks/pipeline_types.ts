/** Types of `pipeline()`: option names and result shapes as in transformers.js. */

import type {
  Aggregation,
  Answer,
  CallOptions,
  CreateOptions,
  Fill,
  Info,
  Label,
} from '../types.js';

/** The result of a feature-extraction pipeline: the Tensor of transformers.js as far as it is used. */
export interface Tensor {
  /** `int8` and `uint8` after `quantize`. */
  readonly type: 'float32' | 'int8' | 'uint8';
  readonly data: Float32Array | Int8Array | Uint8Array;
  /** `[texts, dimensions]`. */
  readonly dims: readonly number[];
  readonly size: number;
  /** Plain nested arrays. */
  tolist(): number[][];
}

/** States of tokens, after `pooling: 'none'`; where a text has fewer than the longest, zeros. */
export interface TokensTensor extends Omit<Tensor, 'tolist'> {
  readonly data: Float32Array;
  /** `[texts, tokens of the longest, dimensions]`. */
  readonly dims: readonly number[];
  tolist(): number[][][];
}

/** What `progress_callback` of `pipeline()` is called with. */
export interface PipelineProgress {
  readonly status: 'progress' | 'ready';
  readonly task: string;
  readonly model: string;
  readonly file: string;
  /** 0 to 100 over all files. */
  readonly progress: number;
  readonly loaded: number;
  readonly total: number;
}

/** Options of `create()`, and those of transformers.js. */
export interface PipelineOptions extends Omit<CreateOptions, 'model'> {
  /** `fp32` is `precision: 'float32'`; `q8`, `int8` and `uint8` are `precision: 'int8'`. */
  readonly dtype?: string | undefined;
  /** `wasm`, `cpu` or `auto`: there is one. */
  readonly device?: string | undefined;
  readonly progress_callback?: ((progress: PipelineProgress) => void) | undefined;
  /** As `offline`. */
  readonly local_files_only?: boolean | undefined;
  /** Where models given as OWNER/NAME are: `https://HOST`; there is none unless you name it. */
  readonly host?: string | undefined;
  /** Branch, tag or commit at `host`; default `main`. */
  readonly revision?: string | undefined;
}

export interface FeatureExtractionOptions extends CallOptions {
  /** How token states become one vector; default `none`: they do not. */
  readonly pooling?: 'none' | 'mean' | 'cls' | 'first_token' | 'last_token' | 'eos' | undefined;
  /** Default false. */
  readonly normalize?: boolean | undefined;
  /** Keep the signs only, eight to a byte; of vectors, not of token states. */
  readonly quantize?: boolean | undefined;
  /** Form of the bytes after `quantize`; default `binary`. */
  readonly precision?: 'binary' | 'ubinary' | undefined;
}

export interface TextClassificationOptions extends CallOptions {
  /** Default 1; null: all labels. More than 1 of a list of texts: a list for each. */
  readonly top_k?: number | null | undefined;
  readonly head?: string | undefined;
}

interface PipelineObject {
  readonly task: string;
  readonly info: Info;
  /** Gives the memory back. */
  dispose(): Promise<void>;
}

/** Options that leave token states as they are. */
export type UnpooledOptions = FeatureExtractionOptions & { readonly pooling?: 'none' | undefined };
/** Options that make vectors of them. */
export type PooledOptions = FeatureExtractionOptions & {
  readonly pooling: Exclude<FeatureExtractionOptions['pooling'], 'none' | undefined>;
};

export interface FeatureExtractionPipeline extends PipelineObject {
  (texts: string | readonly string[], options?: UnpooledOptions): Promise<TokensTensor>;
  (texts: string | readonly string[], options: PooledOptions): Promise<Tensor>;
  (
    texts: string | readonly string[],
    options?: FeatureExtractionOptions,
  ): Promise<Tensor | TokensTensor>;
}

/** What is `One` without `top_k` or with 1, and `Many` with more; if only the call tells how many, one of both. */
export type ByTopK<K extends number | null, One, Many> = K extends 1
  ? One
  : number extends K
    ? One | Many
    : Many;
/** These options, with `top_k` as it is written in the call. */
export type WithTopK<Options, K extends number | null> = Options & {
  readonly top_k?: K | undefined;
};

export interface TextClassificationPipeline extends PipelineObject {
  (texts: string, options?: TextClassificationOptions): Promise<Label[]>;
  /** With a label for each text one list of them, as transformers.js has it, otherwise a list for each text. */
  <K extends number | null = 1>(
    texts: readonly string[],
    options?: WithTopK<TextClassificationOptions, K>,
  ): Promise<ByTopK<K, Label[], Label[][]>>;
  (
    texts: string | readonly string[],
    options?: TextClassificationOptions,
  ): Promise<Label[] | Label[][]>;
}

export interface ZeroShotClassificationOptions extends CallOptions {
  /** Default `This example is {}.` */
  readonly hypothesis_template?: string | undefined;
  readonly multi_label?: boolean | undefined;
}

export interface ZeroShotClassification {
  /** The text. */
  readonly sequence: string;
  /** Best first. */
  readonly labels: string[];
  readonly scores: number[];
  /** Only where there is something to say, as in `ZeroShotLabels`. */
  readonly notes?: readonly string[];
}

export interface ZeroShotClassificationPipeline extends PipelineObject {
  (
    texts: string,
    candidate_labels: string | readonly string[],
    options?: ZeroShotClassificationOptions,
  ): Promise<ZeroShotClassification>;
  (
    texts: readonly string[],
    candidate_labels: string | readonly string[],
    options?: ZeroShotClassificationOptions,
  ): Promise<ZeroShotClassification[]>;
  (
    texts: string | readonly string[],
    candidate_labels: string | readonly string[],
    options?: ZeroShotClassificationOptions,
  ): Promise<ZeroShotClassification | ZeroShotClassification[]>;
}

export interface TokenClassificationOptions extends CallOptions {
  /** Default `none`. */
  readonly aggregation_strategy?: Aggregation | undefined;
  /** Default `['O']`. */
  readonly ignore_labels?: readonly string[] | undefined;
  /** Tokens that the windows of a long text share. */
  readonly stride?: number | undefined;
}

/** `entity` and `index` of a token, or `entity_group` of what was joined. */
export interface TokenClassificationResult {
  readonly entity?: string;
  readonly entity_group?: string;
  readonly score: number;
  readonly index?: number;
  /** The token's vocabulary entry; of what was joined, its text. */
  readonly word: string;
  /** UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface TokenClassificationPipeline extends PipelineObject {
  (texts: string, options?: TokenClassificationOptions): Promise<TokenClassificationResult[]>;
  (
    texts: readonly string[],
    options?: TokenClassificationOptions,
  ): Promise<TokenClassificationResult[][]>;
  (
    texts: string | readonly string[],
    options?: TokenClassificationOptions,
  ): Promise<TokenClassificationResult[] | TokenClassificationResult[][]>;
}

export interface QuestionAnsweringOptions extends CallOptions {
  /** Default 1; with more, a list. */
  readonly top_k?: number | undefined;
  readonly max_seq_len?: number | undefined;
  readonly doc_stride?: number | undefined;
  readonly max_answer_len?: number | undefined;
  readonly handle_impossible_answer?: boolean | undefined;
  readonly align_to_words?: boolean | undefined;
}

export interface QuestionAnsweringPipeline extends PipelineObject {
  <K extends number = 1>(
    question: string,
    context: string,
    options?: WithTopK<QuestionAnsweringOptions, K>,
  ): Promise<ByTopK<K, Answer, Answer[]>>;
  <K extends number = 1>(
    question: readonly string[],
    context: readonly string[],
    options?: WithTopK<QuestionAnsweringOptions, K>,
  ): Promise<ByTopK<K, Answer, Answer[]>[]>;
}

export interface FillMaskOptions extends CallOptions {
  /** Default 5. */
  readonly top_k?: number | undefined;
  /** The only words to choose from, as in `FillOptions`. */
  readonly targets?: string | readonly string[] | undefined;
}

/** The words of one text, best first; with `Of` as `Fill[]`, a list of them for each of its masks. */
export type FillMaskResult<Of extends Fill | Fill[] = Fill> = Of[] & {
  /** One sentence for each target in whose place another token was taken. */
  readonly notes: readonly string[];
};

/** Texts have one mask, unless you say otherwise: `fill<Fill[]>(text)` gives a list for each mask of the text. */
export interface FillMaskPipeline extends PipelineObject {
  <Of extends Fill | Fill[] = Fill>(
    texts: string,
    options?: FillMaskOptions,
  ): Promise<FillMaskResult<Of>>;
  <Of extends Fill | Fill[] = Fill>(
    texts: readonly string[],
    options?: FillMaskOptions,
  ): Promise<FillMaskResult<Of>[]>;
  (
    texts: string | readonly string[],
    options?: FillMaskOptions,
  ): Promise<FillMaskResult | FillMaskResult[]>;
}

export type Pipeline =
  | FeatureExtractionPipeline
  | TextClassificationPipeline
  | ZeroShotClassificationPipeline
  | TokenClassificationPipeline
  | QuestionAnsweringPipeline
  | FillMaskPipeline;
