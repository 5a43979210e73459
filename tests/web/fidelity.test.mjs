// The loss that conversion measured in the models that users get, and their vectors against the reference.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Embedder } from 'pocketbert';
import { fetchModel } from '../../models/fetch.mjs';

const kLeastMean = 0.9992;
const kLeast = 0.995;

async function withModel(model, options, use) {
  const embedder = await Embedder.create({ model, ...options });
  try {
    await use(embedder);
  } finally {
    await embedder.destroy();
  }
}

async function checkInt8(model) {
  await withModel(model, {}, async (embedder) => {
    const { precision, fidelity } = embedder.info.model;
    assert.equal(precision, 'int8');
    assert.ok(fidelity.texts >= 64);
    assert.ok(fidelity.cosine.mean >= kLeastMean, `mean ${fidelity.cosine.mean}`);
    assert.ok(fidelity.cosine.min >= kLeast, `least ${fidelity.cosine.min}: ${fidelity.cosine.worst_text}`);
    const { status, message } = await embedder.selfTest();
    assert.equal(status, 'passed', message);
  });
}

/** Texts and vectors (transformers, float32) of the cases that name all-MiniLM-L6-v2. */
function miniLmCases() {
  const { cases } = JSON.parse(readFileSync('tests/cases/hand/embed.json', 'utf8'));
  return cases.filter(({ model }) => model.model === 'all-MiniLM-L6-v2');
}

test('the default model', () => checkInt8('default'));

test('all-MiniLM-L6-v2, int8', async () => {
  const file = await fetchModel('all-MiniLM-L6-v2');
  await checkInt8(file);
  await withModel(file, {}, async (embedder) => {
    for (const { id, input, expect } of miniLmCases()) {
      const vectors = await embedder.embed(input.texts);
      expect.vectors.forEach((vector, i) => assert.ok(Embedder.similarity(vectors.at(i), vector) >= kLeast, `${id} ${i}`));
    }
  });
});

test('all-MiniLM-L6-v2, float32: within 1e-5 of the reference', async () => {
  const folder = await fetchModel('all-MiniLM-L6-v2', { folder: true });
  const cases = miniLmCases();
  assert.ok(cases.length > 0);
  await withModel(folder, { precision: 'float32' }, async (embedder) => {
    for (const { id, input, expect } of cases) {
      const { data } = await embedder.embed(input.texts);
      const worst = Math.max(...expect.vectors.flat().map((value, k) => Math.abs(value - data[k])));
      assert.ok(worst <= 1e-5, `${id}: ${worst}`);
    }
  });
});
