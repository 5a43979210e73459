/** Encodings as the user sees them, from the flat arrays that the engine gives. */

import type { EncodedBatch, EncodeOptions as EngineEncodeOptions, TextItem } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { Encoding, EncodeOptions, Offset, PaddingOptions, TextInput, TruncationOptions } from '../types.js';
import type { Ask } from './model_user.js';

/** Texts in the engine's form. */
export function itemsOf(texts: string | TextInput | readonly TextInput[]): TextItem[] {
  return (isList(texts) ? texts : [texts]).map(itemOf);
}

function isList(texts: string | TextInput | readonly TextInput[]): texts is readonly TextInput[] {
  return Array.isArray(texts);
}

function itemOf(input: TextInput): TextItem {
  if (typeof input === 'string') return { text: input };
  if (typeof input !== 'object' || input === null || typeof input.text !== 'string') {
    const found = input === null ? 'null' : typeof input;
    throw new PocketBertError('invalid_argument', `a text is ${found}; expected a string or { text, pair }`);
  }
  return input.pair === undefined ? { text: input.text } : { text: input.text, pair: input.pair };
}

/** The names of all ids, asked of the engine once. */
export class Vocabulary {
  #tokens: Promise<readonly string[]> | undefined;

  tokens(ask: Ask): Promise<readonly string[]> {
    const tokens = (this.#tokens ??= ask('vocabulary', {}));
    tokens.catch(() => {
      if (this.#tokens === tokens) this.#tokens = undefined;
    });
    return tokens;
  }
}

function truncationOf(truncation: TruncationOptions | 'file' | undefined): EngineEncodeOptions['truncation'] {
  if (truncation === undefined || truncation === 'file') return truncation;
  const { max_length: maxLength, strategy, stride, direction } = truncation;
  return {
    maxLength,
    ...(strategy !== undefined && { strategy }),
    ...(stride !== undefined && { stride }),
    ...(direction !== undefined && { direction }),
  };
}

function paddingOf(
  padding: PaddingOptions | 'file' | undefined,
  tokens: readonly string[],
): EngineEncodeOptions['padding'] {
  if (padding === undefined || padding === 'file') return padding;
  const { length, direction, pad_to_multiple_of: padToMultipleOf, pad_type_id: padTypeId, pad_token } = padding;
  const found = pad_token === undefined ? -1 : tokens.indexOf(pad_token);
  const padId = padding.pad_id ?? (found < 0 ? undefined : found);
  if (pad_token !== undefined && padId === undefined) {
    throw new PocketBertError('invalid_argument', `pad_token ${JSON.stringify(pad_token)} is not in the vocabulary`, {
      hint: 'give its pad_id',
    });
  }
  return {
    ...(length !== undefined && { length }),
    ...(direction !== undefined && { direction }),
    ...(padToMultipleOf !== undefined && { padToMultipleOf }),
    ...(padId !== undefined && { padId }),
    ...(padTypeId !== undefined && { padTypeId }),
  };
}

function optionsOf(options: EncodeOptions, tokens: readonly string[]): EngineEncodeOptions {
  const truncation = truncationOf(options.truncation);
  const padding = paddingOf(options.padding, tokens);
  return {
    addSpecialTokens: options.add_special_tokens ?? true,
    encodeSpecialTokens: options.encode_special_tokens ?? false,
    ...(truncation !== undefined && { truncation }),
    ...(padding !== undefined && { padding }),
  };
}

/**
 * Encodes all items; their overflow windows hang on them.
 * @param tokens all entries of the vocabulary
 */
export async function encodeItems(
  items: readonly TextItem[],
  options: EncodeOptions,
  tokens: readonly string[],
  ask: Ask,
): Promise<Encoding[]> {
  const batches = await ask('encode', { items, options: optionsOf(options, tokens) });
  const padToken = typeof options.padding === 'object' ? options.padding.pad_token : undefined;
  return batches.flatMap((batch) => encodingsOf(batch, tokens, padToken));
}

function encodingsOf(batch: EncodedBatch, tokens: readonly string[], padToken: string | undefined): Encoding[] {
  const encodings: { readonly item: number | undefined; readonly first: BatchEncoding }[] = [];
  for (let index = 0; index < batch.count; index++) {
    const encoding = new BatchEncoding(batch, index, tokens, padToken);
    const item = batch.items[index];
    const last = encodings.at(-1);
    if (last !== undefined && last.item === item) last.first.overflow.push(encoding);
    else encodings.push({ item, first: encoding });
  }
  return encodings.map(({ first }) => first);
}

/** A view of one encoding of a batch. */
class BatchEncoding implements Encoding {
  readonly length: number;
  readonly ids: Int32Array;
  readonly type_ids: Uint8Array;
  readonly attention_mask: Uint8Array;
  readonly special_tokens_mask: Uint8Array;
  readonly word_ids: Int32Array;
  readonly sequence_ids: Int8Array;
  readonly overflow: BatchEncoding[] = [];
  readonly truncated: boolean;
  readonly #flat: Uint32Array;
  readonly #names: readonly string[];
  readonly #padToken: string | undefined;
  #offsets: readonly Offset[] | undefined;
  #tokens: readonly string[] | undefined;

  constructor(batch: EncodedBatch, index: number, names: readonly string[], padToken: string | undefined) {
    const start = batch.starts[index] ?? 0;
    const end = batch.starts[index + 1] ?? start;
    this.length = end - start;
    this.ids = batch.ids.subarray(start, end);
    this.type_ids = batch.typeIds.subarray(start, end);
    this.attention_mask = batch.attentionMask.subarray(start, end);
    this.special_tokens_mask = batch.specialTokensMask.subarray(start, end);
    this.word_ids = batch.wordIds.subarray(start, end);
    this.sequence_ids = batch.sequenceIds.subarray(start, end);
    this.truncated = batch.truncated[index] === 1;
    this.#flat = batch.offsets.subarray(2 * start, 2 * end);
    this.#names = names;
    this.#padToken = padToken;
  }

  get offsets(): readonly Offset[] {
    return (this.#offsets ??= Array.from(this.ids, (_, token): Offset => [
      this.#flat[2 * token] ?? 0,
      this.#flat[2 * token + 1] ?? 0,
    ]));
  }

  get tokens(): readonly string[] {
    return (this.#tokens ??= Array.from(this.ids, (id, token) =>
      this.#padToken !== undefined && this.attention_mask[token] === 0 ? this.#padToken : (this.#names[id] ?? ''),
    ));
  }

  /** Plain arrays, so that `JSON.stringify` gives what one expects. */
  toJSON(): { readonly [name: string]: unknown } {
    const { tokens, offsets, overflow, truncated } = this;
    const plain = (list: ArrayLike<number>): number[] => Array.from(list);
    return {
      ids: plain(this.ids),
      tokens,
      offsets,
      type_ids: plain(this.type_ids),
      attention_mask: plain(this.attention_mask),
      special_tokens_mask: plain(this.special_tokens_mask),
      word_ids: plain(this.word_ids),
      sequence_ids: plain(this.sequence_ids),
      overflow,
      truncated,
    };
  }
}
