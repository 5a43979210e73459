// Kind zero-shot: labels of the caller, by a model of natural language inference.

import { Classifier } from 'pocketbert';
import { compareLabels } from './compare.mjs';
import { opening } from './opening.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playZeroShot(testCase, context) {
  const { input, expect } = testCase;
  const { files, callOptions, open } = await opening(Classifier, testCase, context);
  return settle(expect, {
    files,
    canary: context.canary,
    compare: (found) => compareLabels([found], [expect.results], expect.abs),
    attempt: async () => {
      const classifier = await open();
      return classifier.zeroShot(input.text, input.labels, callOptions);
    },
  });
}
