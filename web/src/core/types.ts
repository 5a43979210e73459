/**
 * The synchronous engine: one wasm instance and the models in it.
 *
 * Everything here runs on the thread that calls it. The worker layer runs an `Engine` in a worker; in
 * node the API uses one directly. Every failure is thrown as `PocketBertError`; after an error of any
 * code but `trap` the engine and its models go on working. After a `trap` (a bug of ours, or memory
 * that could not be had inside a computation) `alive` is false, every further call throws `trap`, and
 * the owner loads a new engine.
 *
 * Texts may be any JavaScript strings; a lone surrogate counts as U+FFFD. All offsets are UTF-16 units
 * of the text they belong to. Result arrays are copies that belong to the caller and can be
 * transferred.
 */

import type {
  CallOptions,
  ClassifyOptions as PublicClassifyOptions,
  DecodeOptions as PublicDecodeOptions,
  EncodeOptions as PublicEncodeOptions,
  FillOptions as PublicFillOptions,
  PaddingOptions,
  TruncationOptions,
} from '../types.js';
import type { EmbedOptions, EmbedPartsOptions, EmbedPartsResult, EmbedResult } from './embed_types.js';
import type { EngineImporter, FolderTexts, ImportOptions } from './import_types.js';
import type { AnswerOptions, AnswerResult, TagOptions, TagResult } from './span_types.js';

export type * from './embed_types.js';
export type * from './import_types.js';
export type * from './span_types.js';

// ------------------------------------------------------------------------------------ loading

export type VariantName = 'simd' | 'relaxed' | 'relaxed-mt';

/** Where the wasm comes from: its address, its bytes, or the compiled module. */
export type WasmSource = URL | string | BufferSource | WebAssembly.Module;

export interface EngineOptions {
  /** `auto` (default): the first of the probe table that this host can run. */
  variant?: VariantName | 'auto';
  /** Threads that compute, the caller's included; only `relaxed-mt` uses more than 1. Default: the
   *  host's cores, at most 4. */
  threads?: number;
  /** Instead of the `.wasm` beside the script. One source is for the chosen variant; if that is
   *  `auto`, the variant is read from the source itself. */
  wasm?: WasmSource | Partial<Record<VariantName | 'import', WasmSource>>;
  /** Used for every request of this engine. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Most tokens computed in one step; bounds the scratch memory and the time between two looks at an
   *  AbortSignal. Default 512; raised to the longest text a model takes if that is more. */
  maxBatchTokens?: number;
  /** Ends the loading of the wasm. */
  signal?: AbortSignal;
}

export type LoadEngine = (options?: EngineOptions) => Promise<Engine>;

export interface EngineMemory {
  /** Size of the wasm memory, bytes. It never shrinks while the engine lives. */
  wasmBytes: number;
  /** Of these, in use by models, buffers and scratch. */
  usedBytes: number;
}

export interface Engine {
  readonly variant: VariantName;
  readonly threads: number;
  /** Why a better variant or more threads were not used, one sentence each; empty if nothing fell back. */
  readonly reasons: readonly string[];
  readonly maxBatchTokens: number;
  /** False after `destroy()` and after a trap. */
  readonly alive: boolean;

  /** Some milliseconds of what a model will run, so that its code becomes fast; needs no model. */
  warmUp(): void;
  /** Memory inside the wasm for `byteLength` bytes, so that a download is written where it is used. */
  allocate(byteLength: number): ByteBuffer;
  /** Opens a finished one-file model. The buffer is consumed, also if this throws: copy `bytes()` before
   *  if they are wanted later (a `Uint8Array` is copied in and stays the caller's). */
  openModel(file: ByteBuffer | Uint8Array, options?: { source?: string }): EngineModel;
  /** Begins the import of a Hugging Face folder. */
  createImporter(files: FolderTexts, options?: ImportOptions): Promise<EngineImporter>;
  /** A tokenizer alone. */
  openTokenizer(files: FolderTexts): Promise<EngineTokenizer>;
  memory(): EngineMemory;
  /** Gives everything back: models, buffers, threads and the wasm memory itself. */
  destroy(): void;
}

export interface ByteBuffer {
  readonly byteLength: number;
  /** A view of the bytes. Take a new one after any other call into the engine: memory may have moved. */
  bytes(): Uint8Array;
  /** Gives the memory back; again is harmless. */
  free(): void;
}

export type Precision = 'int8' | 'float32';

// ------------------------------------------------------------------------------------ tokenizer

export interface TextItem {
  text: string;
  pair?: string | undefined;
}

/** Texts as they cross from thread to thread and into the module: one block of UTF-8. */
export interface PackedTexts {
  bytes: Uint8Array;
  /** [2 · items] where in `bytes` the text and the pair of each item end; 2³² − 1: no pair. */
  ends: Uint32Array;
}

/** What of a public call's options reaches the engine, with values that were checked. */
export type EngineOptionsOf<Options> = Omit<Options, keyof CallOptions | 'pair'>;

export type EncodeOptions = EngineOptionsOf<PublicEncodeOptions>;
export type DecodeOptions = EngineOptionsOf<PublicDecodeOptions>;

/** As a tokenizer's file says it. */
export interface FileTruncation {
  maxLength: number;
  strategy?: TruncationOptions['strategy'];
  stride?: number | undefined;
  direction?: TruncationOptions['direction'];
}

/** As a tokenizer's file says it. */
export interface FilePadding {
  length?: PaddingOptions['length'];
  direction?: PaddingOptions['direction'];
  padToMultipleOf?: number | undefined;
  padId?: number | undefined;
  padTypeId?: number | undefined;
}

/** The lists of an `EncodedBatch` one after the other, behind their number: see src/tasks/tokenize.h. */
export type PackedBatch = Int32Array;

/**
 * Encodings back to back: encoding `e` has the tokens `starts[e]` to `starts[e + 1]`.
 * Each item gives one encoding, followed by its overflow windows if truncation left any.
 */
export interface EncodedBatch {
  /** [encodings] index of the item an encoding belongs to; rising. */
  items: Int32Array;
  /** [encodings] 1 where tokens of the item were cut off (they are then in its overflow windows). */
  truncated: Int32Array;
  /** [encodings + 1] */
  starts: Int32Array;
  /** The following hold one value a token. */
  ids: Int32Array;
  /** Index of the pre-token within its sequence, -1 for specials. */
  wordIds: Int32Array;
  /** Bit 0: not padding; bit 1: special or padding; bits 2, 3: 1 text, 2 pair, 0 specials and padding; from
   *  bit 4: type. */
  marks: Int32Array;
  /** [2 · tokens] start and end, UTF-16 units of the text or pair; 0, 0 for specials. */
  offsets: Int32Array;
}

export interface SpecialTokens {
  unk?: number;
  cls?: number;
  sep?: number;
  pad?: number;
  mask?: number;
}

export interface TokenizerInfo {
  /** Entries, added tokens included. */
  vocabularySize: number;
  /** One more than the largest id; more than `vocabularySize` where ids have gaps. */
  idLimit: number;
  specialTokens: SpecialTokens;
  /** Truncation and padding that the file sets for itself, if it does. */
  truncation?: FileTruncation;
  padding?: FilePadding;
  /** Where tokenizer_config.json overruled tokenizer.json, one sentence each. */
  differences: string[];
}

export interface EngineTokenizer {
  info(): TokenizerInfo;
  /** `texts` alone share one call; the order of the results is that of the items. */
  encode(texts: PackedTexts, options?: EncodeOptions): PackedBatch;
  /** Tokens of each item, special tokens included, uncut. */
  countTokens(texts: PackedTexts): Uint32Array;
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  /** Vocabulary entries of ids; `undefined` where an id has none. */
  idsToTokens(ids: ArrayLike<number>): (string | undefined)[];
  tokenToId(token: string): number | undefined;
  /** Again is harmless. A model's own tokenizer goes with its model. */
  destroy(): void;
}

// ------------------------------------------------------------------------------------ model

export type PoolingName =
  | 'cls'
  | 'mean'
  | 'max'
  | 'mean_sqrt_len'
  | 'weighted_mean'
  | 'last_token';

export type Activation = 'none' | 'sigmoid' | 'softmax';

export interface HeadInfo {
  /** `default` for the head of a sequence-classification checkpoint. */
  name: string;
  /** `bert`, `distilbert`, `electra`, `enhanced`. */
  type: string;
  labels: string[];
  /** What `classify` applies unless told otherwise. */
  activation: Activation;
  /** Logits are divided by it before the activation; 1 if the head has none. */
  temperature: number;
}

export interface ModelInfo {
  /** Name given when it was imported or opened; may be empty. */
  source: string;
  /** `model_type` of the config, e.g. `bert`, `roberta`. */
  modelType: string;
  /** `BertModel`, … as config.json says; may be empty. */
  architectures: string[];
  /** What the file can do: `embed`, `classify`, `tag`, `answer`, `fill_mask`. */
  tasks: string[];
  heads: HeadInfo[];
  /** Labels of the head that tags tokens; empty if there is none. */
  tags: string[];
  /** Length of a vector from `embed`. */
  dimensions: number;
  pooling: PoolingName[];
  normalize: boolean;
  /** Prompts by name (`query`, `document`, …) and the one used when none is asked for. */
  prompts: Record<string, string>;
  defaultPromptName?: string;
  /** What sentence-transformers would compare vectors with (`cosine`, `dot` …); may be empty. */
  similarity: string;
  /** Most tokens of one text, special tokens included: the smaller of max_seq_length and positions. */
  maxLength: number;
  /** Positions of the table. */
  positions: number;
  layers: number;
  hiddenSize: number;
  precision: Precision;
  /** Measured when the file was converted, a JSON text as the file has it; absent if it was not. */
  fidelity?: string;
  /** Tensors of the source that nothing here uses; absent if there were none. */
  ignoredTensors?: string[];
  /** Bytes of weights in memory. */
  weightBytes: number;
  /** Bytes of scratch for one step. */
  scratchBytes: number;
  tokenizer: TokenizerInfo;
}

export type ClassifyOptions = Omit<EngineOptionsOf<PublicClassifyOptions>, 'explain'>;

export interface ClassifyResult {
  count: number;
  /** All labels of the head, in its order. */
  labels: string[];
  /** Labels kept for each item. */
  topK: number;
  /** [count · topK] indices into `labels`, best first. */
  indices: Uint32Array;
  /** [count · topK] their scores. */
  scores: Float32Array;
  tokens: Uint32Array;
  truncated: Uint8Array;
}

/** `labels`: how many a text has. */
export interface ZeroShotOptions {
  readonly truncate?: PublicClassifyOptions['truncate'];
  readonly maxLength?: number | undefined;
  readonly head?: string | undefined;
  readonly multi_label?: boolean | undefined;
  readonly labels: number;
}

/** One value a pair of text and hypothesis. */
export interface ZeroShotResult {
  /** Of the label, 0 to 1. */
  scores: Float32Array;
  /** Which of the head's labels was taken for entailment. */
  entailment: number;
  tokens: Uint32Array;
  truncated: Uint8Array;
}

export interface FillMaskOptions extends Omit<EngineOptionsOf<PublicFillOptions>, 'targets'> {
  readonly targets?: readonly string[] | undefined;
}

export interface FillMaskResult {
  count: number;
  /** Words kept for each mask. */
  wordsPerMask: number;
  /** [count] masks in each text. */
  masks: Uint32Array;
  /** The words of all masks, [masks, wordsPerMask], best first, in parts of any length. */
  parts: {
    ids: Int32Array;
    scores: Float32Array;
    /** The text of each word and that of its sequence, UTF-8, back to back. */
    texts: Uint8Array;
    /** [2 · ids] where in `texts` they end. */
    ends: Uint32Array;
  }[];
  /** One sentence for each target in whose place another token was taken. */
  notes: string[];
  tokens: Uint32Array;
  truncated: Uint8Array;
}

/**
 * A long call in steps of at most `maxBatchTokens` tokens, so that the caller can look at an
 * AbortSignal, report progress or let another call in between two steps. Several runs may be open at
 * once. The bits of the result do not depend on the steps.
 *
 *   const run = model.startEmbed(texts);
 *   try { while (run.step() < run.total) { … } return run.finish(); } finally { run.destroy(); }
 */
export interface EngineRun<Result> {
  /** Items in all. */
  readonly total: number;
  /** Computes the next batch; returns how many items are done, a long one's parts as a fraction. */
  step(): number;
  /** The result; only when all items are done. Ends the run. */
  finish(): Result;
  /** Abandons the run; again, or after `finish`, is harmless. */
  destroy(): void;
}

export interface EngineModel {
  readonly tokenizer: EngineTokenizer;
  info(): ModelInfo;
  embed(texts: readonly string[], options?: EmbedOptions): EmbedResult;
  startEmbed(texts: readonly string[], options?: EmbedOptions): EngineRun<EmbedResult>;
  startEmbedParts(texts: readonly string[], options: EmbedPartsOptions): EngineRun<EmbedPartsResult>;
  classify(items: readonly TextItem[], options?: ClassifyOptions): ClassifyResult;
  startClassify(items: readonly TextItem[], options?: ClassifyOptions): EngineRun<ClassifyResult>;
  startZeroShot(items: readonly TextItem[], options: ZeroShotOptions): EngineRun<ZeroShotResult>;
  startTag(texts: readonly string[], options?: TagOptions): EngineRun<TagResult>;
  /** Items: `text` is the question, `pair` the context. */
  startAnswer(items: readonly TextItem[], options?: AnswerOptions): EngineRun<AnswerResult>;
  startFillMask(texts: readonly string[], options?: FillMaskOptions): EngineRun<FillMaskResult>;
  /** Gives its memory back to the engine; again is harmless. Open runs of the model end with it. */
  destroy(): void;
}
