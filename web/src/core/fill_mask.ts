/** Filling masks inside the module. */

import type { Task } from './batch_run.js';
import type { Handle, Instance } from './instance.js';
import { rawFillMaskOptions } from './options.js';
import type { RawModule } from './raw_module.js';
import { packTexts, writeTexts } from './texts.js';
import type { FillMaskOptions, FillMaskResult } from './types.js';

type RawFilledMasks = Exclude<ReturnType<RawModule['fillMask']>, { errorCode: unknown }>;

export function fillMaskTask(
  instance: Instance,
  handle: Handle,
  options: FillMaskOptions,
): Task<RawFilledMasks, FillMaskResult> {
  const checked = instance.call((raw) => rawFillMaskOptions(raw, options));
  const targets = packTexts((options.targets ?? []).map((text) => ({ text })));
  return {
    compute(block, first, firstNumber) {
      const model = handle.raw;
      const words = writeTexts(instance, targets);
      try {
        return instance.call((raw) => raw.fillMask(model, block, first, firstNumber, words.raw, checked));
      } finally {
        words.free();
      }
    },
    begin: (count, { wordsPerMask, notes }) => ({
      count,
      wordsPerMask,
      masks: new Uint32Array(count),
      parts: [],
      notes: JSON.parse(notes as string) as string[],
      tokens: new Uint32Array(count),
      truncated: new Uint8Array(count),
    }),
    put(result, at, { masks, ids, scores, texts, ends, tokens, truncated }) {
      result.masks.set(masks, at);
      result.parts.push({ ids, scores, texts, ends });
      result.tokens.set(tokens, at);
      result.truncated.set(truncated, at);
    },
  };
}
