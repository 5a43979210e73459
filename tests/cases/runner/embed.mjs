// Kind embed: vectors of a list of texts, and each text alone.

import { Embedder } from 'pocketbert';
import { compareVectors, greatestDifference } from './compare.mjs';
import { difference } from './outcome.mjs';
import { opening } from './opening.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playEmbed(testCase, context) {
  const { input, expect } = testCase;
  const { files, callOptions, open } = await opening(Embedder, testCase, context);
  return settle(expect, {
    files,
    canary: context.canary,
    compare,
    attempt: async () => {
      const embedder = await open();
      const vectors = [...(await embedder.embed(input.texts, callOptions))];
      if (expect.same_as_single === undefined) return { vectors };
      const alone = [];
      for (const text of input.texts) alone.push(await embedder.embed(text, callOptions));
      return { vectors, alone };
    },
  });
}

function compare({ vectors, alone = [] }, expect) {
  const differences = compareVectors(vectors, expect.vectors, expect);
  // What comes out if the graph's integers are multiplied out and all else is float32.
  if (expect.dequantised !== undefined) {
    const { dequantised, dequantised_abs: abs } = expect;
    differences.push(...compareVectors(vectors, dequantised, { abs }));
  }
  alone.forEach((vector, i) => {
    const apart = greatestDifference(vector, vectors[i]);
    if (!(apart <= expect.same_as_single)) {
      differences.push(
        difference(
          `text ${i} alone against in the batch`,
          apart,
          `at most ${expect.same_as_single}`,
        ),
      );
    }
  });
  return differences;
}
