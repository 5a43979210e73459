// Kind embed: vectors of a list of texts, and each text alone.

import { Embedder } from 'pocketbert';
import { compareVectors, greatestDifference } from './compare.mjs';
import { difference } from './outcome.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playEmbed(testCase, { suite, sources, sessions, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  // `weights` names a graph that the overlay has put in the place of model.safetensors.
  const { precision = 'float32', weights: _inOverlay, ...callOptions } = options;
  const files = await sources.modelFiles(suite.folder, model, overlay);
  return settle(expect, {
    files,
    canary,
    compare,
    attempt: async () => {
      const key = [suite.folder, model, overlay, precision];
      const embedder = await sessions.open(Embedder, key, async () => ({
        model: files,
        precision,
      }));
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
