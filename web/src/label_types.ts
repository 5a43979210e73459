/** The public types of labels: classification, zero-shot classification, ranking. Nothing here runs. */

import type { CallOptions, LengthOptions, TextSpan } from './types.js';

/** Which labels are given out; of scores as the head's activation makes them. */
export interface FitOptions {
  /** A text whose best label scores less gets none, and is `abstained`. */
  readonly abstain?: number | undefined;
  /** Only labels that score as much, which may be none: for labels that do not exclude each other. */
  readonly threshold?: number | undefined;
}

export interface ClassifyOptions extends CallOptions, LengthOptions, FitOptions {
  /** Labels at most, best first; default, or null: all. */
  readonly top_k?: number | null | undefined;
  /** Name of the head (`info.model.heads`); needed if there are several and none is named `default`. */
  readonly head?: string | undefined;
  /** Default: as the model says. `none`: raw scores. */
  readonly activation?: 'softmax' | 'sigmoid' | 'none' | undefined;
  /**
   * Tell what each word does to the score of the best label (`true`), or of the one named. Each word is left
   * out in turn, so a text of 100 words takes 101 times as long; at most 512 words.
   */
  readonly explain?: boolean | string | undefined;
}

/** A word, which is what the tokenizer takes for one: punctuation may be words of its own. */
export interface WordEffect extends TextSpan {
  /** Which text of a pair it is in. */
  readonly of: 'text' | 'pair';
  /** The label's score less its score with a blank in place of the word: above 0 if the word speaks for it. */
  readonly score: number;
}

/** What the words of a text do to one label. */
export interface Explanation extends Label {
  /** In the order of the text, that of the pair behind. */
  readonly words: readonly WordEffect[];
}

export interface Label {
  readonly label: string;
  readonly score: number;
}

/** The labels of one text, best first, and what is to be known of the text. */
export type Labels = Label[] & {
  readonly tokens: number;
  readonly truncated: boolean;
  /** Only with `abstain`: true if no label was sure enough. */
  readonly abstained?: boolean;
  /** Only with `explain`. */
  readonly explanation?: Explanation;
};

export interface ZeroShotOptions extends CallOptions, LengthOptions, FitOptions {
  /** The sentence made of a label, which stands in place of `{}`; default `This example is {}.` */
  readonly hypothesis_template?: string | undefined;
  /** Default false: the scores of a text's labels add up to 1. True: each label for itself. */
  readonly multi_label?: boolean | undefined;
  /** Name of the head, as in `ClassifyOptions`. */
  readonly head?: string | undefined;
}

/** `tokens` counts those of all its pairs. */
export type ZeroShotLabels = Labels & {
  /** The head's label that was taken for entailment: the first that begins so, else the last. */
  readonly entailment: string;
  /** A sentence if no label of the head begins so: then the scores mean nothing, unless the last one is it. */
  readonly notes: readonly string[];
};

export interface RankOptions extends CallOptions, LengthOptions {
  /** Documents at most, best first; default, or null: all. */
  readonly top_k?: number | null | undefined;
  /** Default false: results hold no texts. */
  readonly return_documents?: boolean | undefined;
  /** Default: `sigmoid` for a head of one output, which `softmax` does not suit, else `none`, the label's
   *  logit. */
  readonly activation?: 'softmax' | 'sigmoid' | 'none' | undefined;
  /** The label to rank by; needed for a head of several. */
  readonly label?: string | undefined;
  /** Name of the head, as in `ClassifyOptions`. */
  readonly head?: string | undefined;
  /** Called with each document as soon as it is scored. What it throws, the call rejects with. */
  readonly onResult?: ((result: Ranked) => void) | undefined;
}

/** Names as in sentence-transformers. */
export interface Ranked {
  /** Which of the documents. */
  readonly corpus_id: number;
  readonly score: number;
  /** The document, with `return_documents`. */
  readonly text?: string;
}

/** The documents, best first. */
export type Ranking = Ranked[] & {
  /** Documents that were cut, with the query more than fits, by `corpus_id`. */
  readonly truncated: readonly number[];
};
