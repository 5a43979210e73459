/** `Reader`: questions to answers, which are stretches of a text. */

import { later } from '../models/platform.js';
import type { Answer, AnswerOptions, CreateOptions, Question } from '../types.js';
import type { answerAll, answerOne } from './answering.js';
import { ModelUser } from './model_user.js';

/** Options for the one best answer. */
type ForOne = AnswerOptions & { readonly top_k?: undefined };
/** Options for a list. */
type ForSome = AnswerOptions & { readonly top_k: number };

/**
 * Finds the answer to a question in a context of any length.
 *
 *     const reader = await Reader.create({ model: 'https://host/distilbert-base-cased-distilled-squad/' });
 *     await reader.answer('Who built the bridge?', 'The bridge was built by Anna Stone in 1908.');
 *     // { answer: 'Anna Stone', score: 0.98, start: 24, end: 34 }
 */
export class Reader extends ModelUser {
  #work!: { readonly answerOne: typeof answerOne; readonly answerAll: typeof answerAll };

  /** Rejects as `unsupported` if the model does not answer questions. */
  static async create(options: CreateOptions = {}): Promise<Reader> {
    const needs = 'finds answers, as that of a ...ForQuestionAnswering does';
    const work = await later(import('./answering.js'));
    const reader = new Reader(await ModelUser.openHead(options, 'answer', needs));
    reader.#work = work;
    return reader;
  }

  /** The best answer; with `top_k` a list of answers, best first. Question and context must not be empty. */
  answer(question: string, context: string, options?: ForOne): Promise<Answer>;
  answer(question: string, context: string, options: ForSome): Promise<Answer[]>;
  answer(
    question: string,
    context: string,
    options?: AnswerOptions,
  ): Promise<Answer | Answer[]>;
  async answer(
    question: string,
    context: string,
    options: AnswerOptions = {},
  ): Promise<Answer | Answer[]> {
    const { model } = this.info;
    const one = { question, context };
    return this.#work.answerOne(
      model,
      (args) => this.ask('answer', args, options, question),
      one,
      options,
    );
  }

  /** The answers to a list of questions, each in its own context: what `answer` gives for each. */
  answerBatch(questions: readonly Question[], options?: ForOne): Promise<Answer[]>;
  answerBatch(questions: readonly Question[], options: ForSome): Promise<Answer[][]>;
  answerBatch(
    questions: readonly Question[],
    options?: AnswerOptions,
  ): Promise<(Answer | Answer[])[]>;
  async answerBatch(
    questions: readonly Question[],
    options: AnswerOptions = {},
  ): Promise<(Answer | Answer[])[]> {
    const { model } = this.info;
    return this.#work.answerAll(
      model,
      (args) => this.ask('answer', args, options, questions),
      questions,
      options,
    );
  }
}
