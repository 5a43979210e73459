/** What quantization costs: vectors and scores of a model against those of the same model in float32. */

import type { ClassifyResult, EngineModel } from '../core/types.js';

/** A type, not an interface: it becomes part of a JSON record. */
export type Similarity = {
  readonly mean: number;
  readonly min: number;
  /** The text of the least cosine. */
  readonly worst_text: string;
};

/** Differences of the scores of one head, over all texts and labels. */
export type ScoreDifference = {
  readonly mean: number;
  readonly max: number;
  /** Share of the texts whose best label is the same. */
  readonly same_label: number;
};

export type Comparison = {
  /** Number of texts. */
  readonly texts: number;
  /** Cosine to the float32 vectors; absent for a model that gives no vectors. */
  readonly cosine?: Similarity;
  /** By the name of the head; absent for a model without. */
  readonly scores?: { readonly [head: string]: ScoreDifference };
};

function cosine(a: Float32Array, b: Float32Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : Number(aa === bb);
}

function compareVectors(model: EngineModel, reference: EngineModel, texts: readonly string[]): Similarity {
  const found = model.embed(texts);
  const expected = reference.embed(texts);
  const size = expected.dimensions;
  let sum = 0;
  let worst = 0;
  let min = Infinity;
  for (let i = 0; i < texts.length; i++) {
    const rows = [i * size, (i + 1) * size] as const;
    const value = cosine(found.data.subarray(...rows), expected.data.subarray(...rows));
    sum += value;
    if (value < min) [min, worst] = [value, i];
  }
  return { mean: sum / texts.length, min, worst_text: texts[worst] ?? '' };
}

/** Scores by label, for one text. */
function scoresOf({ indices, scores, topK }: ClassifyResult, item: number): Map<number, number> {
  const found = new Map<number, number>();
  for (let i = item * topK; i < (item + 1) * topK; i++) found.set(indices[i] ?? -1, scores[i] ?? 0);
  return found;
}

function compareScores(
  model: EngineModel,
  reference: EngineModel,
  texts: readonly string[],
  head: string,
): ScoreDifference {
  const items = texts.map((text) => ({ text }));
  const found = model.classify(items, { head });
  const expected = reference.classify(items, { head });
  let [sum, count, max, same] = [0, 0, 0, 0];
  for (let i = 0; i < texts.length; i++) {
    const scores = scoresOf(found, i);
    for (const [label, score] of scoresOf(expected, i)) {
      const difference = Math.abs(score - (scores.get(label) ?? 0));
      sum += difference;
      count += 1;
      max = Math.max(max, difference);
    }
    if (found.indices[i * found.topK] === expected.indices[i * expected.topK]) same += 1;
  }
  return { mean: count > 0 ? sum / count : 0, max, same_label: same / texts.length };
}

const measuredTasks: readonly string[] = ['embed', 'classify'];

/** Tasks of the model of whose results `compare` tells nothing. */
export function unmeasured(tasks: readonly string[]): string[] {
  return tasks.filter((task) => !measuredTasks.includes(task));
}

/** Compares vectors and scores of heads. */
export function compare(model: EngineModel, reference: EngineModel, texts: readonly string[]): Comparison {
  const { tasks, heads } = model.info();
  const scores = heads.map(({ name }) => [name, compareScores(model, reference, texts, name)] as const);
  return {
    texts: texts.length,
    ...(tasks.includes('embed') && { cosine: compareVectors(model, reference, texts) }),
    ...(heads.length > 0 && { scores: Object.fromEntries(scores) }),
  };
}

export type StoredVector = { readonly text: string; readonly vector: readonly number[] };

const storedDigits = 1e6;

/** Vectors of `texts`, rounded, by which a model in another place can be recognized as sound. */
export function storedVectors(model: EngineModel, texts: readonly string[]): StoredVector[] {
  const { data, dimensions } = model.embed(texts);
  return texts.map((text, i) => {
    const row = data.subarray(i * dimensions, (i + 1) * dimensions);
    return { text, vector: Array.from(row, (value) => Math.round(value * storedDigits) / storedDigits) };
  });
}
