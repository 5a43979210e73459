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
import { ModelUser } from './model_user.js';

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
    if (options.files !== undefined && options.model !== undefined) {
      throw new PocketBertError(
        'invalid_argument',
        'both model and files were given; expected one of them',
      );
    }
    return new Tokenizer(await ModelUser.open(options, true));
  }

  /** The tokens of one text or pair. */
  encode(text: string, options: EncodeOptions = {}): Promise<Encoding> {
    return this.tokenize(text, options);
  }

  /** The tokens of many texts or pairs; padding to `longest` makes them equally long. */
  encodeBatch(
    texts: readonly TextInput[],
    options: Omit<EncodeOptions, 'pair'> = {},
  ): Promise<Encoding[]> {
    return this.encodeAll(texts, options, texts);
  }

  /** The text of ids, as near as the vocabulary allows. */
  async decode(
    ids: ArrayLike<number> | Iterable<number>,
    options: DecodeOptions = {},
  ): Promise<string> {
    const list = Array.from(ids);
    const wrong = list.find((id) => !Number.isInteger(id) || id < 0 || id > 0x7fffffff);
    if (wrong !== undefined)
      throw new PocketBertError('invalid_argument', `${wrong} is no token id`);
    const { skip_special_tokens: skipSpecialTokens, clean_up_tokenization_spaces: cleanUp } =
      options;
    return this.ask(
      'decode',
      { ids: Int32Array.from(list), options: { skipSpecialTokens, cleanUp } },
      options,
    );
  }

  decodeBatch(
    lists: readonly (ArrayLike<number> | Iterable<number>)[],
    options: DecodeOptions = {},
  ): Promise<string[]> {
    return Promise.all(lists.map((ids) => this.decode(ids, options)));
  }

  /** The id of an entry of the vocabulary; undefined if it is none. */
  tokenToId(token: string, options: CallOptions = {}): Promise<number | undefined> {
    return this.ask('idOf', { token }, options);
  }

  /** The vocabulary's entry of an id; undefined if it has none. */
  async idToToken(id: number, options: CallOptions = {}): Promise<string | undefined> {
    const [token] = await this.ask('tokensOf', { ids: Int32Array.of(id) }, options);
    return token === '' ? undefined : token;
  }
}
