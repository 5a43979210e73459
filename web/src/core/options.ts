/** Options as callers write them to options as the module takes them; every value is checked here. */

import { PocketBertError } from '../errors.js';
import type { RawModule } from './raw_module.js';
import type {
  ClassifyOptions,
  DecodeOptions,
  EmbedOptions,
  EncodeOptions,
  PaddingOptions,
  TokenizerInfo,
  TruncationOptions,
} from './types.js';

const kMostTokens = 2 ** 31 - 1;

function refuse(name: string, value: unknown, expected: string): never {
  const found = typeof value === 'string' ? `'${value}'` : String(value);
  throw new PocketBertError('invalid_argument', `${name} is ${found}, expected ${expected}`);
}

/** A whole number from `least` to `most`. */
export function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  return refuse(name, value, `a whole number from ${String(least)} to ${String(most)}`);
}

function optionalNumber(name: string, value: unknown, least: number): number | undefined {
  return value === undefined ? undefined : wholeNumber(name, value, least, kMostTokens);
}

function flag(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  return typeof value === 'boolean' ? value : refuse(name, value, 'true or false');
}

function optionalFlag(name: string, value: unknown): boolean | undefined {
  return value === undefined ? undefined : flag(name, value, false);
}

/** The same text with lone surrogates as U+FFFD, which is how UTF-8 carries them. */
export function wellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? wellFormed(value) : refuse(name, value, 'a string');
}

/** The value called `name` of one of the module's enumerations. */
function choice<Enum extends object, Name extends string & keyof Enum>(
  option: string,
  values: Enum,
  name: Name,
): Enum[Name] {
  const names = Object.keys(values).filter((key) => key !== 'values' && key !== 'argCount');
  if (typeof name === 'string' && names.includes(name)) return values[name];
  return refuse(option, name, names.join(', '));
}

function rawTruncation(raw: RawModule, options: TruncationOptions) {
  return {
    maxLength: wholeNumber('truncation.maxLength', options.maxLength, 0, kMostTokens),
    strategy: choice('truncation.strategy', raw.TruncationStrategy, options.strategy ?? 'longest_first'),
    stride: wholeNumber('truncation.stride', options.stride ?? 0, 0, kMostTokens),
    direction: choice('truncation.direction', raw.Side, options.direction ?? 'right'),
  };
}

function rawPadding(raw: RawModule, options: PaddingOptions) {
  const length = options.length === 'longest' ? undefined : options.length;
  return {
    length: optionalNumber('padding.length', length, 0),
    direction: choice('padding.direction', raw.Side, options.direction ?? 'right'),
    padToMultipleOf: wholeNumber('padding.padToMultipleOf', options.padToMultipleOf ?? 0, 0, kMostTokens),
    padId: optionalNumber('padding.padId', options.padId, 0),
    padTypeId: wholeNumber('padding.padTypeId', options.padTypeId ?? 0, 0, 255),
  };
}

/** `file` gives what the tokenizer's own file says. */
export function rawEncodeOptions(
  raw: RawModule,
  options: EncodeOptions,
  file: Pick<TokenizerInfo, 'truncation' | 'padding'>,
) {
  const truncation = options.truncation === 'file' ? file.truncation : options.truncation;
  const padding = options.padding === 'file' ? file.padding : options.padding;
  return {
    addSpecialTokens: flag('addSpecialTokens', options.addSpecialTokens, true),
    encodeSpecialTokens: flag('encodeSpecialTokens', options.encodeSpecialTokens, false),
    truncation: truncation && rawTruncation(raw, truncation),
    padding: padding && rawPadding(raw, padding),
  };
}

export function rawDecodeOptions(options: DecodeOptions) {
  return {
    skipSpecialTokens: flag('skipSpecialTokens', options.skipSpecialTokens, true),
    cleanUp: optionalFlag('cleanUp', options.cleanUp),
  };
}

function rawLengthOptions(raw: RawModule, options: Pick<EmbedOptions, 'truncate' | 'maxLength'>) {
  return {
    truncate: choice('truncate', raw.Truncate, options.truncate ?? 'end'),
    maxLength: optionalNumber('maxLength', options.maxLength, 1),
  };
}

export function rawEmbedOptions(raw: RawModule, options: EmbedOptions) {
  return {
    length: rawLengthOptions(raw, options),
    kind: optionalText('kind', options.kind) ?? '',
    promptName: optionalText('promptName', options.promptName) ?? '',
    prompt: optionalText('prompt', options.prompt),
    dimensions: optionalNumber('dimensions', options.dimensions, 1),
    normalize: optionalFlag('normalize', options.normalize),
    pooling: options.pooling === undefined ? undefined : choice('pooling', raw.PoolingMode, options.pooling),
  };
}

export function rawClassifyOptions(raw: RawModule, options: ClassifyOptions) {
  return {
    length: rawLengthOptions(raw, options),
    head: optionalText('head', options.head) ?? '',
    activation:
      options.activation === undefined ? undefined : choice('activation', raw.ScoreFunction, options.activation),
    topK: optionalNumber('topK', options.topK, 1),
  };
}

/** `int8` or `float32` as the module takes it. */
export function rawPrecision(raw: RawModule, precision: 'int8' | 'float32') {
  return choice('precision', raw.Precision, precision);
}
