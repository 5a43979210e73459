/** Zero-shot classification inside the module. */

import { BatchRun } from './batch_run.js';
import { WasmByteBuffer } from './byte_buffer.js';
import type { Handle, Instance } from './instance.js';
import { rawZeroShotOptions } from './options.js';
import type { EngineRun, TextItem, ZeroShotOptions, ZeroShotResult } from './types.js';

/**
 * @param items a pair of text and hypothesis for each label of each text, one text after the other
 * @param labels of one text; at least 1
 */
export function zeroShotRun(
  instance: Instance,
  handle: Handle,
  items: readonly TextItem[],
  { labels, multi_label: each = false, ...options }: ZeroShotOptions,
): EngineRun<ZeroShotResult> {
  const checked = instance.call((raw) => rawZeroShotOptions(raw, options));
  const run = new BatchRun(instance, items, {
    compute: (block: number, first: number, firstNumber: number) => {
      const model = handle.raw;
      return instance.call((raw) => raw.judgeHypotheses(model, block, first, firstNumber, checked));
    },
    begin: (count, { entailment }) => ({
      logits: new Float32Array(2 * count),
      entailment,
      tokens: new Uint32Array(count),
      truncated: new Uint8Array(count),
    }),
    put(result, at, batch) {
      result.logits.set(batch.logits, 2 * at);
      result.tokens.set(batch.tokens, at);
      result.truncated.set(batch.truncated, at);
    },
  });
  return {
    total: run.total,
    step: () => run.step(),
    finish() {
      const { logits, ...result } = run.finish();
      const buffer = WasmByteBuffer.copyOf(instance, new Uint8Array(logits.buffer));
      try {
        return { ...result, scores: instance.call((raw) => raw.labelShares(buffer.raw, labels, each)) };
      } finally {
        buffer.free();
      }
    },
    destroy: () => run.destroy(),
  };
}
