// PocketBERT, as a user's page calls it: in its worker.

import { Embedder } from '/dist/index.js';

/** @param {{ model: string, variant?: string, threads?: number, maxLength?: number }} options */
export async function create({ model, variant, threads, maxLength }) {
  const embedder = await Embedder.create({ model, variant, threads });
  return {
    info: embedder.info,
    embed: (text) => embedder.embed(text, { maxLength }),
    embedBatch: async (texts) => [...(await embedder.embed(texts, { maxLength }))],
    chunk: Infinity,
    heap: () => embedder.memory(),
  };
}
