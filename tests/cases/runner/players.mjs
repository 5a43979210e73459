// Which player a kind has. A kind without one is skipped by name, as long as the package has no
// class for it.

import * as pocketbert from 'pocketbert';
import { playClassify } from './classify.mjs';
import { playEmbed } from './embed.mjs';
import { playFillMask } from './fill_mask.mjs';
import { playLoadError } from './load_error.mjs';
import { Skip } from './outcome.mjs';
import { playFuzz, playTokenize } from './tokenize.mjs';
import { playZeroShot } from './zero_shot.mjs';

const kPlayers = {
  tokenize: playTokenize,
  fuzz: playFuzz,
  embed: playEmbed,
  classify: playClassify,
  'zero-shot': playZeroShot,
  'fill-mask': playFillMask,
  'load-error': playLoadError,
};

/** Kinds that wait for a class of the package. */
const kAwaited = {
  ner: { task: 'tag', needs: 'Tagger' },
  qa: { task: 'answer', needs: 'Reader' },
};

/**
 * @returns {(testCase: object, context: object) => Promise<import('./outcome.mjs').Difference[]>}
 */
export function playerOf(kind) {
  if (Object.hasOwn(kPlayers, kind)) return kPlayers[kind];
  if (!Object.hasOwn(kAwaited, kind)) {
    return async () => {
      throw new Skip(`this runner knows no kind ${kind}`);
    };
  }
  const { task, needs } = kAwaited[kind];
  return async () => {
    if (needs in pocketbert)
      throw new Error(`the package exports ${needs}: ${kind} cases must be played`);
    throw new Skip(`${task} — needs ${needs}`);
  };
}
