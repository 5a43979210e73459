// Kind zero-shot: labels of the caller, by a model of natural language inference.

import { Classifier } from 'pocketbert';
import { compareLabels } from './compare.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playZeroShot(testCase, { suite, sources, sessions, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  const { precision = 'float32', ...callOptions } = options;
  const files = await sources.modelFiles(suite.folder, model, overlay);
  return settle(expect, {
    files,
    canary,
    compare: (found) => compareLabels([found], [expect.results], expect.abs),
    attempt: async () => {
      const key = [suite.folder, model, overlay, precision];
      const classifier = await sessions.open(Classifier, key, async () => ({
        model: files,
        precision,
      }));
      return classifier.zeroShot(input.text, input.labels, callOptions);
    },
  });
}
