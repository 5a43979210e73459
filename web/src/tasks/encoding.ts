/** Encodings as the user sees them, from the flat arrays that the engine gives. */

import type {
  EncodedBatch,
  EncodeOptions as EngineEncodeOptions,
  TextItem,
} from '../core/types.js';
import { refuse } from '../errors.js';
import type { Encoding, Offset, TextInput } from '../types.js';
import type { Ask } from './model_user.js';
import { check, itemTable } from './options.js';

/** Texts in the engine's form. */
export function itemsOf(texts: TextInput | readonly TextInput[]): TextItem[] {
  // `from` and not `map`, which passes over holes.
  return isList(texts)
    ? Array.from(texts, (input, index) => itemOf(input, `text ${index}`))
    : [itemOf(texts, 'the text')];
}

function isList(texts: TextInput | readonly TextInput[]): texts is readonly TextInput[] {
  return Array.isArray(texts);
}

function itemOf(input: TextInput, name: string): TextItem {
  if (typeof input === 'string') return { text: input };
  if (typeof input !== 'object') refuse(name, input, 'a string or {text, pair}');
  check(input, itemTable, name);
  return input.pair === undefined ? { text: input.text } : { text: input.text, pair: input.pair };
}

/** Names of ids, each asked of the engine once. */
export class Vocabulary {
  readonly #names = new Map<number, string>();

  /** Learns the names of all ids in the batches. */
  async learn(batches: readonly EncodedBatch[], ask: Ask): Promise<void> {
    const unknown = new Set<number>();
    for (const { ids } of batches) for (const id of ids) if (!this.#names.has(id)) unknown.add(id);
    if (unknown.size === 0) return;
    const ids = Int32Array.from(unknown);
    const names = await ask('tokensOf', { ids });
    ids.forEach((id, index) => this.#names.set(id, names[index] ?? ''));
  }

  /** The name of an id that was learned. */
  name(id: number): string {
    return this.#names.get(id) ?? '';
  }
}

/**
 * Encodes all items; their overflow windows hang on them.
 * @param ask `call`: on behalf of the user; `aside`: for what is needed besides, not to be superseded
 */
export async function encodeItems(
  items: readonly TextItem[],
  options: EngineEncodeOptions,
  vocabulary: Vocabulary,
  ask: { readonly call: Ask; readonly aside: Ask },
): Promise<Encoding[]> {
  const batches = await ask.call('encode', { items, options });
  await vocabulary.learn(batches, ask.aside);
  const padToken = typeof options.padding === 'object' ? options.padding.pad_token : undefined;
  return batches.flatMap((batch) => encodingsOf(batch, vocabulary, padToken));
}

function encodingsOf(
  batch: EncodedBatch,
  vocabulary: Vocabulary,
  padToken: string | undefined,
): Encoding[] {
  const encodings: { readonly item: number | undefined; readonly first: BatchEncoding }[] = [];
  for (let index = 0; index < batch.count; index++) {
    const encoding = new BatchEncoding(batch, index, vocabulary, padToken);
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
  readonly #vocabulary: Vocabulary;
  readonly #padToken: string | undefined;
  #offsets: readonly Offset[] | undefined;
  #tokens: readonly string[] | undefined;

  constructor(
    batch: EncodedBatch,
    index: number,
    vocabulary: Vocabulary,
    padToken: string | undefined,
  ) {
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
    this.#vocabulary = vocabulary;
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
      this.#padToken !== undefined && this.attention_mask[token] === 0
        ? this.#padToken
        : this.#vocabulary.name(id),
    ));
  }

  /** Plain arrays, so that `JSON.stringify` gives what one expects. */
  toJSON(): { readonly [name: string]: unknown } {
    const { length, ...own } = this;
    const all = Object.entries({ ...own, tokens: this.tokens, offsets: this.offsets });
    return Object.fromEntries(
      all.map(([name, value]) => [name, ArrayBuffer.isView(value) ? Array.from(value) : value]),
    );
  }
}
