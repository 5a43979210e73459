/** What a `Tagger` does. A file of its own, which `Tagger.create` loads: few pages have one. */

import type { TagResult } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { CallOptions, Entity, ModelInfo, TagOptions, Tags, TextSpan, TokenTag } from '../types.js';
import { textsOf } from './encoding.js';
import { ownOptions } from './model_user.js';
import { callTable, check, whole, type TableOf } from './options.js';

const tagTable = ({ maxTokens }: ModelInfo) =>
  ({
    ...callTable,
    aggregation: 'none|simple|first|average|max',
    ignore_labels: 'a list of strings',
    maxLength: whole(1, maxTokens),
    stride: whole(0),
  }) satisfies TableOf<TagOptions>;

/** @param ask asks the engine on behalf of the user */
export async function tag(
  model: ModelInfo,
  ask: (args: { texts: string[]; options: Omit<TagOptions, keyof CallOptions> }) => Promise<TagResult>,
  texts: string | readonly string[],
  options: TagOptions,
): Promise<Tags | Tags[]> {
  check(options, tagTable(model));
  const copy = textsOf(texts);
  const own = ownOptions(options);
  const all = tagsOf(await ask({ texts: copy, options: own }), copy, own.aggregation === 'none');
  if (typeof texts !== 'string') return all;
  const [only] = all;
  if (only === undefined) throw new PocketBertError('trap', 'the engine gave no entities');
  return only;
}

function spanOf(whole: string, start: number, end: number): TextSpan {
  return { start, end, text: whole.slice(start, end) };
}

function tagsOf(result: TagResult, texts: readonly string[], single: boolean): Tags[] {
  const words = result.entities.map((part) => [part, new Float32Array(part.buffer)] as const);
  let number = 0;
  const all = words.flatMap(([part, scores]) =>
    Array.from({ length: part.length / 6 }, (_, i) => {
      const [label = 0, , start = 0, end = 0, index = 0] = part.subarray(6 * i);
      const name = result.labels[label]?.slice(result.prefixes[label]) ?? '';
      const token = result.names[number++] ?? '';
      return { name, score: scores[6 * i + 1] ?? 0, start, end, index, token };
    }),
  );
  let from = 0;
  return texts.map((whole, item): Tags => {
    const own = all.slice(from, (from += result.counts[item] ?? 0));
    return single
      ? own.map(({ name, score, start, end, index, token }): TokenTag => ({
          ...spanOf(whole, start, end),
          entity: name,
          score,
          index,
          token,
        }))
      : own.map(({ name, score, start, end }): Entity => ({
          ...spanOf(whole, start, end),
          entity_group: name,
          score,
        }));
  });
}
