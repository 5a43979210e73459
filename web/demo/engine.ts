/** The running model of the page: one embedder, and what shares its engine. */

import { Classifier, Embedder, type ModelUser, type Progress, type Source } from 'pocketbert';

export interface Running {
  /** How the page calls the model. */
  readonly name: string;
  readonly embedder: Embedder;
  /** Null if the model has no classification head. */
  readonly classifier: Classifier | null;
  /** What panels opened for tasks of their own, on the same engine. */
  readonly users: Promise<ModelUser>[];
  /** Milliseconds since the page was opened. */
  readonly readyAt: number;
  /** What it has read so far. */
  readonly work: { texts: number; tokens: number };
}

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Loads a model; the caller destroys the old one when the new one runs. */
export async function loadModel(
  name: string,
  model: Source,
  options: LoadOptions,
): Promise<Running> {
  const embedder = await Embedder.create({ model, ...options });
  try {
    const hasHeads = embedder.info.model.heads.length > 0;
    const classifier = hasHeads ? await Classifier.create({ model: embedder }) : null;
    const work = { texts: 0, tokens: 0 };
    return { name, embedder, classifier, users: [], readyAt: performance.now(), work };
  } catch (error) {
    await embedder.destroy();
    throw error;
  }
}

export async function destroyModel(running: Running): Promise<void> {
  for (const user of await Promise.allSettled(running.users))
    if (user.status === 'fulfilled') await user.value.destroy();
  await running.classifier?.destroy();
  await running.embedder.destroy();
}

/** Notes that `texts` with `tokens` in all were read; gives the tokens back. */
export function countWork(running: Running, texts: number, tokens: number): number {
  running.work.texts += texts;
  running.work.tokens += tokens;
  return tokens;
}
