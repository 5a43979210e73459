// Measures models on a file of sentence pairs (STS benchmark: sentence, sentence, score from 0 to 5; CSV without a head line).
//
//   node models/evaluate.mjs PAIRS.csv NAME=FOLDER…      tables on stdout
//   node models/evaluate.mjs PAIRS.csv NAME=FOLDER… --write    and into models/README.md
//
// Each FOLDER is a Hugging Face folder. It is loaded twice, as float32 and as int8, through the public API in node. Told are:
// Spearman's correlation of cosine and score, for both; the cosine between the int8 and the float32 vector of every text
// (mean, 1st percentile, least); bytes of weights in memory. Needs `npm run build`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kSourceFolder } from '../web/build/cache.mjs';
import { BuildError, runMain, say, seconds } from '../web/build/process.mjs';

const kUsage = 'usage: node models/evaluate.mjs PAIRS.csv NAME=FOLDER… [--write]';
const kReadme = join(kSourceFolder, 'models', 'README.md');
const kBegin = '<!-- measured: written by evaluate.mjs -->';
const kEnd = '<!-- end -->';

/** Rows of a CSV text (RFC 4180: fields may be quoted, a quote inside is doubled). */
export function parseCsv(text) {
  const rows = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (!found) throw new BuildError(`the CSV file is broken in row ${rows.length}`);
    const [, quoted, plain, end] = found;
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

/** Rank of every value, ties sharing their mean rank. */
export function ranks(values) {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const result = new Float64Array(values.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin + 1;
    while (end < order.length && values[order[end]] === values[order[begin]]) end++;
    for (let i = begin; i < end; i++) result[order[i]] = (begin + end - 1) / 2;
    begin = end;
  }
  return result;
}

/** Spearman's rank correlation. */
export function spearman(a, b) {
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (a.length - 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) ** 2;
    yy += (y[i] - mean) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

function readPairs(file) {
  const rows = parseCsv(readFileSync(file, 'utf8'));
  const wrong = rows.findIndex((row) => row.length !== 3 || !Number.isFinite(Number(row[2])));
  if (wrong >= 0) throw new BuildError(`${file}: row ${wrong + 1} is not sentence, sentence, number`);
  return { first: rows.map((row) => row[0]), second: rows.map((row) => row[1]), scores: rows.map((row) => Number(row[2])) };
}

/** One model in one precision over all pairs. */
async function measure(folder, precision, pairs) {
  const { Embedder } = await import('pocketbert');
  const start = performance.now();
  const embedder = await Embedder.create({ model: folder, precision });
  try {
    const loaded = performance.now();
    const vectors = await embedder.embed([...pairs.first, ...pairs.second]);
    const count = pairs.first.length;
    const cosines = pairs.first.map((_, i) => Embedder.similarity(vectors.at(i), vectors.at(count + i)));
    const { weights } = await embedder.memory();
    say(`${folder}, ${precision}: loaded in ${((loaded - start) / 1000).toFixed(1)} s, embedded in ${seconds(loaded)}, variant ${embedder.info.variant}`);
    return { vectors, weights, spearman: spearman(cosines, pairs.scores) };
  } finally {
    await embedder.destroy();
  }
}

async function evaluate(name, folder, pairs) {
  const { Embedder } = await import('pocketbert');
  const float32 = await measure(folder, 'float32', pairs);
  const int8 = await measure(folder, 'int8', pairs);
  const cosines = Array.from({ length: float32.vectors.length }, (_, i) =>
    Embedder.similarity(float32.vectors.at(i), int8.vectors.at(i)));
  const sorted = [...cosines].sort((a, b) => a - b);
  return {
    name, float32, int8,
    mean: cosines.reduce((sum, value) => sum + value, 0) / cosines.length,
    low: sorted[Math.floor(sorted.length / 100)],
    min: sorted[0],
  };
}

function tableOf(results, pairs) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    `STS benchmark, ${pairs.scores.length} pairs (${2 * pairs.scores.length} texts):`, '',
    '| model | Spearman float32 | Spearman int8 | cosine int8 to float32: mean | 1st percentile | least | weights float32 | weights int8 |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(({ name, float32, int8, mean, low, min }) => `| ${[
      name, float32.spearman.toFixed(4), int8.spearman.toFixed(4), mean.toFixed(5), low.toFixed(5), min.toFixed(5),
      megabytes(float32.weights), megabytes(int8.weights),
    ].join(' | ')} |`),
  ].join('\n');
}

function writeTable(table) {
  const text = readFileSync(kReadme, 'utf8');
  const [begin, end] = [text.indexOf(kBegin), text.indexOf(kEnd)];
  if (begin < 0 || end < begin) throw new BuildError(`${kReadme} has no place for the table: ${kBegin} … ${kEnd}`);
  writeFileSync(kReadme, `${text.slice(0, begin + kBegin.length)}\n${table}\n${text.slice(end)}`);
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
  const [file, ...models] = positionals;
  if (!file || models.length === 0 || models.some((model) => !model.includes('='))) throw new BuildError(kUsage);
  const pairs = readPairs(file);
  const results = [];
  for (const model of models) {
    const [name, folder] = [model.slice(0, model.indexOf('=')), model.slice(model.indexOf('=') + 1)];
    results.push(await evaluate(name, folder, pairs));
  }
  const table = tableOf(results, pairs);
  console.log(table);
  if (values.write) writeTable(table);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) runMain(main);
