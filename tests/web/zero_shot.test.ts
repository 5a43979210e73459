/** Zero-shot classification, and the labels that fit, in node with the real engine. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Classifier, pipeline } from 'pocketbert';
import { cls, code, fixtures } from './support/public_api.js';

const any = <Value>(value: unknown): Value => value as Value;
const nli = join(process.cwd(), 'tests/cases-families/hand/fixtures/bert-nli');
const text = 'The old river boat was slow.';
const labels = ['river', 'city', 'very bad'];

let classifier: Classifier;
before(async () => (classifier = await Classifier.create({ model: nli })));
after(() => classifier.destroy());

describe('zeroShot', () => {
  test('labels best first, of one text or of a list', async () => {
    const one = await classifier.zeroShot(text, labels);
    assert.deepEqual(one.map(({ label }) => label).sort(), [...labels].sort());
    assert.ok(Math.abs(one.reduce((sum, { score }) => sum + score, 0) - 1) < 1e-6);
    for (const [i, { score }] of one.entries()) assert.ok(score <= (one[i - 1]?.score ?? 1));
    assert.deepEqual([one.entailment, one.truncated], ['entailment', false]);
    const pairs = labels.map((label) => ({ text, pair: `This example is ${label}.` }));
    const counts = await classifier.countTokens(pairs);
    assert.equal(one.tokens, counts.reduce((sum, count) => sum + count, 0));
    const two = await classifier.zeroShot(['boat', text], labels);
    assert.deepEqual(two[1], one);
    assert.deepEqual(await classifier.zeroShot([], labels), []);
    const told: number[] = [];
    await classifier.zeroShot(Array.from({ length: 50 }, () => text), labels, {
      onProgress: ({ done, total }) => {
        assert.equal(total, 50);
        told.push(done);
      },
    });
    assert.equal(told.at(-1), 50);
  });

  test('a label for itself scores the same beside others; of one label it is always so', async () => {
    const each = await classifier.zeroShot(text, labels, { multi_label: true });
    const alone = await classifier.zeroShot(text, ['river']);
    assert.deepEqual(alone[0], each.find(({ label }) => label === 'river'));
  });

  test('labels go into the template as they are', async () => {
    const each = { multi_label: true };
    const odd = await classifier.zeroShot(text, ['$& river'], {
      ...each,
      hypothesis_template: '{}, {}',
    });
    const plain = await classifier.zeroShot(text, ['river'], {
      ...each,
      hypothesis_template: '$& {}, $& {}',
    });
    assert.deepEqual([odd[0]?.label, odd[0]?.score], ['$& river', plain[0]?.score]);
  });

  test('abstain and threshold', async () => {
    const all = await classifier.zeroShot(text, labels);
    const best = all[0]?.score ?? 0;
    const unsure = await classifier.zeroShot(text, labels, { abstain: best + 0.01 });
    assert.deepEqual([unsure.length, unsure.abstained], [0, true]);
    const sure = await classifier.zeroShot(text, labels, { abstain: best - 0.01 });
    assert.deepEqual([...sure], [...all]);
    assert.equal(sure.abstained, false);
    const some = await classifier.zeroShot(text, labels, { threshold: best });
    assert.deepEqual([...some], all.slice(0, 1));
  });

  test('errors', async () => {
    const rejected = (options: object, message: RegExp): Promise<void> =>
      assert.rejects(
        classifier.zeroShot(text, labels, any(options)),
        code('invalid_argument', message),
      );
    await rejected({ hypothesis_template: 'no place' }, /hypothesis_template is "no place"/);
    await rejected({ template: '{}' }, /hypothesis_template/);
    await rejected({ multi_label: 1 }, /multi_label is 1/);
    await rejected({ threshold: NaN }, /threshold is NaN/);
    await rejected({ head: 'x' }, /head is "x"/);
    await assert.rejects(classifier.zeroShot(text, []), code('invalid_argument', /labels/));
    await assert.rejects(classifier.zeroShot(text, any([1])), code('invalid_argument', /label 0/));
    await assert.rejects(classifier.zeroShot(text, any('a')), code('invalid_argument', /a list/));
    const rank = await Classifier.create({ model: join(fixtures, 'rank') });
    await assert.rejects(rank.zeroShot(text, labels), code('unsupported', /entailment/));
    await rank.destroy();
  });

  test('a head that knows no entailment: its last label is taken, and the result says so', async () => {
    assert.deepEqual((await classifier.zeroShot(text, labels)).notes, []);
    const topics = await Classifier.create({ model: cls });
    const names = topics.info.model.heads[0]?.labels ?? [];
    const found = await topics.zeroShot([text, 'boat'], labels);
    for (const { entailment, notes } of found) {
      assert.equal(entailment, names.at(-1));
      assert.equal(notes.length, 1);
      assert.ok(notes[0]?.includes(`(${names.join(', ')}) begins with "entail", so ${entailment}`), notes[0]);
    }
    const classify = await pipeline('zero-shot-classification', topics);
    assert.deepEqual((await classify(text, labels)).notes, found[0]?.notes);
    assert.equal('notes' in (await (await pipeline('zero-shot-classification', classifier))(text, labels)), false);
    await topics.destroy();
  });

  test('the pipeline has the shapes of transformers.js', async () => {
    const classify = await pipeline('zero-shot-classification', classifier);
    const best = await classifier.zeroShot(text, labels);
    const expected = {
      sequence: text,
      labels: best.map(({ label }) => label),
      scores: best.map(({ score }) => score),
    };
    assert.deepEqual(await classify(text, labels), expected);
    assert.deepEqual(await classify([text], labels), [expected]);
    assert.deepEqual((await classify(text, 'river', { multi_label: true })).labels, ['river']);
    await assert.rejects(
      classify(text, labels, any({ multiLabel: true })),
      code('invalid_argument', /multi_label/),
    );
    await classify.dispose();
  });
});

test('classify: abstain and threshold', async () => {
  const three = await Classifier.create({ model: cls });
  const all = await three.classify(text);
  const [first, second] = all;
  const best = first?.score ?? 0;
  const unsure = await three.classify(text, { abstain: best + 0.01 });
  assert.deepEqual([unsure.length, unsure.abstained, unsure.tokens], [0, true, all.tokens]);
  const sure = await three.classify([text], { abstain: best });
  assert.deepEqual([...(sure[0] ?? [])], [...all]);
  assert.equal(all.abstained, undefined);
  const fitting = await three.classify(text, { threshold: second?.score ?? 0 });
  assert.deepEqual([...fitting], all.slice(0, 2));
  assert.deepEqual([...(await three.classify(text, { threshold: 2 }))], []);
  await assert.rejects(
    three.classify(text, any({ abstain: '0.5' })),
    code('invalid_argument', /abstain is "0.5"/),
  );
  await three.destroy();
});
