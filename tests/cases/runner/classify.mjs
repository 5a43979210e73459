// Kind classify: all labels of each text or pair, and of each alone.

import { Classifier } from 'pocketbert';
import { compareLabels } from './compare.mjs';
import { opening } from './opening.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playClassify(testCase, context) {
  const { input, expect } = testCase;
  const { files, callOptions, open } = await opening(Classifier, testCase, context);
  const { truncation, ...own } = callOptions;
  // A case without truncation has texts that fit: that they were cut would be an error of ours.
  const call = { ...own, truncate: truncation === true ? 'end' : 'error' };
  return settle(expect, {
    files,
    canary: context.canary,
    compare,
    attempt: async () => {
      const classifier = await open();
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
