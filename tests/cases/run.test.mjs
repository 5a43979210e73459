// The runner must be able to fail: expectations altered in a temporary copy are to be reported,
// each by its case, and the counts must add up.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { cosine, compareLabels, compareVectors, greatestDifference } from './runner/compare.mjs';

const kRunner = fileURLToPath(new URL('run.mjs', import.meta.url));
const kHand = fileURLToPath(new URL('hand', import.meta.url));

/** Runs the runner on a folder. */
function run(...args) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [kRunner, ...args],
      { maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const lines = stdout.trimEnd().split('\n');
        const failed = lines
          .filter((line) => line.startsWith('FAILED '))
          .map((line) => line.split(/[ :]/)[2]);
        resolve({ code: error?.code ?? 0, closing: lines.at(-1), failed, stdout, stderr });
      },
    );
  });
}

/**
 * Alterations of sound cases: kind, case, and what is done to `expect` (and the rest of the case).
 * Each must turn the case into a failure.
 */
const kAlterations = [
  ['tokenize', 'tok-greedy-fail-h', 'a wrong id', (c) => (c.expect.encodings[0].ids[2] += 1)],
  [
    'tokenize',
    'tok-cont-only-h',
    'a wrong offset',
    (c) => (c.expect.encodings[0].offsets[1][1] += 1),
  ],
  ['tokenize', 'tok-added-h', 'a wrong token', (c) => (c.expect.encodings[0].tokens[1] = 'thy')],
  [
    'tokenize',
    'tok-decomposed-cased-h',
    'one token more',
    (c) => c.expect.encodings[0].ids.push(3),
  ],
  ['tokenize', 'tok-proto-h', 'a wrong type id', (c) => (c.expect.encodings[0].type_ids[1] = 1)],
  [
    'tokenize',
    'tok-no-chinese-h',
    'a wrong mask',
    (c) => (c.expect.encodings[0].special_tokens_mask[0] = 0),
  ],
  [
    'tokenize',
    'tok-vocab-txt-h',
    'an error expected but none',
    (c) => (c.expect = { error: { any: ['vocab'] } }),
  ],
  [
    'tokenize',
    'tok-table-age-h',
    'a window expected but none',
    (c) => (c.expect.encodings[0].overflow = [{ ...c.expect.encodings[0] }]),
  ],
  [
    'embed',
    'emb-cls-h',
    'a wrong component',
    (c) => (c.expect.vectors[0][5] += 2.5 * c.expect.abs),
  ],
  [
    'embed',
    'emb-empty-h',
    'alone is to equal the batch more than exactly',
    (c) => (c.expect.same_as_single = -1),
  ],
  ['embed', 'emb-int8-h', 'a cosine above what int8 gives', (c) => (c.expect.min_cos = 1.0001)],
  ['embed', 'emb-names-h', 'one vector less', (c) => c.input.texts.push('boat')],
  [
    'classify',
    'cls-softmax-h',
    'a wrong score',
    (c) => (c.expect.results[0][0].score -= 3 * c.expect.abs),
  ],
  [
    'classify',
    'cls-label-order-h',
    'two labels changed over',
    (c) => swapLabels(c.expect.results[0]),
  ],
  ['classify', 'cls-distil-h', 'a missing label', (c) => c.expect.results[0].pop()],
  ['ner', 'ner-utf16-h', 'a wrong end', (c) => (c.expect.entities[0].end -= 1)],
  ['ner', 'ner-none-h', 'a wrong token', (c) => (c.expect.entities[2].token = 'son')],
  ['ner', 'ner-first-h', 'a wrong score', (c) => (c.expect.entities[1].score += 0.003)],
  ['qa', 'qa-utf16-h', 'a wrong answer', (c) => (c.expect.answers[0].answer = 'Stone')],
  ['qa', 'qa-top-k-h', 'one answer less', (c) => c.expect.answers.pop()],
  ['fill-mask', 'mask-one-h', 'a wrong id', (c) => (c.expect.masks[0][1].id += 1)],
  [
    'fill-mask',
    'mask-two-h',
    'a wrong score',
    (c) => (c.expect.masks[1][0].score += 3 * c.expect.abs),
  ],
  ['fill-mask', 'mask-targets-h', 'a word less', (c) => c.expect.masks[0].pop()],
  [
    'load-error',
    'err-dtype-h',
    'a word that is not in the message',
    (c) => (c.expect.error.any = ['blancmange']),
  ],
  ['load-error', 'err-config-heads-h', 'a sound source', (c) => (c.files = {})],
];

/** Cases left as they are, beside the altered ones. */
const kSound = [
  ['tokenize', 'tok-only-second-short-h'],
  ['embed', 'emb-act-gelu-h'],
  ['classify', 'cls-batch-h'],
  ['ner', 'ner-max-h'],
  ['qa', 'qa-empty-context-h'],
  ['fill-mask', 'mask-missing-h'],
  ['load-error', 'err-labels-h'],
];

function swapLabels(labels) {
  [labels[0].label, labels[1].label] = [labels[1].label, labels[0].label];
}

/** Writes a half that holds the chosen cases only, changed or not. */
async function writeHalf(folder, change) {
  await mkdir(folder, { recursive: true });
  await cp(join(kHand, 'fixtures'), join(folder, 'fixtures'), { recursive: true });
  const chosen = [...kAlterations, ...kSound];
  for (const kind of new Set(chosen.map(([name]) => name))) {
    const content = JSON.parse(await readFile(join(kHand, `${kind}.json`), 'utf8'));
    content.cases = content.cases.filter(({ id }) => chosen.some(([, other]) => other === id));
    for (const testCase of content.cases) usesNoRealModel(testCase);
    if (change) for (const testCase of content.cases) alter(testCase);
    await writeFile(join(folder, `${kind}.json`), JSON.stringify(content));
  }
}

/** `tok-only-second-short-h` names MiniLM; any tokenizer serves here, and none need be fetched. */
function usesNoRealModel(testCase) {
  if (typeof testCase.tokenizer === 'object') testCase.tokenizer = '#proto';
}

function alter(testCase) {
  const [, , , change] = kAlterations.find(([, id]) => id === testCase.id) ?? [];
  change?.(testCase);
}

describe('the runner', () => {
  let folder;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'pocketbert-cases-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  test('passes what is sound', async () => {
    await writeHalf(join(folder, 'sound'), false);
    const result = await run(join(folder, 'sound'));
    assert.equal(
      result.closing,
      `${kAlterations.length + kSound.length} passed, 0 failed, 0 skipped`,
      result.stdout + result.stderr,
    );
    assert.equal(result.code, 0);
  });

  test('reports each altered case, and no other', async () => {
    await writeHalf(join(folder, 'altered'), true);
    const result = await run(join(folder, 'altered'));
    const altered = kAlterations.map(([, id]) => id);
    assert.deepEqual(result.failed.toSorted(), altered.toSorted(), result.stdout + result.stderr);
    assert.equal(result.closing, `${kSound.length} passed, ${altered.length} failed, 0 skipped`);
    assert.equal(result.code, 1);
  });

  test('plays only the kinds asked for, and skips by name what it does not know', async () => {
    const half = join(folder, 'kinds');
    await writeHalf(half, true);
    const riddles = JSON.parse(await readFile(join(kHand, 'ner.json'), 'utf8'));
    const { cases } = riddles;
    await writeFile(join(half, 'riddle.json'), JSON.stringify({ ...riddles, kind: 'riddle' }));
    const result = await run(half, '--kind', 'riddle', '--kind', 'classify');
    const failed = kAlterations.filter(([kind]) => kind === 'classify').map(([, id]) => id);
    assert.deepEqual(result.failed.toSorted(), failed.toSorted(), result.stdout + result.stderr);
    assert.equal(result.closing, `1 passed, ${failed.length} failed, ${cases.length} skipped`);
    assert.match(result.stdout, /^skipped: riddle .*knows no kind riddle$/m);
  });

  test('plays fuzz lines with the tokenizer beside them', async () => {
    const fuzz = join(folder, 'fuzz');
    await mkdir(fuzz);
    const { tokenizers } = JSON.parse(await readFile(join(kHand, 'tokenize.json'), 'utf8'));
    await writeFile(
      join(fuzz, 'greedy.tokenizer.json.gz'),
      gzipSync(JSON.stringify(tokenizers.greedy)),
    );
    const line = {
      t: 'returned oldest',
      ids: [2, 9, 6, 7, 12, 15, 3],
      off: [0, 0, 0, 2, 2, 6, 6, 8, 9, 12, 12, 15, 0, 0],
    };
    const wrongId = { ...line, ids: line.ids.with(1, 5) };
    const wrongOffset = { ...line, off: line.off.with(3, 3) };
    const idsOnly = { ...wrongOffset, q: 1 };
    const text = [line, wrongId, wrongOffset, idsOnly]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join('');
    await writeFile(join(fuzz, 'greedy-hand.jsonl.gz'), gzipSync(text));
    await writeFile(join(fuzz, 'other-hand.jsonl.gz'), gzipSync(text));
    const result = await run(fuzz);
    assert.equal(result.closing, '2 passed, 2 failed, 4 skipped', result.stdout + result.stderr);
    assert.match(result.stdout, /^FAILED fuzz fuzz\/greedy-hand:2$/m);
    assert.match(result.stdout, /^FAILED fuzz fuzz\/greedy-hand:3$/m);
  });

  test('does not take an empty folder for success', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const result = await run(empty);
    assert.equal(result.closing, '0 passed, 0 failed, 0 skipped');
    assert.equal(result.code, 1);
  });
});

describe('comparing', () => {
  test('NaN and a missing component are as far apart as can be', () => {
    assert.equal(greatestDifference([1, NaN, 2], [1, 1, 2]), Infinity);
    assert.equal(greatestDifference([1, 2], [1, 2, 3]), Infinity);
    assert.equal(greatestDifference([1, 2.5], [1, 2]), 0.5);
    assert.ok(Number.isNaN(cosine([0, 0], [1, 2])));
    assert.equal(compareVectors([[NaN, 1]], [[1, 1]], { abs: 1 }).length, 1);
    assert.equal(compareVectors([[0, 0]], [[1, 1]], { abs: null, min_cos: 0.1 }).length, 1);
  });

  test('labels as good as tied may stand in either order, others not', () => {
    const list = (...scores) => [scores.map(([label, score]) => ({ label, score }))];
    const expected = list(['a', 0.5], ['b', 0.4999], ['c', 0.0001]);
    assert.deepEqual(
      compareLabels(list(['b', 0.49995], ['a', 0.49994], ['c', 0.0001]), expected, 0.0001),
      [],
    );
    assert.equal(
      compareLabels(list(['c', 0.0001], ['a', 0.5], ['b', 0.4999]), expected, 0.0001).length,
      1,
    );
    assert.equal(compareLabels(list(['a', 0.5], ['b', 0.4999]), expected, 0.0001).length, 1);
  });
});
