// The packaged int8 file against what the float32 model gives: ids, vectors and head probabilities
// of 30 texts, computed by torch from the weights that the file was converted from (tests/golden).

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Classifier, Embedder, pipeline } from 'pocketbert';
import { cosine } from '../cases/runner/compare.mjs';

const kGolden = new URL('../golden/default_model.json', import.meta.url);

// Measured on these texts: least cosine 0.99928, mean 0.99962, greatest difference of a probability
// 0.0226. The limits leave a third more distance than that: a change of rounding passes, while sums
// that saturate (0.998 and below) or a lost equalization (mean 0.9994) do not.
const kLeastCosine = 0.999;
const kMeanCosine = 0.9995;
// One score is 0.0308 from its float32 value; the mean holds all of them near.
const kProbability = 0.031;
const kMeanProbability = 0.006;

const kLabels = {
  topics: ['World', 'Sports', 'Business', 'Sci/Tech'],
  sentiment: ['negative', 'positive'],
};

let items;
let embedder;
let classifier;

before(async () => {
  ({ items } = JSON.parse(await readFile(kGolden, 'utf8')));
  embedder = await Embedder.create();
  classifier = await Classifier.create({ model: embedder });
});

after(async () => {
  await classifier?.destroy();
  await embedder?.destroy();
});

test('token ids are those of the reference', async () => {
  for (const { text, ids } of items) {
    const encoding = await embedder.tokenize(text, {
      truncation: { max_length: embedder.info.model.maxTokens },
    });
    assert.deepEqual(Array.from(encoding.ids), ids, JSON.stringify(text));
  }
});

test('vectors are near those of float32', async () => {
  const vectors = await embedder.embed(items.map(({ text }) => text));
  const cosines = items.map(({ vector }, i) => cosine(vectors.at(i), vector));
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  const worst = cosines.indexOf(Math.min(...cosines));
  assert.ok(
    cosines[worst] >= kLeastCosine,
    `cosine ${cosines[worst]} of ${JSON.stringify(items[worst].text)}`,
  );
  assert.ok(mean >= kMeanCosine, `mean cosine ${mean}`);
});

for (const [head, labels] of Object.entries(kLabels)) {
  test(`probabilities of the head ${head} are near those of float32`, async () => {
    const results = await classifier.classify(
      items.map(({ text }) => text),
      { head },
    );
    let sum = 0;
    items.forEach((item, i) => {
      assert.deepEqual(results[i].map(({ label }) => label).toSorted(), labels.toSorted());
      labels.forEach((label, k) => {
        const { score } = results[i].find((one) => one.label === label);
        const apart = Math.abs(score - item[head][k]);
        sum += apart;
        assert.ok(
          apart <= kProbability,
          `${JSON.stringify(item.text)}: ${label} is ${score}, expected ${item[head][k]}`,
        );
      });
    });
    const mean = sum / (items.length * labels.length);
    assert.ok(mean <= kMeanProbability, `${mean} on average`);
  });
}

test('a model in one file has no weights to choose', () =>
  assert.rejects(Embedder.create({ weights: 'onnx/model.onnx' }), {
    code: 'invalid_argument',
    message: /^weights is "onnx\/model\.onnx", expected none: .* is one file/,
  }));

test('several heads are no guess; sentiment-analysis means the one of that name', async () => {
  await assert.rejects(classifier.classify('fine'), {
    code: 'invalid_argument',
    message: /sentiment, topics/,
  });
  const classify = await pipeline('sentiment-analysis', classifier);
  assert.deepEqual(await classify('fine'), [
    ...(await classifier.classify('fine', { head: 'sentiment', top_k: 1 })),
  ]);
  await classify.dispose();
});
