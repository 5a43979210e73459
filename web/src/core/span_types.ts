/** What the engine gives of tasks that find stretches of texts. */

import type {
  AnswerOptions as PublicAnswerOptions,
  TagOptions as PublicTagOptions,
} from '../types.js';
import type { EngineOptionsOf } from './types.js';

export type TagOptions = EngineOptionsOf<PublicTagOptions>;

export interface TagResult {
  count: number;
  /** [count] entities of each text. */
  counts: Uint32Array;
  tokens: Uint32Array;
  /** All labels of the head, in its order. */
  labels: string[];
  /** [labels] letters before the name of a label's group; all 0 if nothing is joined. */
  prefixes: Uint8Array;
  /** The entities of all texts, six words each: label, score (the bits of a float), start, end, index and id
   *  of the first token. */
  entities: Int32Array[];
  /** Vocabulary entry of each entity's id, if nothing is joined. */
  names: (string | undefined)[];
}

export type AnswerOptions = EngineOptionsOf<PublicAnswerOptions>;

export interface AnswerResult {
  count: number;
  /** [count] answers of each item. */
  counts: Uint32Array;
  tokens: Uint32Array;
  /** The answers of all items, best first, three words each: score (the bits of a float), start, end. */
  answers: Int32Array[];
}
