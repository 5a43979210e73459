// PocketBERT's tokenizer, in its worker or in the page.

import { Tokenizer } from '/dist/index.js';

export async function create({ model, variant, worker }) {
  const tokenizer = await Tokenizer.create({ model, variant, worker });
  return {
    info: tokenizer.info,
    tokenize: async (texts) => (await tokenizer.encodeBatch(texts)).map(({ ids }) => ids),
  };
}
