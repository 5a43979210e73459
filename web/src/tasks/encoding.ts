/** Encodings as the user sees them, from the flat arrays that the engine gives. */

import { unpackBatch } from '../core/encoded_batch.js';
import type {
  EncodedBatch,
  EncodeOptions as EngineEncodeOptions,
  TextItem,
} from '../core/types.js';
import { refuse } from '../errors.js';
import type { Encoding, Offset, TextInput } from '../types.js';
import { partsOf } from '../worker/slices.js';
import type { Ask } from './model_user.js';
import { check, checkValue, itemTable, text } from './options.js';

/** Texts in the engine's form. */
export function itemsOf(texts: TextInput | readonly TextInput[]): TextItem[] {
  // `from` before `map`, which passes over holes.
  return isList(texts) ? Array.from(texts).map(itemOf) : [itemOf(texts)];
}

function isList(texts: TextInput | readonly TextInput[]): texts is readonly TextInput[] {
  return Array.isArray(texts);
}

/** @param index of one in a list */
function itemOf(input: TextInput, index?: number): TextItem {
  if (typeof input === 'string') return { text: input };
  const name = index === undefined ? 'the text' : `text ${index}`;
  if (typeof input !== 'object') refuse(name, input, 'a string or {text, pair}');
  check(input, itemTable, name);
  const { text, pair } = input;
  return { text, pair };
}

/**
 * The list of texts, or the list of one.
 * @param name of each, for messages
 */
export function textsOf(texts: string | readonly string[], name = 'text'): string[] {
  return Array.from(Array.isArray(texts) ? texts : [texts], (one, index) => {
    checkValue(`${name} ${index}`, one, text);
    return one;
  });
}

/** Names of ids, each asked of the engine once. */
export class Vocabulary {
  /** By id, without holes, because this is asked for every token of every text. */
  readonly #names: string[] = [];

  /** Learns the names of all ids in the batches. */
  async learn(batches: readonly EncodedBatch[], ask: Ask): Promise<void> {
    const unknown = new Set<number>();
    for (const { ids } of batches) {
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] ?? 0;
        if (!this.name(id)) unknown.add(id);
      }
    }
    if (unknown.size === 0) return;
    const ids = Int32Array.from(unknown);
    const names = await ask('tokensOf', { ids });
    ids.forEach((id, index) => {
      const name = names[index];
      // An id of padding may be any number, and no entry.
      if (!name) return;
      while (this.#names.length < id) this.#names.push('');
      this.#names[id] = name;
    });
  }

  /** The name of an id that was learned; else the empty string. */
  name(id: number): string {
    return this.#names[id] ?? '';
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
  const { padding } = options;
  const parts = partsOf(items, padding ? Infinity : undefined);
  const batches = (await ask.call('encode', { parts, options })).map(unpackBatch);
  await vocabulary.learn(batches, ask.aside);
  const padToken = typeof padding === 'object' ? padding.pad_token : undefined;
  const encodings: BatchEncoding[] = [];
  for (const batch of batches) append({ ...batch, vocabulary, padToken }, encodings);
  return encodings;
}

/** A batch, and what its tokens are called. */
interface Source extends EncodedBatch {
  readonly vocabulary: Vocabulary;
  readonly padToken: string | undefined;
}

function append(source: Source, encodings: BatchEncoding[]): void {
  source.items.forEach((item, index) => {
    const encoding = new BatchEncoding(source, index);
    if (item === source.items[index - 1]) encodings.at(-1)?.overflow.push(encoding);
    else encodings.push(encoding);
  });
}

type Lists = Pick<
  Encoding,
  'type_ids' | 'attention_mask' | 'special_tokens_mask' | 'word_ids' | 'sequence_ids'
>;

/** One encoding of a batch. Its lists are made when they are read: of many texts few are. */
class BatchEncoding implements Encoding {
  readonly length: number;
  readonly truncated: boolean;
  readonly #source: Source;
  readonly #start: number;
  #ids: Int32Array | undefined;
  #lists: Lists | undefined;
  #overflow: BatchEncoding[] | undefined;
  #offsets: readonly Offset[] | undefined;
  #tokens: readonly string[] | undefined;

  constructor(source: Source, index: number) {
    const start = source.starts[index] ?? 0;
    this.length = (source.starts[index + 1] ?? 0) - start;
    this.truncated = source.truncated[index] === 1;
    this.#source = source;
    this.#start = start;
  }

  get ids(): Int32Array {
    return (this.#ids ??= this.#own(this.#source.ids));
  }

  get type_ids(): Uint8Array {
    return this.#made().type_ids;
  }

  get attention_mask(): Uint8Array {
    return this.#made().attention_mask;
  }

  get special_tokens_mask(): Uint8Array {
    return this.#made().special_tokens_mask;
  }

  get word_ids(): Int32Array {
    return this.#made().word_ids;
  }

  get sequence_ids(): Int8Array {
    return this.#made().sequence_ids;
  }

  get overflow(): BatchEncoding[] {
    return (this.#overflow ??= []);
  }

  get offsets(): readonly Offset[] {
    const { offsets } = this.#source;
    return (this.#offsets ??= Array.from(this.ids, (_, token): Offset => {
      const at = 2 * (this.#start + token);
      return [offsets[at] ?? 0, offsets[at + 1] ?? 0];
    }));
  }

  get tokens(): readonly string[] {
    const { padToken, vocabulary } = this.#source;
    return (this.#tokens ??= Array.from(this.ids, (id, token) =>
      padToken !== undefined && this.attention_mask[token] === 0 ? padToken : vocabulary.name(id),
    ));
  }

  /** Plain arrays, so that `JSON.stringify` gives what one expects. */
  toJSON(): { readonly [name: string]: unknown } {
    const { ids, overflow, truncated, tokens, offsets } = this;
    const all = Object.entries({ ids, ...this.#made(), overflow, truncated, tokens, offsets });
    return Object.fromEntries(
      all.map(([name, value]) => [name, ArrayBuffer.isView(value) ? Array.from(value) : value]),
    );
  }

  /** What of a list of the batch is of this encoding. */
  #own(list: Int32Array): Int32Array {
    return list.subarray(this.#start, this.#start + this.length);
  }

  #made(): Lists {
    if (this.#lists) return this.#lists;
    const marks = this.#own(this.#source.marks);
    return (this.#lists = {
      type_ids: Uint8Array.from(marks, (mark) => mark >> 4),
      attention_mask: Uint8Array.from(marks, (mark) => mark & 1),
      special_tokens_mask: Uint8Array.from(marks, (mark) => (mark >> 1) & 1),
      word_ids: this.#own(this.#source.wordIds),
      sequence_ids: Int8Array.from(marks, (mark) => ((mark >> 2) & 3) - 1),
    });
  }
}
