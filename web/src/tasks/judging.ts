/**
 * What `Classifier.zeroShot` does. A file of its own, loaded with a model of natural language inference, or
 * with the first call: few pages have one.
 */

import type { TextItem, ZeroShotResult } from '../core/types.js';
import { refuse } from '../errors.js';
import type { FitOptions, ModelInfo, ZeroShotLabels, ZeroShotOptions } from '../types.js';
import { fitting, headOf } from './label_scores.js';
import type { Ask, ownOptions } from './model_user.js';

/** Labels of a head that a note lists. */
const mostNamed = 6;

/** What the user asks about. */
interface Question {
  readonly model: ModelInfo;
  readonly texts: readonly string[];
  /** The user's labels, at least one. */
  readonly labels: readonly string[];
  readonly own: ReturnType<typeof ownOptions<ZeroShotOptions>>;
}

/** The labels of each text. */
export async function judge(
  call: Ask,
  { model, texts, labels, own }: Question,
  tell: ZeroShotOptions['onProgress'],
): Promise<ZeroShotLabels[]> {
  const { hypothesis_template: template = 'This example is {}.', ...rest } = own;
  const items = hypothesesOf(texts, labels, template);
  const each = labels.length;
  const result = await call('zeroShot', { items, options: { ...rest, labels: each } }, (done, total) =>
    tell?.({ done: Math.floor(done / each), total: total / each }),
  );
  const known = headOf(model, own.head).labels;
  const entailment = known[result.entailment] ?? '';
  const notes = notesOf(known, entailment);
  return labelsOf(result, labels, own).map((found) =>
    Object.assign(found, { entailment, notes }),
  );
}

/** A sentence if no label of the head says that it is entailment. */
function notesOf(known: readonly string[], entailment: string): string[] {
  if (/^entail/i.test(entailment)) return [];
  const more = known.length > mostNamed ? ', …' : '';
  return [
    `no label of the head (${known.slice(0, mostNamed).join(', ')}${more}) begins with "entail", so ${entailment}, ` +
      'the last, was taken for entailment; unless it means that, these scores say nothing',
  ];
}

/** A pair for each label of each text: the text, and the template with the label in place of `{}`. */
function hypothesesOf(
  texts: readonly string[],
  labels: readonly string[],
  template: string,
): TextItem[] {
  const parts = template.split('{}');
  if (parts.length < 2) refuse('hypothesis_template', template, 'a text with {} for the label');
  return texts.flatMap((one) => labels.map((label) => ({ text: one, pair: parts.join(label) })));
}

/** The user's labels that fit each text. */
function labelsOf(
  { scores, tokens, truncated }: ZeroShotResult,
  labels: readonly string[],
  options: FitOptions,
) {
  return Array.from({ length: scores.length / labels.length }, (_, item) => {
    const begin = item * labels.length;
    const own = labels.map((label, i) => ({ label, score: scores[begin + i] ?? 0 }));
    const end = begin + labels.length;
    return fitting(own.sort((a, b) => b.score - a.score), options, {
      tokens: tokens.subarray(begin, end).reduce((sum, count) => sum + count, 0),
      truncated: truncated.subarray(begin, end).includes(1),
    });
  });
}
