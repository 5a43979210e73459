// What the project promises itself, beside what was measured.

import { ratioOf } from './ratio.mjs';

const valueOf = (result, id, contestant) =>
  result.measures.find((measure) => measure.id === id)?.values[contestant]?.median;

const ratio = (ours, peer, id) => (result) => ratioOf(result, id, ours, peer)?.median;

/** Speed-ups at some lengths: a target each, for a CPU without and with AVX-VNNI. */
const speedUps = (label, ours, peer, targets) =>
  Object.entries(targets).map(([tokens, [plain, vnni = plain]]) => ({
    label: `${label}, ${tokens} tokens`,
    value: ratio(ours, peer, `tokens-${tokens}`),
    least: ({ machine }) => (machine.avxVnni === 'yes' ? vnni : plain),
    unit: '×',
  }));

/** Ours as a share of the peer's, in percent. */
const share = (label, id, ours, peer, most) => ({
  label,
  value(result) {
    const found = ratioOf(result, id, ours, peer);
    return found && 100 / found.median;
  },
  most: () => most,
  unit: ' %',
});

const tokenizer = (kind, id) => ({
  label: `${kind} against @huggingface/tokenizers`,
  value: ratio('pb-tokenizer', 'hf-tokenizers', id),
  least: () => 10,
  unit: '×',
});

/** Memory is promised in terms of the model's file: `times` its size and `extra` MB. */
const memory = (label, id, times, extra) => ({
  label,
  value: (result) => valueOf(result, id, 'pb-relaxed-1'),
  most(result) {
    const file = valueOf(result, 'model-file', 'pb-relaxed-1');
    return file === undefined ? undefined : times * file + extra;
  },
  unit: ' MB',
});

const kOne = ['pb-relaxed-1', 'tjs-q8-1'];
const kTwo = ['pb-relaxed-mt-2', 'tjs-q8-2'];

export const kTargets = [
  ...speedUps('speed-up over q8, 1 thread', ...kOne, {
    8: [2.8, 3.5],
    16: [2.3, 3.2],
    64: [2, 3],
    128: [2.1, 3],
    256: [2.1, 3],
  }),
  ...speedUps('speed-up over q8, 2 threads each', ...kTwo, {
    8: [4],
    16: [3],
    64: [2.2],
    128: [2.1],
    256: [2],
  }),
  ...speedUps('plain SIMD over q8, 1 thread', 'pb-simd-1', 'tjs-q8-1', { 128: [1.4] }),
  {
    label: 'first ten 8-token calls',
    value: ratio(...kOne, 'first-ten'),
    least: () => 5,
    unit: '×',
  },
  {
    label: 'batch of 32, 1 thread',
    value: ratio(...kOne, 'batch-32'),
    least: () => 3.7,
    unit: '×',
  },
  {
    label: 'batch of 32, 2 threads',
    value: ratio(...kTwo, 'batch-32'),
    least: () => 3.7,
    unit: '×',
  },
  {
    label: 'two threads against one, 128 tokens',
    value: ratio('pb-relaxed-mt-2', 'pb-relaxed-mt-1', 'tokens-128'),
    least: () => 1.8,
    unit: '×',
  },
  {
    label: 'first 128-token call against the steady state',
    value: (result) => valueOf(result, 'first-128', 'pb-relaxed-1'),
    most: () => 1.5,
    unit: '×',
  },
  tokenizer('WordPiece', 'tokenizer'),
  tokenizer('byte-level BPE', 'tokenizer-bpe'),
  tokenizer('Unigram', 'tokenizer-unigram'),
  share('cold start, share of the peer’s', 'start-cold', ...kOne, 20),
  share('code fetched with brotli, share of the peer’s', 'bytes-brotli', ...kTwo, 3),
  memory('memory after load', 'memory-load', 1.6, 12),
  memory('memory after 32 × 240 tokens', 'memory-batch', 1.6, 52),
];

/** Targets of which something was measured: { label, value, bound, sign, met, unit }. */
export function compareWithTargets(result) {
  return kTargets.flatMap(({ label, value, least, most, unit }) => {
    const found = value(result);
    const bound = (least ?? most)(result);
    if (found === undefined || bound === undefined) return [];
    const met = least ? found >= bound : found <= bound;
    return [{ label, value: found, bound, sign: least ? '≥' : '≤', met, unit }];
  });
}
