/** Labels from what the engine gives: all of a head's, and the fitting ones. */

import type { ClassifyResult } from '../core/types.js';
import { PocketBertError, refuse } from '../errors.js';
import type { FitOptions, HeadInfo, Label, Labels, ModelInfo } from '../types.js';
import { checkValue, listOf, text } from './options.js';

/** The head that the engine takes for this name. */
export function headOf({ heads }: ModelInfo, name = 'default'): Pick<HeadInfo, 'labels'> {
  return heads.find((head) => head.name === name) ?? heads[0] ?? { labels: [] };
}

/**
 * The score of one label for an item.
 * @param label undefined: the only one
 */
export function scoreOf(
  { labels, topK, indices, scores }: ClassifyResult,
  item: number,
  label: string | undefined,
): number {
  const index = label === undefined ? 0 : labels.indexOf(label);
  const score = scores[indices.indexOf(index, item * topK)] ?? NaN;
  if (Number.isFinite(score)) return score;
  throw new PocketBertError('format', `a score of the model is ${score}, expected a number`);
}

/** The labels that fit, best first, with what is to be known of the text. */
export function fitting(
  labels: Label[],
  { abstain, threshold = -Infinity }: FitOptions,
  facts: { readonly tokens: number; readonly truncated: boolean },
): Labels {
  const abstained = abstain !== undefined && !((labels[0]?.score ?? NaN) >= abstain);
  const kept = abstained ? [] : labels.filter(({ score }) => !(score < threshold));
  return Object.assign(kept, facts, abstain === undefined ? {} : { abstained });
}

export function labelsOf(result: ClassifyResult, options: FitOptions): Labels[] {
  const { count, labels, topK, indices, scores, tokens, truncated } = result;
  return Array.from({ length: count }, (_, item) => {
    const best = Array.from({ length: topK }, (__, rank): Label => {
      const at = item * topK + rank;
      return { label: labels[indices[at] ?? 0] ?? '', score: scores[at] ?? 0 };
    });
    return fitting(best, options, { tokens: tokens[item] ?? 0, truncated: truncated[item] === 1 });
  });
}

/** The labels that a call names: at least one. */
export function candidatesOf(labels: readonly string[]): string[] {
  const list = listOf('the labels', labels);
  list.forEach((label, i) => checkValue(`label ${i}`, label, text));
  return list[0] === undefined ? refuse('the labels', labels, 'at least one label') : list;
}
