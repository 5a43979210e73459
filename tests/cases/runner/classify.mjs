// Kind classify: all labels of each text or pair, and of each alone.

import { Classifier } from 'pocketbert';
import { compareLabels } from './compare.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playClassify(testCase, { suite, sources, sessions, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  // `weights` names a graph that the overlay has put in the place of model.safetensors.
  const { precision = 'float32', weights: _inOverlay, truncation, ...callOptions } = options;
  const files = await sources.modelFiles(suite.folder, model, overlay);
  // A case without truncation has texts that fit: that they were cut would be an error of ours.
  const call = { ...callOptions, truncate: truncation === true ? 'end' : 'error' };
  return settle(expect, {
    files,
    canary,
    compare,
    attempt: async () => {
      const key = [suite.folder, model, overlay, precision];
      const classifier = await sessions.open(Classifier, key, async () => ({
        model: files,
        precision,
      }));
      const results = await classifier.classify(input.items, call);
      if (expect.same_as_single === undefined) return { results };
      const alone = [];
      for (const item of input.items) alone.push(await classifier.classify(item, call));
      return { results, alone };
    },
  });
}

function compare({ results, alone }, expect) {
  const differences = compareLabels(results, expect.results, expect.abs);
  if (alone === undefined) return differences;
  const single = compareLabels(alone, results, expect.same_as_single);
  return [
    ...differences,
    ...single.map((d) => ({ ...d, what: `alone against in the batch, ${d.what}` })),
  ];
}
