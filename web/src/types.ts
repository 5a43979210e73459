/**
 * The public types: what goes into `create()` and into calls, and what comes out.
 * Nothing here runs.
 */

import type { Pooling } from './embed_types.js';
import type { ModelUser } from './tasks/model_user.js';

export type * from './embed_types.js';
export type * from './fill_types.js';
export type * from './label_types.js';
export type * from './span_types.js';

// ---------------------------------------------------------------- where a model comes from

/** One file of a model: its bytes, its text, or the address to fetch it from. */
export type FilePart = Blob | ArrayBuffer | Uint8Array | URL | string;

/**
 * A model that is there already, by the paths of its files:
 * `{'config.json': '{"model_type":"bert",…}', 'model.safetensors': bytes, '1_Pooling/config.json': blob}`.
 * A string is the text of the file, not its address; for an address give a `URL`.
 */
export type FileRecord = { readonly [path: string]: FilePart };

/** A `FileSystemDirectoryHandle`; a name of its own, because programs of node do not know that one. */
export interface DirectoryHandle {
  readonly kind: 'directory';
  readonly name: string;
}

/**
 * Where a model comes from.
 * - `'default'`: the model that the package carries.
 * - `URL`, or a string: an address. One that ends in `.safetensors` is a one-file model, any other
 *   is a Hugging Face folder whose files are asked for by name. Without a scheme it is relative to
 *   the page; in node it is a path of the disk, to a file or to a directory.
 * - `Blob`, `File`, `ArrayBuffer`, `Uint8Array`: the bytes of a one-file model.
 * - `File[]` (a dropped folder or `<input webkitdirectory>`), a {@link FileRecord}, or a
 *   `FileSystemDirectoryHandle`: a Hugging Face folder, or one that holds a one-file model.
 */
export type Source =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array
  | DirectoryHandle
  | readonly File[]
  | FileRecord;

/** Which of the three wasm files runs: plain 128-bit SIMD, relaxed SIMD, relaxed SIMD with threads. */
export type Variant = 'simd' | 'relaxed' | 'relaxed-mt';

/** How weights are kept: quantized when a Hugging Face folder is loaded, or as they are. */
export type WeightPrecision = 'int8' | 'float32';

/**
 * The wasm module to use instead of the package's own: its address, its bytes, or compiled, which is a
 * `WebAssembly.Module` (an `object` here, because programs of node have no type of that name).
 */
export type WasmSource = string | URL | ArrayBuffer | Uint8Array | object;

/** The package's wasm files by name. `import` makes one-file models of Hugging Face folders. */
export type WasmFiles = { readonly [name in Variant | 'import']?: WasmSource | undefined };

export interface Progress {
  /** `engine`: the wasm module; `download`: the model's files; `prepare`: the rest; then `ready`. */
  readonly phase: 'engine' | 'download' | 'prepare' | 'ready';
  /** From 0 to 1 over everything that `create()` does; it never falls, and ends with 1. */
  readonly fraction: number;
  /** Bytes of the model's files that arrived so far. */
  readonly loaded: number;
  /** Bytes of all files, as far as known; grows when a file tells its size late. */
  readonly total: number;
  /** The file being read; empty outside of `download`. */
  readonly file: string;
}

export interface CreateOptions {
  /** Where the model comes from; default `'default'`. Another task's object shares its engine; of the other
   *  options only `precision` (its own), `signal` and `onProgress` go with one. */
  readonly model?: Source | ModelUser | undefined;
  /** What it throws, `create()` rejects with. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Precision of the weights; default: int8, and as it is for a one-file model. */
  readonly precision?: WeightPrecision | undefined;
  /** Path of the folder's weight file, e.g. `'onnx/model_quantized.onnx'`; default: model.safetensors or
   *  its shards, else onnx/model.onnx, model_fp16, model_quantized, model_int8, model_uint8. */
  readonly weights?: string | undefined;
  /**
   * What the weight file must hash to: 64 hexadecimal digits of SHA-256, or `sha256-` and base64.
   * For a folder: one per path, `{'model.safetensors': '…'}`.
   */
  readonly integrity?: string | { readonly [path: string]: string } | undefined;
  /** So far nothing is kept, with `'auto'` either, as `info.cache` tells: the browser's own cache does
   *  as the HTTP headers of the files say. */
  readonly cache?: 'auto' | 'none' | undefined;
  /** Only what needs no network loads: bytes, Blobs, directories, files of the disk (in node the default
   *  model is one). Files behind addresses are refused with code `network`, those of the page's own
   *  origin too; the package's scripts and wasm are loaded as always. */
  readonly offline?: boolean | undefined;
  /** Used instead of the global `fetch` for the files of the model. What it throws is the `cause` of the
   *  error, of code `network`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** One source is for the variant that runs. Where bundlers or extensions move the files, name each that
   *  may be needed: `{ simd, relaxed, 'relaxed-mt', import }`; those left out are found as always. */
  readonly wasm?: WasmSource | WasmFiles | undefined;
  /** Run in a worker; default: true in browsers, false elsewhere. */
  readonly worker?: boolean | undefined;
  /** Threads at most; default: chosen by the machine. Only the variant `relaxed-mt` has them. */
  readonly threads?: number | undefined;
  /** Force one wasm file by name; default: the fastest that the browser runs. */
  readonly variant?: Variant | 'auto' | undefined;
  /** Tokens that go through the encoder at once; bounds the memory. */
  readonly maxBatchTokens?: number | undefined;
}

export interface TokenizerCreateOptions extends CreateOptions {
  /** The tokenizer's files by name, instead of `model`: `{'tokenizer.json': text}`. */
  readonly files?: FileRecord | undefined;
}

// ---------------------------------------------------------------- what every call may say

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Interactive calls go before batch calls; default: interactive for one text, batch for a list. */
  readonly priority?: 'interactive' | 'batch' | undefined;
  /**
   * This call takes the place of all unfinished ones of the same object and key, which are
   * rejected as `superseded`; `true` is a key of its own. For search-as-you-type.
   */
  readonly supersede?: boolean | string | undefined;
  /**
   * Called while a list or a long text is worked on, and when all is done. `done` counts texts, and parts of
   * one that is read in windows as a fraction. What it throws, the call rejects with.
   */
  readonly onProgress?:
    ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** What happens to a text with more tokens than fit: cut at its end, at its start, or an error. */
export type Truncate = 'end' | 'start' | 'error';

export interface LengthOptions {
  /** Default `'end'`; that a text was cut is said in `truncated`. */
  readonly truncate?: Truncate | undefined;
  /** Tokens at most, special ones included; default and greatest value: `info.model.maxTokens`. */
  readonly maxLength?: number | undefined;
}

/** One text, or two that belong together: premise and hypothesis, query and passage. */
export type TextInput = string | { readonly text: string; readonly pair?: string | undefined };

// ---------------------------------------------------------------- tokenizer

/** Start and end in UTF-16 code units: `text.slice(start, end)`. Special tokens have `[0, 0]`. */
export type Offset = readonly [start: number, end: number];

export interface TruncationOptions {
  /** Tokens at most, special ones included. */
  readonly max_length: number;
  /** Default `longest_first`. */
  readonly strategy?: 'longest_first' | 'only_first' | 'only_second' | undefined;
  /** Tokens that neighbouring overflow windows share; default 0. */
  readonly stride?: number | undefined;
  /** The side that is cut; default `right`. */
  readonly direction?: 'left' | 'right' | undefined;
}

/** Padding follows the model's own `[PAD]` unless told otherwise. */
export interface PaddingOptions {
  /** Default `longest`: the longest of the batch. */
  readonly length?: number | 'longest' | undefined;
  /** Default `right`. */
  readonly direction?: 'left' | 'right' | undefined;
  readonly pad_to_multiple_of?: number | undefined;
  readonly pad_id?: number | undefined;
  readonly pad_type_id?: number | undefined;
  readonly pad_token?: string | undefined;
}

/** Names and meaning as in Hugging Face tokenizers. */
export interface EncodeOptions extends CallOptions {
  /** The second text of a pair. */
  readonly pair?: string | undefined;
  /** Default true: `[CLS]`, `[SEP]`, or what the tokenizer's template says. */
  readonly add_special_tokens?: boolean | undefined;
  /** Default false: special tokens that are typed in the text are found. True: they are plain text. */
  readonly encode_special_tokens?: boolean | undefined;
  /** Default, or false: none. `'file'`: as tokenizer.json says. */
  readonly truncation?: TruncationOptions | 'file' | false | undefined;
  /** Default, or false: none. True or `'longest'`: to the longest. `'file'`: as tokenizer.json says. */
  readonly padding?: PaddingOptions | 'longest' | 'file' | boolean | undefined;
}

export interface DecodeOptions extends CallOptions {
  /** Default true. */
  readonly skip_special_tokens?: boolean | undefined;
  /** Take out the spaces before punctuation; default: as the tokenizer's file says. */
  readonly clean_up_tokenization_spaces?: boolean | undefined;
}

/**
 * The tokens of one text or pair; all lists have the same length.
 * `'hi'` → ids [101, 7632, 102], tokens ['[CLS]', 'hi', '[SEP]'], offsets [[0,0], [0,2], [0,0]].
 *
 * The lists are made when they are read, so spreading or cloning an encoding does not copy them: pass them
 * by name, or what `JSON.stringify` gives. `ids` and `word_ids` are views of memory that the encodings of
 * one call share: `slice()` one before its buffer is transferred.
 */
export interface Encoding {
  /** Number of tokens. */
  readonly length: number;
  readonly ids: Int32Array;
  /** The vocabulary's entry of each id. */
  readonly tokens: readonly string[];
  /** Place of each token in its own source text, in UTF-16 code units. */
  readonly offsets: readonly Offset[];
  /** 0 for the first text, 1 for the second. */
  readonly type_ids: Uint8Array;
  /** 0 for padding, else 1. */
  readonly attention_mask: Uint8Array;
  /** 1 for special tokens and padding. */
  readonly special_tokens_mask: Uint8Array;
  /** Number of the word each token is of; −1 for special tokens. */
  readonly word_ids: Int32Array;
  /** 0 or 1: which text each token is of; −1 for special tokens. */
  readonly sequence_ids: Int8Array;
  /** Further windows of a text that was cut. */
  readonly overflow: readonly Encoding[];
  /** True if tokens were cut off. */
  readonly truncated: boolean;
}

// ---------------------------------------------------------------- what an object tells of itself

export interface HeadInfo {
  /** `default` for the head of a sequence-classification checkpoint. */
  readonly name: string;
  readonly labels: readonly string[];
  /** What turns logits into scores unless a call says otherwise. */
  readonly activation: 'softmax' | 'sigmoid' | 'none';
}

export interface ModelInfo {
  /** Name of the model, as far as its source tells. */
  readonly name: string;
  /** `model_type` of the config, e.g. `bert`, `roberta`; empty for a tokenizer alone. */
  readonly type: string;
  /** What it can do: `embed`, `classify`, `tag`, `answer`, `fill_mask`; `tokenize` it always can. */
  readonly tasks: readonly string[];
  /** Length of a vector; 0 for a tokenizer alone. */
  readonly dimensions: number;
  readonly layers: number;
  /** Tokens of a text at most, special ones included. */
  readonly maxTokens: number;
  readonly vocabularySize: number;
  readonly precision: WeightPrecision;
  /** One or more modes; several are set side by side in the vector. */
  readonly pooling: readonly Pooling[];
  readonly normalize: boolean;
  /** Classification heads; empty if there are none. */
  readonly heads: readonly HeadInfo[];
  /** Labels that it gives to tokens (`B-PER`, `O`, …); empty if it does not. */
  readonly tags: readonly string[];
  /** Names of the prompts. */
  readonly prompts: readonly string[];
  /** Measured loss of the quantized weights, as written by `convert`; null if it was not measured. */
  readonly fidelity: { readonly [key: string]: unknown } | null;
  /** What a user should know: files that disagree, and which one was followed. */
  readonly notes: readonly string[];
}

export interface Info {
  readonly variant: Variant;
  readonly threads: number;
  /** Why it is not a faster variant or more threads, one sentence each; empty: nothing fell back. */
  readonly reasons: readonly string[];
  /** True if the engine runs in a worker. */
  readonly worker: boolean;
  /** Where files were kept, or why they were not. */
  readonly cache: string;
  readonly model: ModelInfo;
}

/** In bytes. */
export interface Memory {
  /** Size of the wasm memory; it never shrinks until `destroy()`. */
  readonly wasm: number;
  /** Of these, in use. */
  readonly used: number;
  /** The model's weights and vocabulary. */
  readonly weights: number;
  /** Scratch space that calls share. */
  readonly arena: number;
}

/** A request that the worker made: for its own code, never with a text in it. The browser's records tell;
 *  WebKit has none of scripts that it had already and that had not changed. */
export interface RequestRecord {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Bytes of the body as sent; 0 if the browser does not say. */
  readonly bytes: number;
}

export interface SelfTest {
  /** `no-vectors`: the file holds none to compare with. */
  readonly status: 'passed' | 'failed' | 'no-vectors';
  /** Texts compared. */
  readonly count: number;
  /** Least cosine to the stored vectors; 1 if there are none. */
  readonly minCosine: number;
  /** What was found, in one sentence. */
  readonly message: string;
}
