/** Vectors of windows and of tokens inside the module. */

import { BatchRun } from './batch_run.js';
import type { Handle, Instance } from './instance.js';
import { rawEmbedOptions } from './options.js';
import type { EmbedPartsOptions, EmbedPartsResult, EngineRun } from './types.js';

export function embedPartsRun(
  instance: Instance,
  handle: Handle,
  texts: readonly string[],
  { tokens = false, each = false, stride = 0, embed }: EmbedPartsOptions,
): EngineRun<EmbedPartsResult> {
  const options = instance.call((raw) => ({
    embed: rawEmbedOptions(raw, embed),
    tokens,
    each,
    stride,
  }));
  const items = texts.map((text) => ({ text }));
  return new BatchRun(instance, items, {
    compute(block: number, first: number, firstNumber: number) {
      const model = handle.raw;
      const batch = instance.call((raw) => raw.embedParts(model, block, first, firstNumber, options));
      return { ...batch, tokens: batch.counts };
    },
    begin: (count, { dimensions }): EmbedPartsResult => ({
      count,
      dimensions,
      data: [],
      parts: [],
      counts: new Uint32Array(count),
      truncated: new Uint8Array(count),
    }),
    put(result, at, { data, parts, counts, truncated }) {
      result.data.push(data);
      result.parts.push(parts);
      result.counts.set(counts, at);
      result.truncated.set(truncated, at);
    },
  });
}
