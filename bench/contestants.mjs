// Who is measured: for each, the page's adapter and its options.

import { basename } from 'node:path';

const kMaxLength = 512; // tokens; all-MiniLM-L6-v2 itself asks for 256, its positions reach 512

/** The one-file model of ours, or undefined. */
const fileOf = (weights) => (model) => (weights === 'int8' ? model.ours : model.oursFloat);

const ours = (variant, threads, weights = 'int8') => ({
  id: `pb-${variant}${weights === 'int8' ? '' : '-f32'}-${threads}`,
  side: 'ours',
  label: `PocketBERT ${variant}${weights === 'int8' ? '' : ' float32'}`,
  threads,
  page: 'pocketbert',
  file: fileOf(weights),
  options: (model) => {
    const file = fileOf(weights)(model);
    return file && { model: `/ours/${basename(file)}`, variant, threads, maxLength: kMaxLength };
  },
});

const transformers = (dtype, threads, changes = {}) => ({
  id: `tjs-${dtype}-${threads}`,
  side: 'peer',
  label: `transformers.js ${dtype}`,
  threads,
  page: 'transformers',
  file: ({ peers, name }) =>
    `${peers}/${name}/onnx/model${dtype === 'q8' ? '_quantized' : ''}.onnx`,
  options: ({ name }) => {
    const folder = '/peer-models/';
    return { folder, model: name, dtype, threads, runtime: changes.runtime ?? '' };
  },
  ...changes,
});

/** It pads every text to its greatest length: 256 by its own default, a call of which takes a second. */
const ruvector = {
  id: 'ruvector-1',
  mostTokens: 256,
  measures: ['tokens-8', 'tokens-128', 'tokens-256', 'start', 'bytes', 'memory'],
  side: 'peer',
  label: 'ruvector fp32',
  threads: 1,
  page: 'ruvector',
  file: ({ peers, name }) => `${peers}/${name}/onnx/model.onnx`,
  options: ({ name }) => ({
    folder: '/peer-models/',
    model: name,
    file: 'onnx/model.onnx',
    maxLength: 256,
  }),
};

/** In the order of the table's columns. */
export const kContestants = [
  ours('simd', 1),
  ours('relaxed', 1),
  ours('relaxed-mt', 1),
  ours('relaxed-mt', 2),
  ours('relaxed', 1, 'float32'),
  transformers('q8', 1),
  transformers('q8', 2),
  transformers('fp32', 1),
  transformers('fp32', 2),
  // What it fetches when left alone, from a CDN: a wasm file that can do WebGPU, too.
  transformers('q8', 2, {
    id: 'tjs-q8-webgpu-2',
    label: 'transformers.js q8, wasm with WebGPU',
    runtime: '.asyncify',
    measures: ['start', 'bytes'],
  }),
  ruvector,
];

/** Whose vectors all others are compared with. */
export const kReference = 'tjs-fp32-1';

/** Which two are compared, [ours, peer], and what the comparison is called. */
export const kPairs = [
  { ours: 'pb-relaxed-1', peer: 'tjs-q8-1', label: 'relaxed / q8, 1 thread' },
  { ours: 'pb-relaxed-mt-2', peer: 'tjs-q8-2', label: 'relaxed-mt / q8, 2 threads' },
  { ours: 'pb-simd-1', peer: 'tjs-q8-1', label: 'simd / q8, 1 thread' },
];

/** The larger model: fewer of them, as each call takes long. */
export const kBaseContestants = [
  'pb-simd-1',
  'pb-relaxed-1',
  'pb-relaxed-mt-2',
  'tjs-q8-1',
  'tjs-q8-2',
  'tjs-fp32-1',
];

/** Start, bytes and memory: what a page would use. */
export const kPageContestants = [...kBaseContestants, 'tjs-q8-webgpu-2', 'ruvector-1'];

const tokenizer = (id, label, page, options, side = 'peer') => ({
  id,
  side,
  label,
  threads: 1,
  page,
  options,
});
const oursOptions = (worker) => (model) => ({
  model: model.ours ? `/ours/${basename(model.ours)}` : `/peer-models/${model.name}/`,
  variant: 'relaxed',
  worker,
});
const peerOptions = ({ name }) => ({ folder: '/peer-models/', model: name });

export const kTokenizers = [
  tokenizer(
    'pb-tokenizer',
    'PocketBERT, in the page',
    'pocketbert_tokenizer',
    oursOptions(false),
    'ours',
  ),
  tokenizer(
    'pb-tokenizer-worker',
    'PocketBERT, in its worker',
    'pocketbert_tokenizer',
    oursOptions(true),
    'ours',
  ),
  tokenizer('hf-tokenizers', '@huggingface/tokenizers', 'hf_tokenizer', peerOptions),
  tokenizer('tjs-tokenizer', 'transformers.js', 'transformers_tokenizer', peerOptions),
];

/**
 * Those of `list` that `ids` names, in the list's order.
 * @param {readonly { id: string }[]} list
 */
export const chosen = (list, ids) => list.filter(({ id }) => ids === undefined || ids.includes(id));
