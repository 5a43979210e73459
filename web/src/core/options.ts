/**
 * Options as callers write them to options as the module takes them. The values are right: the public
 * calls check them (tasks/options.ts), except where the module itself does.
 */

import { refuse } from '../errors.js';
import type { LengthOptions } from '../types.js';
import type { RawModule, SharedModule } from './raw_module.js';
import type {
  AnswerOptions,
  ClassifyOptions,
  DecodeOptions,
  EmbedOptions,
  EncodeOptions,
  FilePadding,
  FileTruncation,
  FillMaskOptions,
  TagOptions,
  TokenizerInfo,
} from './types.js';

/** The same text with lone surrogates as U+FFFD, which is how UTF-8 carries them. */
export function wellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

/** @param options in the words of the tokenizer's file */
function rawTruncation(raw: SharedModule, options: FileTruncation) {
  const { maxLength, strategy = 'longest_first', stride = 0, direction = 'right' } = options;
  return {
    maxLength,
    strategy: raw.TruncationStrategy[strategy],
    stride,
    direction: raw.Side[direction],
  };
}

function rawPadding(raw: SharedModule, options: FilePadding) {
  const { length, direction = 'right', padToMultipleOf = 0, padId, padTypeId = 0 } = options;
  return {
    length: length === 'longest' ? undefined : length,
    direction: raw.Side[direction],
    padToMultipleOf,
    padId,
    padTypeId,
  };
}

function truncationOf(
  asked: EncodeOptions['truncation'],
  file: FileTruncation | undefined,
): FileTruncation | undefined {
  if (asked === 'file') return file;
  return asked ? { ...asked, maxLength: asked.max_length } : undefined;
}

function paddingOf(
  asked: EncodeOptions['padding'],
  file: FilePadding | undefined,
  idOf: (token: string) => number | undefined,
): FilePadding | undefined {
  if (asked === 'file') return file;
  if (typeof asked !== 'object') return asked ? {} : undefined;
  const { pad_to_multiple_of: padToMultipleOf, pad_type_id: padTypeId, pad_token: token } = asked;
  const padId = asked.pad_id ?? (token === undefined ? undefined : idOf(token));
  if (token !== undefined && padId === undefined) {
    refuse('padding.pad_token', token, 'an entry of the vocabulary, or its pad_id as well');
  }
  return { ...asked, padToMultipleOf, padId, padTypeId };
}

/**
 * @param file what the tokenizer's own file says
 * @param idOf finds entries of the vocabulary
 */
export function rawEncodeOptions(
  raw: SharedModule,
  options: EncodeOptions,
  file: TokenizerInfo,
  idOf: (token: string) => number | undefined,
) {
  const truncation = truncationOf(options.truncation, file.truncation);
  const padding = paddingOf(options.padding, file.padding, idOf);
  return {
    addSpecialTokens: options.add_special_tokens ?? true,
    encodeSpecialTokens: options.encode_special_tokens ?? false,
    truncation: truncation && rawTruncation(raw, truncation),
    padding: padding && rawPadding(raw, padding),
  };
}

export function rawDecodeOptions(options: DecodeOptions) {
  return {
    skipSpecialTokens: options.skip_special_tokens ?? true,
    cleanUp: options.clean_up_tokenization_spaces,
  };
}

function rawLengthOptions(raw: RawModule, { truncate = 'end', maxLength }: LengthOptions) {
  return { truncate: raw.Truncate[truncate], maxLength };
}

export function rawEmbedOptions(raw: RawModule, options: EmbedOptions) {
  const { kind = '', promptName = '', prompt, dimensions, normalize, pooling } = options;
  return {
    length: rawLengthOptions(raw, options),
    kind,
    promptName: wellFormed(promptName),
    prompt: prompt && wellFormed(prompt),
    dimensions,
    normalize,
    pooling: pooling && raw.PoolingMode[pooling],
  };
}

export function rawClassifyOptions(raw: RawModule, options: ClassifyOptions) {
  const { head = '', activation, top_k } = options;
  return {
    length: rawLengthOptions(raw, options),
    head: wellFormed(head),
    activation: activation && raw.ScoreFunction[activation],
    topK: top_k ?? undefined,
  };
}

export function rawZeroShotOptions(
  raw: RawModule,
  options: LengthOptions & { readonly head?: string | undefined },
) {
  return { length: rawLengthOptions(raw, options), head: wellFormed(options.head ?? '') };
}

export function rawTagOptions(raw: RawModule, options: TagOptions) {
  const { aggregation = 'simple', maxLength, stride } = options;
  return { windows: { maxLength, stride }, aggregation: raw.Aggregation[aggregation] };
}

export function rawAnswerOptions(options: AnswerOptions) {
  return {
    windows: { maxLength: options.max_seq_len, stride: options.doc_stride },
    maxAnswerLen: options.max_answer_len ?? 15,
    topK: options.top_k ?? 1,
    handleImpossibleAnswer: options.handle_impossible_answer ?? false,
    nullThreshold: options.null_threshold ?? 0,
    alignToWords: options.align_to_words ?? true,
  };
}

export function rawFillMaskOptions(raw: RawModule, options: FillMaskOptions) {
  return { length: rawLengthOptions(raw, options), topK: options.top_k ?? 5 };
}
