/** How a folder of several files becomes a one-file model. */

import type { ByteBuffer, Precision } from './types.js';

/** Text files of a model folder, by path relative to it, absent ones left out: `config.json`,
 *  `tokenizer.json`, `vocab.txt`, `vocab.json`, `merges.txt`, `tokenizer_config.json`, `special_tokens_map.json`, `modules.json`,
 *  `sentence_bert_config.json`, `config_sentence_transformers.json`, `1_Pooling/config.json`,
 *  `2_Dense/config.json`, `model.safetensors.index.json`, `heads/topics.json` … */
export type FolderTexts = Readonly<Record<string, string>>;

export interface ImportOptions {
  /** Default `int8`. */
  precision?: Precision;
  /** Name kept in the file, shown as `info().source`. */
  source?: string;
}

/** Streams a folder's weights into one file: every weight file's header first (`addHeader` of all
 *  files), then the bytes in chunks of any size, files in any order, offsets rising within a file. */
export interface EngineImporter {
  /** Tells the importer the beginning of a weight file. Returns 0 when the header was complete, else how
   *  many bytes from the file's beginning are needed; call again with at least these.
   *  @param file path within the folder, e.g. `model-00001-of-00002.safetensors`
   *  @param fileSize bytes of the whole file, if known; needed for safetensors */
  addHeader(file: string, bytes: Uint8Array, fileSize: number | undefined): number;
  /** Bytes of a weight file from `offset` on (of the file, header included; bytes of the header are
   *  passed over, so a whole file may simply be written). */
  write(file: string, offset: number, chunk: Uint8Array): void;
  /** The finished one-file model, ready for `openModel` (or to be copied out and kept). Ends the
   *  importer. Throws if a file's bytes are incomplete, naming what is missing. */
  finish(): ByteBuffer;
  /** Instead of `write` and `finish`: what the import would give, from the headers alone. Throws where the
   *  first `write` would. */
  describe(): ImportFacts;
  /** Abandons the import; again, or after `finish`, is harmless. */
  destroy(): void;
}

/** What is known of a model before its weights are read; src/quantize/describe_import.h writes it. */
export interface ImportFacts {
  readonly modelType: string;
  readonly architectures: readonly string[];
  readonly tasks: readonly string[];
  readonly heads: readonly { readonly name: string; readonly task: string; readonly labels: readonly string[] }[];
  /** `type` as tokenizer.json has it, such as `WordPiece`. */
  readonly tokenizer: { readonly type: string; readonly vocabularySize: number };
  readonly layers: number;
  readonly hiddenSize: number;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly precision: Precision;
  /** Numbers in the weights, biases included. */
  readonly parameters: number;
  /** Bytes of the one-file model. */
  readonly fileBytes: number;
  /** Tensors of the weight files that nothing uses. */
  readonly ignoredTensors: readonly string[];
}
