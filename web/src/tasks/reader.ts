/** `Reader`: questions to answers, which are stretches of a text. */

import type { AnswerResult } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { Answer, AnswerOptions, CreateOptions, Question } from '../types.js';
import { ModelUser, ownOptions } from './model_user.js';
import { answerTable, check, checkValue, listOf, questionTable, text } from './options.js';

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
  /** Rejects as `unsupported` if the model does not answer questions. */
  static async create(options: CreateOptions = {}): Promise<Reader> {
    const needs = 'finds answers, as that of a ...ForQuestionAnswering does';
    return new Reader(await ModelUser.openHead(options, 'answer', needs));
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
    check(options, answerTable(this.info.model));
    checkValue('the question', question, text);
    checkValue('the context', context, text);
    const [answers = []] = await this.#answers([{ question, context }], options, question);
    return shaped(answers, options);
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
    check(options, answerTable(this.info.model));
    const list = listOf('the questions', questions);
    list.forEach((item, i) => check(item, questionTable, `question ${i}`));
    const all = await this.#answers(list, options, list);
    return all.map((answers) => shaped(answers, options));
  }

  async #answers(
    list: readonly Question[],
    options: AnswerOptions,
    asked: unknown,
  ): Promise<Answer[][]> {
    const items = list.map(({ question, context }) => ({ text: question, pair: context }));
    const args = { items, options: ownOptions(options) };
    return answersOf(await this.ask('answer', args, options, asked), list);
  }
}

function shaped(answers: Answer[], { top_k }: AnswerOptions): Answer | Answer[] {
  if (top_k !== undefined) return answers;
  const [best] = answers;
  if (best === undefined) throw new PocketBertError('trap', 'the engine gave no answer');
  return best;
}

function answersOf(result: AnswerResult, list: readonly Question[]): Answer[][] {
  const all = result.answers.flatMap((part) => {
    const scores = new Float32Array(part.buffer);
    return Array.from({ length: part.length / 3 }, (_, i) => {
      const [, start = 0, end = 0] = part.subarray(3 * i);
      return { score: scores[3 * i] ?? 0, start, end };
    });
  });
  let from = 0;
  return list.map(({ context }, item) =>
    all
      .slice(from, (from += result.counts[item] ?? 0))
      .map(({ score, start, end }) => ({ answer: context.slice(start, end), score, start, end })),
  );
}
