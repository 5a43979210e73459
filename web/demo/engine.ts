/** The running model of the page: one embedder, and what shares its engine. */

import { Classifier, Embedder, type Progress, type Source } from 'pocketbert';

export interface Running {
  /** How the page calls the model. */
  readonly name: string;
  readonly embedder: Embedder;
  /** Null if the model has no classification head. */
  readonly classifier: Classifier | null;
}

/** A request that the page made for a model's files. */
export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Loads a model; the caller destroys the old one when the new one runs. */
export async function loadModel(name: string, model: Source, options: LoadOptions): Promise<Running> {
  const embedder = await Embedder.create({ model, ...options });
  try {
    const classifier =
      embedder.info.model.heads.length > 0 ? await Classifier.create({ model: embedder }) : null;
    return { name, embedder, classifier };
  } catch (error) {
    await embedder.destroy();
    throw error;
  }
}

export async function destroyModel(running: Running): Promise<void> {
  await running.classifier?.destroy();
  await running.embedder.destroy();
}
