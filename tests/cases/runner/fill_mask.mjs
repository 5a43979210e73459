// Kind fill-mask: the best words of each mask.

import { Filler } from 'pocketbert';
import { difference } from './outcome.mjs';
import { opening } from './opening.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playFillMask(testCase, context) {
  const { input, expect } = testCase;
  const { files, callOptions, open } = await opening(Filler, testCase, context);
  return settle(expect, {
    files,
    canary: context.canary,
    compare,
    attempt: async () => {
      const filler = await open();
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
