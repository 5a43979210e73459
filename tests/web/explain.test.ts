/** What words do to a label, as leaving them out by hand shows. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Classifier, type ClassifyOptions } from 'pocketbert';
import { cls, code, fixtures } from './support/public_api.js';

/** What types would refuse. */
const any = <Value>(value: unknown): Value => value as Value;

const text = '🚣 The old river-boats, slow.';

let classifier: Classifier;
before(async () => {
  classifier = await Classifier.create({ model: cls });
});
after(() => classifier.destroy());

/** Score of a label. */
async function scoreOf(item: string | { text: string; pair: string }, label: string): Promise<number> {
  const found = await classifier.classify(item);
  return found.find((one) => one.label === label)?.score ?? NaN;
}

describe('explain', () => {
  test('is the score less that without the word', async () => {
    const found = await classifier.classify(text, { explain: true });
    const { explanation } = found;
    assert.ok(explanation);
    assert.deepEqual([explanation.label, explanation.score], [found[0]?.label, found[0]?.score]);
    assert.deepEqual(
      explanation.words.map((word) => word.text),
      ['🚣', 'The', 'old', 'river', '-', 'boats', ',', 'slow', '.'],
    );
    for (const { start, end, text: word, score, of } of explanation.words) {
      assert.equal(text.slice(start, end), word);
      assert.equal(of, 'text');
      const without = await scoreOf(`${text.slice(0, start)} ${text.slice(end)}`, explanation.label);
      assert.equal(score, explanation.score - without, word);
    }
    assert.ok(explanation.words.some(({ score }) => score !== 0));
  });

  test('for a label that is named, with whatever else is asked for', async () => {
    const options = { explain: 'good', top_k: 1, threshold: 0.9 } as const;
    const found = await classifier.classify(text, options);
    const { explanation } = found;
    assert.equal(explanation?.label, 'good');
    assert.equal(explanation?.score, await scoreOf(text, 'good'));
    assert.equal(found.length <= 1, true);
    const raw = await classifier.classify(text, { explain: 'good', activation: 'none' });
    const [all] = await classifier.classify([text], { activation: 'none' });
    assert.equal(raw.explanation?.score, all?.find(({ label }) => label === 'good')?.score);
  });

  test('of pairs, and of a list as of each alone', async () => {
    const pair = { text: 'The old boat', pair: 'Sail on!' };
    const list = [pair, 'boat', { text: '' }];
    const all = await classifier.classify(list, { explain: 'bad' });
    for (const [i, one] of list.entries())
      assert.deepEqual(all[i], await classifier.classify(one, { explain: 'bad' }));
    const words = all[0]?.explanation?.words ?? [];
    assert.deepEqual(
      words.map(({ of, text: word }) => `${of} ${word}`),
      ['text The', 'text old', 'text boat', 'pair Sail', 'pair on', 'pair !'],
    );
    const [, , , sail] = words;
    const without = await scoreOf({ ...pair, pair: '  on!' }, 'bad');
    assert.equal(sail?.score, (all[0]?.explanation?.score ?? NaN) - without);
    assert.deepEqual(all[2]?.explanation?.words, []);
    assert.deepEqual(await classifier.classify([], { explain: true }), []);
  });

  test('words of a tokenizer that counts blanks in', async () => {
    const model = join(fixtures, '../../../cases-families/hand/fixtures/roberta-cls');
    const roberta = await Classifier.create({ model });
    const { explanation } = await roberta.classify(' The  old boat, slow', { explain: true });
    assert.deepEqual(explanation?.words.map((word) => word.text), ['The', 'old', 'boat', ',', 'slow']);
    await roberta.destroy();
  });

  test('not asked for: no explanation', async () => {
    assert.equal('explanation' in (await classifier.classify(text, { explain: false })), false);
    assert.equal('explanation' in (await classifier.classify(text)), false);
  });

  test('errors, and how calls end', async () => {
    const wrong: readonly [explain: unknown, message: RegExp][] = [
      ['best', /explain is "best", expected true or bad or so-so or good/],
      [1, /explain is 1, expected a boolean or a string/],
      [null, /explain is null/],
    ];
    for (const [explain, message] of wrong)
      await assert.rejects(
        classifier.classify(text, any<ClassifyOptions>({ explain })),
        code('invalid_argument', message),
      );
    await assert.rejects(
      classifier.classify(['boat', 'boat '.repeat(513)], { explain: true }),
      code('too_long', /text 1 has 513 words, expected at most 512/),
    );
    const older = classifier.classify(text, { explain: true, supersede: true });
    const newer = classifier.classify(text, { supersede: true });
    await assert.rejects(older, code('superseded'));
    assert.equal((await newer).length, 3);
    const told: number[] = [];
    const onProgress = ({ done }: { done: number }): void => void told.push(done);
    await classifier.classify([text, text], { explain: true, onProgress });
    assert.equal(told.at(-1), 2);
    assert.deepEqual([...told].sort((a, b) => a - b), told);
  });
});
