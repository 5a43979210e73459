/** Compares the engine's vectors with those that the model's file holds. */

import { isRecord } from '../models/files.js';
import type { Embedding, Info, SelfTest } from '../types.js';
import { similarity } from './similarity.js';

/** Least cosine that passes: the arithmetic is the same everywhere, the vectors are stored rounded. */
const leastCosine = 0.9999;

interface Sample {
  readonly text: string;
  readonly vector: readonly number[];
}

/** Samples in the fidelity record: `self_test: [{text, vector}, …]`. */
function samplesOf(fidelity: Info['model']['fidelity']): Sample[] {
  const list = fidelity?.['self_test'];
  const samples: Sample[] = [];
  for (const entry of Array.isArray(list) ? list.filter(isRecord) : []) {
    const { text, vector } = entry;
    if (typeof text !== 'string' || !Array.isArray(vector)) continue;
    samples.push({ text, vector: vector.filter((value) => typeof value === 'number') });
  }
  return samples;
}

export async function selfTest(embedder: {
  readonly info: Info;
  embed(text: string): Promise<Embedding>;
}): Promise<SelfTest> {
  const samples = samplesOf(embedder.info.model.fidelity);
  let minCosine = 1;
  for (const { text, vector } of samples) {
    minCosine = Math.min(minCosine, similarity(await embedder.embed(text), vector));
  }
  const count = samples.length;
  if (count === 0) {
    const message = 'the file of the model holds no vectors to compare with';
    return { status: 'no-vectors', count, minCosine, message };
  }
  const status = minCosine >= leastCosine ? 'passed' : 'failed';
  const message = `least cosine to ${count} stored vectors ${minCosine.toFixed(6)}, expected at least ${leastCosine}`;
  return { status, count, minCosine, message };
}
