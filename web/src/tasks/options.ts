/**
 * What each call takes: one table of its options, from which follow the unknown names, the wrong
 * values and all messages. Checked where the user calls, before anything is asked of the engine.
 */

import { isSource } from '../core/wasm_source.js';
import { PocketBertError, refuse } from '../errors.js';
import { isRecord } from '../models/files.js';
import { poolingNames } from '../models/info.js';
import type {
  CallOptions,
  ClassifyOptions,
  CreateOptions,
  DecodeOptions,
  EmbedOptions,
  EncodeOptions,
  FitOptions,
  LengthOptions,
  ModelInfo,
  PaddingOptions,
  PromptOptions,
  TokenizerCreateOptions,
  TokensOptions,
  TruncationOptions,
  VectorForm,
  WasmFiles,
  ZeroShotOptions,
} from '../types.js';

/**
 * What a value may be: one of these texts; or words with `|` between them, which are what messages
 * say: `a string` (or another type), {@link whole}, a name of `kinds`, or a text. With `!` before
 * them the value must be given.
 */
export type Rule = string | readonly unknown[];
export type Table = { readonly [name: string]: Rule };
/** A rule for every option there is. */
export type TableOf<Options> = { readonly [K in keyof Required<Options>]: Rule };

/** Of a list with holes they are items, too. */
function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && Array.from(value).every((one) => typeof one === 'string');
}

const kinds: { readonly [word: string]: (value: unknown) => boolean } = {
  null: (value) => value === null,
  false: (value) => value === false,
  'a finite number': Number.isFinite,
  'a list of texts': (value) => isTexts(value) && value.length > 0,
  'an AbortSignal': (value) => 'addEventListener' in Object(value),
  '{path: hash}': (value) => Object.keys(Object(value)).length > 0,
  '{path: file}': isRecord,
  'an address, bytes or a WebAssembly.Module': isSource,
  '[least, greatest]': (value) =>
    Array.isArray(value) && value.length === 2 && value.every((list) => Object(list).length >= 0),
  'a source': (value) => value !== null,
  'a list of strings': isTexts,
  'a number from -1 to 1': (value) => typeof value === 'number' && Math.abs(value) <= 1,
};

/** A whole number from `least` to `most`. */
export const whole = (least: number, most = 2 ** 31 - 1): string =>
  `a whole number from ${least} to ${most}`;

export const text = 'a string';
const flag = 'a boolean';
const side = 'left|right';

export const callTable = {
  signal: 'an AbortSignal',
  priority: 'interactive|batch',
  supersede: 'a boolean|a string',
  onProgress: 'a function',
} satisfies TableOf<CallOptions>;

export const lengthTable = ({ maxTokens }: ModelInfo) =>
  ({
    ...callTable,
    truncate: 'end|start|error',
    maxLength: whole(1, maxTokens),
  }) satisfies TableOf<CallOptions & LengthOptions>;

export const vectorTable = {
  precision: 'float32|int8|uint8|binary|ubinary',
  ranges: '[least, greatest]',
} satisfies TableOf<VectorForm>;

const promptTable = ({ prompts }: ModelInfo) =>
  ({
    kind: [...new Set(['query', 'document', 'passage', 'corpus', ...prompts])],
    promptName: prompts[0] ? prompts : 'none, as this model has',
    prompt: text,
  }) satisfies TableOf<PromptOptions>;

export const tokensTable = (model: ModelInfo) =>
  ({
    ...lengthTable(model),
    ...promptTable(model),
    dimensions: whole(1),
    normalize: flag,
  }) satisfies TableOf<TokensOptions>;

export const embedTable = (model: ModelInfo) =>
  ({
    ...lengthTable(model),
    ...vectorTable,
    ...promptTable(model),
    truncate: 'end|start|error|window',
    stride: whole(0),
    windows: 'pooled|each',
    dimensions: whole(1, model.dimensions),
    pooling: Object.keys(poolingNames),
    normalize: flag,
  }) satisfies TableOf<EmbedOptions>;

const headTable = (model: ModelInfo) => ({
  ...lengthTable(model),
  head: model.heads.map(({ name }) => name),
});

const fitTable = {
  abstain: 'a finite number',
  threshold: 'a finite number',
} satisfies TableOf<FitOptions>;

export const scoreTable = (model: ModelInfo) => ({
  ...headTable(model),
  top_k: `${whole(1)}|null`,
  activation: 'softmax|sigmoid|none',
});

export const classifyTable = (model: ModelInfo) =>
  ({
    ...scoreTable(model),
    ...fitTable,
    explain: 'a boolean|a string',
  }) satisfies TableOf<ClassifyOptions>;

export const zeroShotTable = (model: ModelInfo) =>
  ({
    ...headTable(model),
    ...fitTable,
    hypothesis_template: text,
    multi_label: flag,
  }) satisfies TableOf<ZeroShotOptions>;

export const encodeTable = {
  ...callTable,
  pair: text,
  add_special_tokens: flag,
  encode_special_tokens: flag,
  truncation: 'false|file|{max_length, …}',
  padding: 'a boolean|longest|file|{length, …}',
} satisfies TableOf<EncodeOptions>;

const wasmSource = 'an address, bytes or a WebAssembly.Module';

/** Options within options. */
const inner: { readonly [name: string]: Table } = {
  truncation: {
    max_length: `!${whole(0)}`,
    strategy: 'longest_first|only_first|only_second',
    stride: whole(0),
    direction: side,
  } satisfies TableOf<TruncationOptions>,
  padding: {
    length: `longest|${whole(0)}`,
    direction: side,
    pad_to_multiple_of: whole(0),
    pad_id: whole(0),
    pad_type_id: whole(0, 255),
    pad_token: text,
  } satisfies TableOf<PaddingOptions>,
  wasm: {
    simd: wasmSource,
    relaxed: wasmSource,
    'relaxed-mt': wasmSource,
    import: wasmSource,
  } satisfies TableOf<WasmFiles>,
};

export const itemTable = { text: '!a string', pair: text } satisfies Table;

export const decodeTable = {
  ...callTable,
  skip_special_tokens: flag,
  clean_up_tokenization_spaces: flag,
} satisfies TableOf<DecodeOptions>;

/** What an object may say that takes the engine of another one. */
export const sharedTable = {
  model: 'a source',
  onProgress: 'a function',
  signal: 'an AbortSignal',
  precision: 'int8|float32',
} satisfies Table;

export const createTable = {
  ...sharedTable,
  weights: text,
  integrity: 'a string|{path: hash}',
  cache: 'auto|none',
  offline: flag,
  fetch: 'a function',
  wasm: `${wasmSource}|{simd, relaxed, relaxed-mt, import}`,
  worker: flag,
  threads: whole(1, 64),
  variant: 'auto|simd|relaxed|relaxed-mt',
  maxBatchTokens: whole(1, 1 << 16),
} satisfies TableOf<CreateOptions>;

export const tokenizerTable = {
  ...createTable,
  files: '{path: file}',
} satisfies TableOf<TokenizerCreateOptions>;

function fits(value: unknown, word: string): boolean {
  const [, least, most] = / (\d+) to (\S+)$/.exec(word) ?? [];
  if (least !== undefined)
    return Number.isInteger(value) && Number(value) >= Number(least) && Number(value) <= Number(most);
  const isOne = kinds[word];
  if (isOne !== undefined) return isOne(value);
  return word.startsWith('a ') ? typeof value === word.slice(2) : value === word;
}

/** Throws if the value called `name` is not right. */
export function checkValue(name: string, value: unknown, rule: Rule): void {
  const words = typeof rule === 'string' ? rule.replace('!', '').split('|') : rule;
  if (words.some((word) => (words === rule ? value === word : fits(value, String(word))))) return;
  const table = inner[name];
  if (table === undefined || !isRecord(value)) return refuse(name, value, words.join(' or '));
  check(value, table, name);
}

/**
 * Throws if `options` are no object, hold an unknown name or a wrong value; what is undefined was not given.
 * @param place where they are, if they are part of something
 */
export function check(options: unknown, table: Table, place = ''): void {
  const name = place || 'the options';
  const names = Object.keys(table);
  if (!isRecord(options)) return refuse(name, options, `{${names.join(', ')}}`);
  for (const key in options) {
    if (!names.includes(key) && options[key] !== undefined) {
      throw new PocketBertError(
        'invalid_argument',
        `there is no ${key.slice(0, 99)} in ${name}; there are ${nearest(key, names).join(', ')}`,
      );
    }
  }
  for (const [key, rule] of Object.entries(table)) {
    const value = options[key];
    if (value !== undefined || rule[0] === '!')
      checkValue(place ? `${place}.${key}` : key, value, rule);
  }
}

/** The names, first those that begin most like the wanted one: `max_length` is like `maxLength`. */
function nearest(wanted: string, names: string[]): string[] {
  const plain = (name: string): string => name.toLowerCase().replaceAll('_', '');
  const letters = plain(wanted);
  // −1, all letters agree, becomes the most.
  const alike = (name: string): number =>
    [...plain(name)].findIndex((letter, i) => letter !== letters[i]) >>> 0;
  return names.sort((a, b) => alike(b) - alike(a));
}

/** An array or anything like one, as an array without holes. */
export function listOf<Item>(name: string, value: ArrayLike<Item> | Iterable<Item>): Item[] {
  const isList =
    typeof value === 'object' && value !== null && (Symbol.iterator in value || 'length' in value);
  return isList ? Array.from(value) : refuse(name, value, 'a list');
}
