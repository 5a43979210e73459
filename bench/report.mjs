// The tables, as markdown.

import { kContestants, kPairs, kTokenizers } from './contestants.mjs';
import { ratioOf } from './ratio.mjs';
import { compareWithTargets } from './targets.mjs';

/** Three digits that mean something: 1234, 123, 12.3, 1.23. */
export function digits(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** `12.3 ±4 %`: median, and half the distance of the quartiles in percent of it. */
export function spread({ median, q1, q3, count }, unit = '') {
  const text = `${digits(median)}${unit}`;
  if (count < 2 || median === 0) return text;
  return `${text} ±${Math.round((50 * (q3 - q1)) / median)} %`;
}

/**
 * A markdown table, numbers to the right.
 * @param {string[]} head
 * @param {string[][]} rows as long as the head
 */
export function table(head, rows) {
  for (const row of rows)
    if (row.length !== head.length)
      throw new Error(`a row of ${row.length} under ${head.length} heads`);
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const ruler = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [line(head), line(ruler), ...rows.map(line)].join('\n');
}

function heading({ machine, engine, quick }) {
  const has = (name, answer) => (answer === 'yes' ? name : `no ${name}`);
  const flags = [has('AVX-VNNI', machine.avxVnni), has('AVX512-VNNI', machine.avx512Vnni)];
  return `${machine.cpu}, ${machine.cores} cores, ${flags.join(', ')}; ${machine.browser} (${engine}).
PocketBERT ${machine.pocketbert} (${machine.commit}), @huggingface/transformers ${machine.transformers}, onnxruntime-web ${machine.onnxruntime}, @huggingface/tokenizers ${machine.tokenizers}, ruvector-onnx-embeddings-wasm ${machine.ruvector}.
Medians; ± is half the distance between the quartiles.${quick ? ' **A quick run: noisy.**' : ''}`;
}

/** Measures in which less is not better, or that only one side has. */
const kWithoutRatio = ['first-128', 'model-file', 'soak'];

/** Everything that pages with a model did, one row a measure, one column a contestant. */
function mainTable(result) {
  const columns = kContestants.filter(({ id }) =>
    result.measures.some(({ values }) => id in values),
  );
  const pairs = kPairs.filter(({ ours, peer }) =>
    result.measures.some(({ values }) => ours in values && peer in values),
  );
  const head = [
    'measure',
    ...columns.map(({ label, threads }) => `${label}, ${threads} thread${threads > 1 ? 's' : ''}`),
    ...pairs.map(({ label }) => label),
  ];
  const rows = result.measures.map(({ id, label, unit, values }) => [
    unit === '×' ? label : `${label}, ${unit}`,
    ...columns.map((one) => (values[one.id] ? spread(values[one.id]) : '')),
    ...pairs.map(({ ours, peer }) => {
      const found = kWithoutRatio.includes(id) ? undefined : ratioOf(result, id, ours, peer);
      return found ? spread(found, '×') : '';
    }),
  ]);
  return rows.length > 0 ? table(head, rows) : '';
}

function tokenizerTable(result, { id: measure, values, bytes, label }) {
  const rows = kTokenizers
    .filter(({ id }) => values[id])
    .map(({ id, label: name }) => {
      const { median } = values[id];
      const ratio = ratioOf(result, measure, id, 'hf-tokenizers');
      return [
        name,
        spread(values[id]),
        digits(bytes / 1e3 / median),
        ratio ? spread(ratio, '×') : '',
      ];
    });
  return table([label, 'ms', 'MB/s', 'speed against @huggingface/tokenizers'], rows);
}

function agreementTable(list, model) {
  if (!list) return '';
  const labelOf = (id) => {
    const found = kContestants.find((one) => one.id === id);
    return found ? `${found.label}, ${found.threads}` : id;
  };
  const rows = list.map(({ id, mean, least }) => [labelOf(id), mean.toFixed(5), least.toFixed(5)]);
  const title = `cosine to ${labelOf(list[0]?.reference ?? 'the reference')}, ${model}`;
  return table([title, 'mean', 'least'], rows);
}

function targetTable(result) {
  const found = compareWithTargets(result);
  if (found.length === 0) return '';
  const rows = found.map(({ label, value, bound, sign, met, unit }) => [
    label,
    `${sign} ${digits(bound)}${unit}`,
    `${digits(value)}${unit}`,
    met ? 'met' : 'missed',
  ]);
  return table(['target', 'bound', 'measured', ''], rows);
}

/** All of a run. */
export function markdown(result) {
  const leftOut = Object.entries(result.leftOut ?? {}).map(
    ([id, why]) => `- ${id} is left out: ${why}`,
  );
  return [
    heading(result),
    mainTable(result),
    ...(result.tokenizers ?? []).map((measure) => tokenizerTable(result, measure)),
    agreementTable(result.agreement, 'all-MiniLM-L6-v2'),
    agreementTable(result.baseAgreement, 'random BERT-base'),
    targetTable(result),
    leftOut.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}
