/** The pipelines whose results are stretches of texts: token-classification and question-answering. */

import type { Answer, CallOptions, CreateOptions, Entity, TokenTag } from '../types.js';
import { textsOf } from './encoding.js';
import type { TableOf } from './options.js';
import { withFacts } from './pipeline_facts.js';
import type { Kit } from './pipeline_tasks.js';
import type {
  QuestionAnsweringOptions,
  QuestionAnsweringPipeline,
  TokenClassificationOptions,
  TokenClassificationPipeline,
  TokenClassificationResult,
} from './pipeline_types.js';

const tagTable = ({ whole: wholeNumber }: Kit) =>
  ({
    aggregation_strategy: 'none|simple|first|average|max',
    ignore_labels: 'a list of strings',
    stride: wholeNumber(0),
  }) satisfies TableOf<Omit<TokenClassificationOptions, keyof CallOptions>>;

function resultOf(found: Entity | TokenTag): TokenClassificationResult {
  const { start, end, score } = found;
  return 'entity' in found
    ? { entity: found.entity, score, index: found.index, word: found.token, start, end }
    : { entity_group: found.entity_group, score, word: found.text, start, end };
}

export async function tokenClassification(
  kit: Kit,
  task: string,
  options: CreateOptions,
): Promise<TokenClassificationPipeline> {
  const tagger = await kit.Tagger.create(options);
  function classify(
    texts: string,
    call?: TokenClassificationOptions,
  ): Promise<TokenClassificationResult[]>;
  function classify(
    texts: readonly string[],
    call?: TokenClassificationOptions,
  ): Promise<TokenClassificationResult[][]>;
  function classify(
    texts: string | readonly string[],
    call?: TokenClassificationOptions,
  ): Promise<TokenClassificationResult[] | TokenClassificationResult[][]>;
  async function classify(
    texts: string | readonly string[],
    call: TokenClassificationOptions = {},
  ): Promise<TokenClassificationResult[] | TokenClassificationResult[][]> {
    kit.check(call, { ...kit.callTable, ...tagTable(kit) });
    const { aggregation_strategy: aggregation = 'none', ...rest } = call;
    const isList = typeof texts !== 'string';
    const priority = rest.priority ?? (isList ? 'batch' : 'interactive');
    const list = isList ? texts : [texts];
    const all = await tagger.tag(list, { ...rest, priority, aggregation });
    const results = all.map((found) => (Array.isArray(found) ? found : [found]).map(resultOf));
    return isList ? results : (results[0] ?? []);
  }
  return withFacts(classify, task, tagger);
}

const answerTable = ({ whole: wholeNumber }: Kit) =>
  ({
    top_k: wholeNumber(1, 1000),
    max_seq_len: wholeNumber(1),
    doc_stride: wholeNumber(0),
    max_answer_len: wholeNumber(1),
    handle_impossible_answer: 'a boolean',
    align_to_words: 'a boolean',
  }) satisfies TableOf<Omit<QuestionAnsweringOptions, keyof CallOptions>>;

type AnswersToOne = Answer | Answer[];

export async function questionAnswering(
  kit: Kit,
  task: string,
  options: CreateOptions,
): Promise<QuestionAnsweringPipeline> {
  const reader = await kit.Reader.create(options);
  function answer(
    question: string,
    context: string,
    call?: QuestionAnsweringOptions,
  ): Promise<AnswersToOne>;
  function answer(
    question: readonly string[],
    context: readonly string[],
    call?: QuestionAnsweringOptions,
  ): Promise<AnswersToOne[]>;
  async function answer(
    question: string | readonly string[],
    context: string | readonly string[],
    call: QuestionAnsweringOptions = {},
  ): Promise<AnswersToOne | AnswersToOne[]> {
    kit.check(call, { ...kit.callTable, ...answerTable(kit) });
    const isList = typeof question !== 'string';
    const priority = call.priority ?? (isList ? 'batch' : 'interactive');
    const { top_k = 1, ...rest } = call;
    const questions = textsOf(question, 'question');
    const contexts = textsOf(context, 'context');
    kit.checkValue('the number of contexts', contexts.length, [questions.length]);
    const list = questions.map((one, i) => ({ question: one, context: contexts[i] ?? '' }));
    const all = await reader.answerBatch(list, { ...rest, priority, top_k });
    const shaped = top_k > 1 ? all : all.flat();
    return isList ? shaped : (shaped[0] ?? []);
  }
  return withFacts(answer, task, reader);
}
