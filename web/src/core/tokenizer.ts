/** A tokenizer inside the module: its own, or a model's. */

import { WasmByteBuffer } from './byte_buffer.js';
import type { Handle, Instance } from './instance.js';
import { rawDecodeOptions, rawEncodeOptions, wellFormed } from './options.js';
import type { SharedModule } from './raw_module.js';
import { writeTexts } from './texts.js';
import type {
  DecodeOptions,
  EncodeOptions,
  EngineTokenizer,
  PackedBatch,
  PackedTexts,
  TokenizerInfo,
} from './types.js';

export class WasmTokenizer implements EngineTokenizer {
  readonly #instance: Instance<SharedModule>;
  readonly #handle: Handle;
  readonly #end: (() => void) | undefined;
  #info: TokenizerInfo | undefined;

  /**
   * @param handle of a tokenizer, or of a model that has one
   * @param end for a tokenizer with an instance of its own: gives that back
   */
  constructor(instance: Instance<SharedModule>, handle: Handle, end?: () => void) {
    this.#instance = instance;
    this.#handle = handle;
    this.#end = end;
  }

  info(): TokenizerInfo {
    this.#info ??= JSON.parse(this.#call((raw, tokenizer) => raw.describeTokenizer(tokenizer))) as TokenizerInfo;
    return this.#info;
  }

  encode(texts: PackedTexts, options: EncodeOptions = {}): PackedBatch {
    const file = this.info();
    return this.#withTexts(texts, (raw, tokenizer, block) =>
      raw.tokenize(tokenizer, block, rawEncodeOptions(raw, options, file, (token) => this.tokenToId(token))),
    );
  }

  countTokens(texts: PackedTexts): Uint32Array {
    return this.#withTexts(texts, (raw, tokenizer, block) => raw.countTokens(tokenizer, block));
  }

  decode(ids: ArrayLike<number>, options: DecodeOptions = {}): string {
    const values = Int32Array.from(ids);
    const buffer = WasmByteBuffer.copyOf(this.#instance, new Uint8Array(values.buffer));
    try {
      return this.#call((raw, tokenizer) => raw.decode(tokenizer, buffer.raw, rawDecodeOptions(options)));
    } finally {
      buffer.free();
    }
  }

  idsToTokens(ids: ArrayLike<number>): (string | undefined)[] {
    return this.#call((raw, tokenizer) =>
      Array.from(ids, (id) => raw.idToToken(tokenizer, id) as string | undefined),
    );
  }

  tokenToId(token: string): number | undefined {
    return this.#call((raw, tokenizer) => raw.tokenToId(tokenizer, wellFormed(token)));
  }

  destroy(): void {
    if (this.#end === undefined) return;
    this.#handle.free();
    this.#end();
  }

  #withTexts<Reply>(texts: PackedTexts, body: (raw: SharedModule, tokenizer: number, block: number) => Reply) {
    const block = writeTexts(this.#instance, texts);
    try {
      return this.#call((raw, tokenizer) => body(raw, tokenizer, block.raw));
    } finally {
      block.free();
    }
  }

  #call<Reply>(body: (raw: SharedModule, tokenizer: number) => Reply) {
    const tokenizer = this.#handle.raw;
    return this.#instance.call((raw) => body(raw, tokenizer));
  }
}
