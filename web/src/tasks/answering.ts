/** What a `Reader` does. A file of its own, which `Reader.create` loads: few pages have one. */

import type { AnswerResult, TextItem } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { Answer, AnswerOptions, CallOptions, ModelInfo, Question } from '../types.js';
import { ownOptions } from './model_user.js';
import {
  callTable,
  check,
  checkValue,
  listOf,
  text,
  whole,
  type Table,
  type TableOf,
} from './options.js';

const answerTable = ({ maxTokens }: ModelInfo) =>
  ({
    ...callTable,
    top_k: whole(1, 1000),
    max_seq_len: whole(1, maxTokens),
    doc_stride: whole(0),
    max_answer_len: whole(1),
    handle_impossible_answer: 'a boolean',
    null_threshold: 'a number from -1 to 1',
    align_to_words: 'a boolean',
  }) satisfies TableOf<AnswerOptions>;

const questionTable = { question: '!a string', context: '!a string' } satisfies Table;

/** Asks the engine on behalf of the user. */
type AskEngine = (args: {
  items: TextItem[];
  options: Omit<AnswerOptions, keyof CallOptions>;
}) => Promise<AnswerResult>;

export async function answerOne(
  model: ModelInfo,
  ask: AskEngine,
  one: Question,
  options: AnswerOptions,
): Promise<Answer | Answer[]> {
  check(options, answerTable(model));
  checkValue('the question', one.question, text);
  checkValue('the context', one.context, text);
  const [answers = []] = await answersTo(ask, [one], options);
  return shaped(answers, options);
}

export async function answerAll(
  model: ModelInfo,
  ask: AskEngine,
  questions: readonly Question[],
  options: AnswerOptions,
): Promise<(Answer | Answer[])[]> {
  check(options, answerTable(model));
  const list = listOf('the questions', questions);
  list.forEach((item, i) => check(item, questionTable, `question ${i}`));
  const all = await answersTo(ask, list, options);
  return all.map((answers) => shaped(answers, options));
}

async function answersTo(
  ask: AskEngine,
  list: readonly Question[],
  options: AnswerOptions,
): Promise<Answer[][]> {
  const items = list.map(({ question, context }) => ({ text: question, pair: context }));
  return answersOf(await ask({ items, options: ownOptions(options) }), list);
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
