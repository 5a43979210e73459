// After an expected error everything must go on working: an object opened before, and a new one.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Embedder } from 'pocketbert';
import { compareVectors } from './compare.mjs';
import { difference } from './outcome.mjs';

const kHalf = fileURLToPath(new URL('../hand', import.meta.url));
const kCase = 'emb-act-gelu-h';

export class Canary {
  #sources;
  #started;

  /** @param {import('./sources.mjs').Sources} sources */
  constructor(sources) {
    this.#sources = sources;
  }

  async #start() {
    const { cases } = JSON.parse(await readFile(`${kHalf}/embed.json`, 'utf8'));
    const { model, input, expect } = cases.find(({ id }) => id === kCase);
    const options = { model: await this.#sources.modelFiles(kHalf, model), precision: 'float32' };
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
