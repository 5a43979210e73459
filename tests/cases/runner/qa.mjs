// Kind qa: the answers to a question, alone and between others.

import { Reader } from 'pocketbert';
import { compareSpans, sameSpans } from './compare.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playQa(testCase, { suite, sources, sessions, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  const { precision = 'float32', weights: _inOverlay, top_k: best = 1, ...rest } = options;
  const callOptions = { ...rest, top_k: best };
  const files = await sources.modelFiles(suite.folder, model, overlay);
  return settle(expect, {
    files,
    canary,
    compare,
    attempt: async () => {
      const key = [suite.folder, model, overlay, precision];
      const reader = await sessions.open(Reader, key, async () => ({ model: files, precision }));
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
