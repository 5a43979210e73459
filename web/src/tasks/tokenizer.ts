/** `Tokenizer`: texts to tokens and back, without a model. */

import { PocketBertError } from '../errors.js';
import type {
  CallOptions,
  DecodeOptions,
  Encoding,
  EncodeOptions,
  TextInput,
  TokenizerCreateOptions,
} from '../types.js';
import { ModelUser, ownOptions } from './model_user.js';
import {
  callTable,
  check,
  checkValue,
  decodeTable,
  encodeTable,
  listOf,
  text,
  tokenizerTable,
  whole,
} from './options.js';

/**
 * The tokenizer of a model, equal to Hugging Face tokenizers.
 *
 *     const tokenizer = await Tokenizer.create({ model: 'https://host/all-MiniLM-L6-v2/' });
 *     const encoding = await tokenizer.encode('Hello world!');
 *     encoding.tokens;      // ['[CLS]', 'hello', 'world', '!', '[SEP]']
 */
export class Tokenizer extends ModelUser {
  /** Loads tokenizer.json (or vocab.txt) of a folder, or the tokenizer of a one-file model. */
  static async create(options: TokenizerCreateOptions = {}): Promise<Tokenizer> {
    if (options?.files !== undefined && options.model !== undefined) {
      throw new PocketBertError(
        'invalid_argument',
        'both model and files were given; expected one of them',
      );
    }
    return new Tokenizer(await ModelUser.open(options, tokenizerTable));
  }

  /** The tokens of one text or pair. */
  encode(text: string, options: EncodeOptions = {}): Promise<Encoding> {
    return this.tokenize(text, options);
  }

  /** The tokens of many texts or pairs; padding to `longest` makes them equally long. */
  async encodeBatch(
    texts: readonly TextInput[],
    options: Omit<EncodeOptions, 'pair'> = {},
  ): Promise<Encoding[]> {
    const { pair, ...table } = encodeTable;
    check(options, table);
    return this.encodeAll(listOf('the texts', texts), options, texts);
  }

  /** The text of ids, as near as the vocabulary allows. */
  async decode(
    ids: ArrayLike<number> | Iterable<number>,
    options: DecodeOptions = {},
  ): Promise<string> {
    check(options, decodeTable);
    const args = { ids: idsOf(listOf('ids', ids)), options: ownOptions(options) };
    return this.ask('decode', args, options);
  }

  async decodeBatch(
    lists: readonly (ArrayLike<number> | Iterable<number>)[],
    options: DecodeOptions = {},
  ): Promise<string[]> {
    return Promise.all(listOf('lists', lists).map((ids) => this.decode(ids, options)));
  }

  /** The id of an entry of the vocabulary; undefined if it is none. */
  async tokenToId(token: string, options: CallOptions = {}): Promise<number | undefined> {
    check(options, callTable);
    checkValue('token', token, text);
    return this.ask('idOf', { token }, options);
  }

  /** The vocabulary's entry of an id; undefined if it has none. */
  async idToToken(id: number, options: CallOptions = {}): Promise<string | undefined> {
    check(options, callTable);
    const [token] = await this.ask('tokensOf', { ids: idsOf([id]) }, options);
    return token === '' ? undefined : token;
  }
}

function idsOf(list: readonly number[]): Int32Array {
  list.forEach((id, i) => checkValue(`id ${i}`, id, whole(0)));
  return Int32Array.from(list);
}
