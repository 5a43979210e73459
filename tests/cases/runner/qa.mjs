// Kind qa: the answers to a question, alone and between others.

import { Reader } from 'pocketbert';
import { compareSpans, sameSpans } from './compare.mjs';
import { opening } from './opening.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playQa(testCase, context) {
  const { input, expect } = testCase;
  const { files, callOptions: own, open } = await opening(Reader, testCase, context);
  const { top_k: best = 1, ...rest } = own;
  const callOptions = { ...rest, top_k: best };
  return settle(expect, {
    files,
    canary: context.canary,
    compare,
    attempt: async () => {
      const reader = await open();
      const { question, context } = input;
      const answers = await reader.answer(question, context, callOptions);
      const batch = [{ question: 'who', context: `x ${context}` }, input, input];
      const [, between] = await reader.answerBatch(batch, callOptions);
      return { answers, between };
    },
  });
}

function compare({ answers, between }, { answers: expected, abs }) {
  return [
    ...compareSpans('answers', answers, expected, abs),
    ...sameSpans('between other questions', between, answers),
  ];
}
