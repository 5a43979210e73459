// The tokenizer of @huggingface/transformers, without tensors and padding.

import { AutoTokenizer, env } from '/peers/@huggingface/transformers/dist/transformers.min.js';

export async function create({ folder, model }) {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = folder;
  const tokenizer = await AutoTokenizer.from_pretrained(model);
  const options = { padding: false, truncation: false, return_tensor: false };
  return { info: {}, tokenize: async (texts) => tokenizer(texts, options).input_ids };
}
