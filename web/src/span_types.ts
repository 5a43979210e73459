/** The public types of `Tagger` and `Reader`, whose results are stretches of texts. Nothing here runs. */

import type { CallOptions } from './types.js';

/**
 * Which tokens make one entity. `none`: each its own. `simple`: tokens whose labels go on. `first`,
 * `average`, `max`: whole words whose labels go on, where a word has the label of its first token, the best
 * of its tokens' mean scores, or that of its most certain token.
 */
export type Aggregation = 'none' | 'simple' | 'first' | 'average' | 'max';

export interface TagOptions extends CallOptions {
  /** Default `simple`. */
  readonly aggregation?: Aggregation | undefined;
  /** Groups (with `none`: labels) that are left out; default `['O']`. */
  readonly ignore_labels?: readonly string[] | undefined;
  /** Tokens of a window at most, special ones included; default and greatest value: `info.model.maxTokens`.
   *  Texts of up to 4 MB (UTF-8) are read to their end, in as many windows as they need. */
  readonly maxLength?: number | undefined;
  /** Tokens that neighbouring windows share, each counting in its half; default: 128, in small windows half
   *  of them. */
  readonly stride?: number | undefined;
}

/** A stretch of a text, in UTF-16 code units: `text.slice(start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  /** What stands there. */
  readonly text: string;
}

/** One or more words of one kind. */
export interface Entity extends TextSpan {
  /** The label without its `B-`, `I-` (`E-`, `S-`). */
  readonly entity_group: string;
  /** 0 to 1; the mean over its tokens, or words. */
  readonly score: number;
}

/** One token and its best label. */
export interface TokenTag extends TextSpan {
  /** The label as the model has it. */
  readonly entity: string;
  readonly score: number;
  /** Place among the text's tokens, special ones counted. */
  readonly index: number;
  /** The vocabulary's entry. */
  readonly token: string;
}

/** What a text holds: joined tokens or, with `aggregation: 'none'`, single ones. */
export type Tags = Entity[] | TokenTag[];

/** Names and meaning as in transformers. */
export interface AnswerOptions extends CallOptions {
  /** Answers to give, best first; then the result is a list, of which several may read alike. At most 1000. */
  readonly top_k?: number | undefined;
  /** Tokens of a window at most, question and special ones included; default 384, or `info.model.maxTokens`
   *  if that is less. Contexts of any length are read. */
  readonly max_seq_len?: number | undefined;
  /** Tokens of the context that neighbouring windows share; default: 128, in small windows half of them. */
  readonly doc_stride?: number | undefined;
  /** Tokens of an answer at most; default 15. */
  readonly max_answer_len?: number | undefined;
  /** Default false. True: the answer may be empty, if the context does not hold one. */
  readonly handle_impossible_answer?: boolean | undefined;
  /** From −1 to 1: the empty answer comes first if its score is above the best other's by more than this;
   *  default 0. */
  readonly null_threshold?: number | undefined;
  /** Default true: answers are widened to whole words. */
  readonly align_to_words?: boolean | undefined;
}

export interface Question {
  readonly question: string;
  /** The text that is searched for the answer. */
  readonly context: string;
}

export interface Answer {
  /** `context.slice(start, end)`; empty if there is none. */
  readonly answer: string;
  /** 0 to 1: the chance that it begins there times the chance that it ends there. */
  readonly score: number;
  readonly start: number;
  readonly end: number;
}
