/** What a `Ranker` does. A file of its own, which `Ranker.create` loads: few pages have one. */

import { PocketBertError, refuse } from '../errors.js';
import type { ModelInfo, Ranked, Ranking, RankOptions } from '../types.js';
import { textsOf } from './encoding.js';
import { headOf, scoreOf } from './label_scores.js';
import { ownOptions, type Ask } from './model_user.js';
import { check, checkValue, listOf, scoreTable, text, type TableOf } from './options.js';

/** Documents given to the engine at once; one of more UTF-16 units goes alone. */
const mostDocuments = 64;
const mostUnits = 16_384;

const rankTable = (model: ModelInfo) =>
  ({
    ...scoreTable(model),
    label: text,
    return_documents: 'a boolean',
    onResult: 'a function',
  }) satisfies TableOf<RankOptions>;

/** @param forUser does work on behalf of the user; its signal ends it */
export async function rank(
  model: ModelInfo,
  forUser: (work: (call: Ask, signal: AbortSignal) => Promise<void>) => Promise<void>,
  { query, documents }: { query: string; documents: readonly string[] },
  options: RankOptions,
): Promise<Ranking> {
  check(options, rankTable(model));
  checkValue('the query', query, text);
  const list = textsOf(listOf('the documents', documents), 'document');
  const { top_k, label, return_documents: withText, onResult, ...own } = ownOptions(options);
  const labels = labelsOf(model, own.head);
  if (label !== undefined) checkValue('label', label, labels);
  if (labels.length > 1 && label === undefined) {
    throw new PocketBertError(
      'invalid_argument',
      `the head has the labels ${labels.join(', ')}; say by which one to rank: { label }`,
    );
  }
  if (labels.length === 1 && own.activation === 'softmax') {
    // The share of an only label is 1, whatever the document.
    refuse('activation', own.activation, 'sigmoid or none, as the head has one label');
  }
  const activation: RankOptions['activation'] =
    own.activation ?? (labels.length > 1 ? 'none' : 'sigmoid');
  const tell = options.onProgress;
  const order = list.map((_, i) => i).sort((a, b) => lengthOf(list, a) - lengthOf(list, b));
  const ranked: Ranked[] = [];
  const truncated: number[] = [];
  await forUser(async (call, signal) => {
    while (ranked.length < list.length) {
      const begin = ranked.length;
      const part = order.slice(begin, endOfPart(list, order, begin));
      const items = part.map((i) => ({ text: query, pair: list[i] }));
      const found = await call('classify', { items, options: { ...own, activation } }, (done) =>
        tell?.({ done: begin + done, total: list.length }),
      ).catch((thrown: unknown) => {
        throw aboutDocument(thrown, part);
      });
      part.forEach((id, i) => {
        // `onResult` may have ended the call.
        signal.throwIfAborted();
        const score = scoreOf(found, i, label);
        const result = { corpus_id: id, score, ...(withText && { text: list[id] ?? '' }) };
        if (found.truncated[i] === 1) truncated.push(id);
        ranked.push(result);
        onResult?.(result);
      });
    }
  });
  ranked.sort((a, b) => b.score - a.score || a.corpus_id - b.corpus_id);
  return Object.assign(ranked.slice(0, top_k ?? undefined), {
    truncated: truncated.sort((a, b) => a - b),
  });
}

/** The labels of the head that the call means. */
function labelsOf(model: ModelInfo, head: string | undefined): readonly string[] {
  const names = model.heads.map(({ name }) => name);
  if (head === undefined && names.length > 1 && !names.includes('default')) {
    refuse('head', head, names.join(' or '));
  }
  return headOf(model, head).labels;
}

/** The error of text n of a part, as one of the document that the user gave. */
function aboutDocument(thrown: unknown, part: readonly number[]): unknown {
  if (!(thrown instanceof PocketBertError)) return thrown;
  const { code, hint } = thrown;
  const message = thrown.message.replace(
    /^text (\d+)(?=\D)/,
    (_, at: string) => `document ${part[Number(at)]}`,
  );
  return new PocketBertError(code, message, { hint, cause: thrown });
}

const lengthOf = (list: readonly string[], index: number): number => list[index]?.length ?? 0;

/** Where in `order` the part that begins at `begin` ends. */
function endOfPart(list: readonly string[], order: readonly number[], begin: number): number {
  let end = begin;
  let units = 0;
  while (end < order.length && end - begin < mostDocuments && units < mostUnits) {
    units += lengthOf(list, order[end++] ?? 0);
  }
  return end;
}
