/** What the engine gives of vectors. */

import type { EmbedOptions as PublicEmbedOptions, Truncate } from '../types.js';
import type { EngineOptionsOf, PoolingName } from './types.js';

/** What is left to the engine: the rest is made of its float32 vectors. */
type OwnOptions = Omit<
  EngineOptionsOf<PublicEmbedOptions>,
  'pooling' | 'precision' | 'ranges' | 'stride' | 'truncate' | 'windows'
>;

export interface EmbedOptions extends OwnOptions {
  readonly pooling?: PoolingName | undefined;
  readonly truncate?: Truncate | undefined;
}

export interface EmbedResult {
  /** [count · dimensions], rows in the order of the texts. */
  data: Float32Array;
  count: number;
  dimensions: number;
  /** [count] tokens that were computed for each text, special tokens and prompt included. */
  tokens: Uint32Array;
  /** [count] 1 where a text was cut. */
  truncated: Uint8Array;
}

export interface EmbedPartsOptions {
  /** Default false: parts are windows. */
  readonly tokens?: boolean;
  /** Of windows; default false: a text has one vector, their mean. */
  readonly each?: boolean;
  /** Tokens that neighbouring windows share. */
  readonly stride?: number | undefined;
  readonly embed: EmbedOptions;
}

export interface EmbedPartsResult {
  count: number;
  dimensions: number;
  /** Rows of `dimensions` values in order, one a part, or a text; of tokens, lists of whole texts. */
  data: Float32Array[];
  /** Three numbers for each window or token, in order: tokens computed, start and end in the text. */
  parts: Uint32Array[];
  /** [count] windows or tokens of each text. */
  counts: Uint32Array;
  /** [count] 1 where a text was cut. */
  truncated: Uint8Array;
}
