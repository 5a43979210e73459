// @huggingface/tokenizers: the tokenizer library in JavaScript.

import { Tokenizer } from '/peers/@huggingface/tokenizers/dist/tokenizers.min.mjs';

const json = async (url) => (await fetch(url)).json();

export async function create({ folder, model }) {
  const at = `${folder}${model}/`;
  const tokenizer = new Tokenizer(
    await json(`${at}tokenizer.json`),
    await json(`${at}tokenizer_config.json`),
  );
  return { info: {}, tokenize: async (texts) => texts.map((text) => tokenizer.encode(text).ids) };
}
