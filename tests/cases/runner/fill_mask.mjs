// Kind fill-mask: the best words of each mask.

import { Filler } from 'pocketbert';
import { difference } from './outcome.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playFillMask(testCase, { suite, sources, sessions, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  const { precision = 'float32', ...callOptions } = options;
  const files = await sources.modelFiles(suite.folder, model, overlay);
  return settle(expect, {
    files,
    canary,
    compare,
    attempt: async () => {
      const key = [suite.folder, model, overlay, precision];
      const filler = await sessions.open(Filler, key, async () => ({ model: files, precision }));
      return filler.fill(input.text, callOptions);
    },
  });
}

/** Words that are as good as equal may stand in either order. */
function compare(fills, { masks, abs }) {
  if (fills.masks.length !== masks.length)
    return [difference('number of masks', fills.masks.length, masks.length)];
  const flat = masks.length === 1 ? [fills] : fills;
  return masks.flatMap((words, mask) =>
    words.flatMap(({ id, score }, rank) => {
      const found = flat[mask][rank];
      const near = Math.abs((found?.score ?? NaN) - score) <= abs;
      const tied = flat[mask].some((word) => word.token === id && Math.abs(word.score - score) <= abs);
      const right = near && tied && flat[mask].length === words.length;
      return right ? [] : [difference(`mask ${mask}, word ${rank}`, found, { id, score })];
    }),
  );
}
