// A checkpoint of a given size with random weights, in the order in which Hugging Face writes tensors.

import { closeSync, cpSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kTokenizer = fileURLToPath(
  new URL('../../cases/hand/fixtures/enc/tokenizer.json', import.meta.url),
);

/** The sizes of all-MiniLM-L6-v2. */
export const kMiniLm = {
  vocab_size: 30522,
  hidden_size: 384,
  num_hidden_layers: 6,
  num_attention_heads: 12,
  intermediate_size: 1536,
  max_position_embeddings: 512,
  type_vocab_size: 2,
};

function tensorsOf(config) {
  const { vocab_size: vocabulary, hidden_size: hidden, intermediate_size: wide } = config;
  const tensors = new Map();
  const norm = (name) =>
    tensors.set(`${name}.LayerNorm.weight`, [hidden]).set(`${name}.LayerNorm.bias`, [hidden]);
  const linear = (name, rows, cols) =>
    tensors.set(`${name}.weight`, [rows, cols]).set(`${name}.bias`, [rows]);
  norm('embeddings');
  tensors.set('embeddings.word_embeddings.weight', [vocabulary, hidden]);
  tensors.set('embeddings.position_embeddings.weight', [config.max_position_embeddings, hidden]);
  tensors.set('embeddings.token_type_embeddings.weight', [config.type_vocab_size, hidden]);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `encoder.layer.${layer}`;
    for (const name of ['query', 'key', 'value'])
      linear(`${at}.attention.self.${name}`, hidden, hidden);
    linear(`${at}.attention.output.dense`, hidden, hidden);
    norm(`${at}.attention.output`);
    linear(`${at}.intermediate.dense`, wide, hidden);
    linear(`${at}.output.dense`, hidden, wide);
    norm(`${at}.output`);
  }
  return [...tensors].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Writes the folder; gives the bytes of its model.safetensors. */
export function writeCheckpoint(folder, config) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ model_type: 'bert', architectures: ['BertModel'], ...config }),
  );
  cpSync(kTokenizer, join(folder, 'tokenizer.json'));
  const header = {};
  let end = 0;
  for (const [name, shape] of tensorsOf(config)) {
    const start = end;
    end += 4 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [start, end] };
  }
  const json = Buffer.from(JSON.stringify(header));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  writeSync(file, Buffer.concat([length, json]));
  // A period of numbers that no row length divides.
  const period = Float32Array.from({ length: 100_003 }, (_, i) => Math.sin(i * i) * 0.05);
  const bytes = Buffer.from(period.buffer);
  for (let at = 0; at < end; at += bytes.length)
    writeSync(file, bytes, 0, Math.min(bytes.length, end - at));
  closeSync(file);
  return 8 + json.length + end;
}
