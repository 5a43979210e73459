// Same text, same bits, in node: whatever the batch, the order, the steps, the threads and the
// variant.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { measureInNode, readGolden } from './bits/golden.mjs';
import { measure, partNames, settings } from './bits/measure.mjs';
import { assertGoldenBits } from './bits/verdict.mjs';

const kVariants = ['simd', 'relaxed', 'relaxed-mt'];

test('every variant in node gives the golden bits', { timeout: 600_000 }, async () => {
  await assertGoldenBits('node', await measureInNode(), kVariants);
});

/** Stands in for the package: a vector of the text's length, and of `leak(list, index)`. */
function packageThatLeaks(leak) {
  const vector = (list, i) => {
    const text = list[i].text ?? list[i];
    return Float32Array.of(text.length, leak(list, i));
  };
  const object = {
    embed: async (texts) =>
      typeof texts === 'string' ? vector([texts], 0) : texts.map((_, i) => vector(texts, i)),
    classify: async (items) => {
      const labels = (list, i) => [
        { label: 'b', score: vector(list, i)[0] },
        { label: 'a', score: vector(list, i)[1] },
      ];
      return Array.isArray(items) ? items.map((_, i) => labels(items, i)) : labels([items], 0);
    },
    destroy: () => {},
  };
  const Class = { create: async () => object };
  return { Embedder: Class, Classifier: Class };
}

describe('the measurement can fail', () => {
  const setting = settings[0];

  test('a result that depends on the text alone has no differences', async () => {
    const { differences } = await measure(
      packageThatLeaks(() => 1),
      {},
      setting,
    );
    assert.deepEqual(differences, []);
  });

  test('a result that depends on the batch is found in each part, alone', async () => {
    const { differences } = await measure(
      packageThatLeaks((list) => list.length),
      {},
      setting,
    );
    assert.equal(
      differences.filter((line) => line.includes(' alone ')).length,
      partNames.length,
      differences.join('\n'),
    );
  });

  test('a result that depends on the neighbour is found in each part, shuffled', async () => {
    const neighbour = (list, i) => (list[i + 1]?.text ?? list[i + 1] ?? '').length;
    const { differences } = await measure(packageThatLeaks(neighbour), {}, setting);
    assert.equal(
      differences.filter((line) => line.includes(' shuffled ')).length,
      partNames.length,
      differences.join('\n'),
    );
  });

  test('other bits than the golden, a refused variant and an unexpected one are not accepted', async () => {
    const golden = await readGolden();
    const result = { ...golden, differences: [] };
    const all = settings.map((one) => ({ setting: one, result }));
    await assertGoldenBits('a host', all, kVariants);
    const spoilt = { ...result, parts: { ...result.parts, 'float32.pairs': '0' } };
    await assert.rejects(
      assertGoldenBits('a host', all.with(1, { setting: settings[1], result: spoilt }), kVariants),
      /float32\.pairs/,
    );
    await assert.rejects(
      assertGoldenBits('a host', all.with(1, { setting: settings[1], refused: 'no' }), kVariants),
      /relaxed/,
    );
    await assert.rejects(assertGoldenBits('a host', all, ['simd']), /expected it to be refused/);
    await assert.rejects(assertGoldenBits('a host', all.slice(1), kVariants), /a host/);
  });
});
