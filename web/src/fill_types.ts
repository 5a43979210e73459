/** The public types of masked words. Nothing here runs. */

import type { CallOptions, LengthOptions } from './types.js';

export interface FillOptions extends CallOptions, LengthOptions {
  /** Words for each mask; default 5. */
  readonly top_k?: number | undefined;
  /** The only words to choose from. One that is no entry of the vocabulary counts as its first token, which
   *  `notes` of the result say; one without any known token is an error. */
  readonly targets?: string | readonly string[] | undefined;
}

/** A word for a mask; names as in transformers. */
export interface Fill {
  /** Its share among all words of the vocabulary, 0 to 1. */
  readonly score: number;
  /** Its id. */
  readonly token: number;
  readonly token_str: string;
  /** The text with it. If the text has several masks, the others stay, and special tokens are shown. */
  readonly sequence: string;
}

/** The words of one text: of its one mask, or a list for each of several. */
export type Fills = (Fill[] | Fill[][]) & {
  /** The same with a list for each mask, also if there is one. */
  readonly masks: readonly Fill[][];
  readonly tokens: number;
  readonly truncated: boolean;
  /** One sentence for each target in whose place another token was taken. */
  readonly notes: readonly string[];
};
