// Which player a kind has. A kind without one is skipped by name.

import { playClassify } from './classify.mjs';
import { playEmbed } from './embed.mjs';
import { playFillMask } from './fill_mask.mjs';
import { playLoadError } from './load_error.mjs';
import { playNer } from './ner.mjs';
import { Skip } from './outcome.mjs';
import { playQa } from './qa.mjs';
import { playFuzz, playTokenize } from './tokenize.mjs';
import { playZeroShot } from './zero_shot.mjs';

const kPlayers = {
  tokenize: playTokenize,
  fuzz: playFuzz,
  embed: playEmbed,
  classify: playClassify,
  'zero-shot': playZeroShot,
  ner: playNer,
  qa: playQa,
  'fill-mask': playFillMask,
  'load-error': playLoadError,
};

/**
 * @returns {(testCase: object, context: object) => Promise<import('./outcome.mjs').Difference[]>}
 */
export function playerOf(kind) {
  if (Object.hasOwn(kPlayers, kind)) return kPlayers[kind];
  return async () => {
    throw new Skip(`this runner knows no kind ${kind}`);
  };
}
