// After an expected error everything must go on working: an object opened before, and a new one.

import { Embedder } from 'pocketbert';
import { compareVectors } from './compare.mjs';
import { difference } from './outcome.mjs';

const kCase = 'emb-act-gelu-h';

export class Canary {
  #sources;
  #half;
  #started;

  /**
   * @param {import('./sources.mjs').Sources} sources
   * @param {string} half where its case is: the folder `hand` beside this one
   */
  constructor(sources, half) {
    this.#sources = sources;
    this.#half = half;
  }

  async #start() {
    const { cases } = await this.#sources.json(`${this.#half}/embed.json`);
    const { model, input, expect } = cases.find(({ id }) => id === kCase);
    const options = { model: await this.#sources.modelFiles(this.#half, model), precision: 'float32' };
    const embedder = await Embedder.create(options);
    return { embedder, options, texts: input.texts, expect };
  }

  /** @returns {Promise<import('./outcome.mjs').Difference[]>} */
  async check() {
    this.#started ??= this.#start();
    const { embedder, options, texts, expect } = await this.#started;
    const fresh = await Embedder.create(options);
    try {
      return [
        ...(await song('an embedder opened before the error', embedder, texts, expect)),
        ...(await song('an embedder opened after the error', fresh, texts, expect)),
      ];
    } finally {
      await fresh.destroy();
    }
  }

  /** If it could not be opened, each case that asked it has failed for that already. */
  async close() {
    await this.#started?.then(
      ({ embedder }) => embedder.destroy(),
      () => {},
    );
  }
}

async function song(who, embedder, texts, expect) {
  try {
    const vectors = [...(await embedder.embed(texts))];
    return compareVectors(vectors, expect.vectors, expect).map((d) => ({
      ...d,
      what: `${who}: ${d.what}`,
    }));
  } catch (thrown) {
    return [difference(`${who} fails`, String(thrown), 'its usual vector')];
  }
}
