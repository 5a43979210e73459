// Measures the heads of the default model on labelled texts.
//
//   node models/evaluate_heads.mjs AG_TEST.csv SST2_TEST.tsv [MODEL]
//
// AG_TEST.csv: class 1 to 4, title, body; of its 7,600 articles those that the head was not fitted on are listed by the indices on
// stdin, separated by blanks (the last 1,900 of numpy.random.RandomState(0).permutation(7600)). SST2_TEST.tsv: text, tab, 0 or 1.
// Told are accuracy, macro F1 and expected calibration error (15 bins). MODEL defaults to models/default. Needs `npm run build`.

import { readFileSync } from 'node:fs';
import { BuildError, runMain } from '../web/build/process.mjs';
import { parseCsv } from './evaluate.mjs';

const kUsage = 'usage: node models/evaluate_heads.mjs AG_TEST.csv SST2_TEST.tsv [MODEL] < INDICES';
const kBins = 15;
const kTopics = ['World', 'Sports', 'Business', 'Sci/Tech'];
const kSentiments = ['negative', 'positive'];

/** @typedef {{ text: string, label: string }} Labelled */

function readTopics(file, indices) {
  const rows = parseCsv(readFileSync(file, 'utf8'));
  return indices.map((i) => {
    const [label, title, body] = rows[i] ?? [];
    if (!kTopics[label - 1]) throw new BuildError(`${file}: row ${i + 1} has class ${label}, expected 1 to 4`);
    return { text: `${title}. ${body.replaceAll('\\', ' ')}`, label: kTopics[label - 1] };
  });
}

function readSentiments(file) {
  const rows = readFileSync(file, 'utf8').split('\n').map((line) => line.split('\t'));
  return rows.filter(([, label]) => /^[01]$/.test(label?.trim() ?? '')).map(([text, label]) => ({ text, label: kSentiments[Number(label)] }));
}

/** Mean over the classes of 2 · hits / (predicted + actual). */
function macroF1(labels, predicted, actual) {
  const scores = labels.map((label) => {
    const count = (list) => list.filter((value) => value === label).length;
    const hits = predicted.filter((value, i) => value === label && actual[i] === label).length;
    return (2 * hits) / Math.max(1, count(predicted) + count(actual));
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** Mean distance of confidence and accuracy over bins of equal width, weighted by their sizes. */
function calibrationError(confidences, isRight) {
  const bins = Array.from({ length: kBins }, () => ({ count: 0, confidence: 0, right: 0 }));
  confidences.forEach((confidence, i) => {
    const bin = bins[Math.min(kBins - 1, Math.floor(confidence * kBins))];
    bin.count += 1;
    bin.confidence += confidence;
    bin.right += Number(isRight[i]);
  });
  return bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) / confidences.length;
}

async function evaluateHead(classifier, head, data) {
  const results = await classifier.classify(data.map(({ text }) => text), { head });
  const predicted = results.map((labels) => labels[0].label);
  const actual = data.map(({ label }) => label);
  const isRight = predicted.map((label, i) => label === actual[i]);
  return [
    head, data.length,
    isRight.filter(Boolean).length / data.length,
    macroF1([...new Set(actual)], predicted, actual),
    calibrationError(results.map((labels) => labels[0].score), isRight),
  ];
}

async function main() {
  const [topics, sentiments, model = 'default'] = process.argv.slice(2);
  if (!topics || !sentiments) throw new BuildError(kUsage);
  const indices = readFileSync(0, 'utf8').trim().split(/\s+/).map(Number);
  const { Classifier } = await import('pocketbert');
  const classifier = await Classifier.create({ model });
  console.log('| head | texts | accuracy | macro F1 | calibration error |\n| --- | --- | --- | --- | --- |');
  const tests = [['topics', readTopics(topics, indices)], ['sentiment', readSentiments(sentiments)]];
  for (const [head, data] of tests) {
    const cells = await evaluateHead(classifier, head, data);
    console.log(`| ${cells.map((cell) => (Number.isInteger(cell) || typeof cell === 'string' ? cell : cell.toFixed(4))).join(' | ')} |`);
  }
  await classifier.destroy();
}

runMain(main);
