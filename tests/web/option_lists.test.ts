/** Options that are lists: each item is checked, and what the caller does with the list later does not count. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Classifier, Filler, Tagger, type Fills } from 'pocketbert';
import { code, fixtures, ner } from './support/public_api.js';

const any = <Value>(value: unknown): Value => value as Value;
const nli = join(process.cwd(), 'tests/cases-families/hand/fixtures/bert-nli');

/** `the`, and a place without anything. */
const holed = ['the', 'boat'];
delete holed[1];

let filler: Filler;
let tagger: Tagger;
let classifier: Classifier;
before(async () => {
  filler = await Filler.create({ model: join(fixtures, 'mlm') });
  tagger = await Tagger.create({ model: ner });
  classifier = await Classifier.create({ model: nli });
});
after(() => Promise.all([filler, tagger, classifier].map((user) => user.destroy())));

test('a list with holes is refused, and ends no other call', async () => {
  const neighbour = filler.fill(Array.from({ length: 50 }, () => '[MASK]'));
  await assert.rejects(
    filler.fill('[MASK]', { targets: holed }),
    code('invalid_argument', /^targets is of type Array, expected a string or a list of texts$/),
  );
  await assert.rejects(
    tagger.tag('Anna', { ignore_labels: holed }),
    code('invalid_argument', /^ignore_labels is of type Array, expected a list of strings$/),
  );
  await assert.rejects(
    classifier.zeroShot('boat', holed),
    code('invalid_argument', /^label 1 is undefined, expected a string$/),
  );
  assert.equal((await neighbour).length, 50);
});

describe('a list that changes after the call does not change the call', () => {
  const words = (found: Fills): unknown => found.masks.flat().map(({ token_str: word }) => word);

  for (const later of ['old', any<string>(5), any<string>(null)]) {
    test(`to ${JSON.stringify(later)}`, async () => {
      const busy = Array.from({ length: 50 }, () => '[MASK]');
      const targets = ['boat', 'the'];
      const wanted = words(await filler.fill('[MASK]', { targets }));
      const before = filler.fill(busy);
      const filled = filler.fill('[MASK]', { targets });
      targets[0] = later;
      assert.deepEqual(words(await filled), wanted);
      await before;

      const ignored = ['O'];
      const text = 'Anna Smith went to New York';
      const entities = await tagger.tag(text, { ignore_labels: ignored });
      const waiting = tagger.tag('Anna '.repeat(500));
      const tagged = tagger.tag(text, { ignore_labels: ignored });
      ignored.length = 9;
      ignored[0] = later;
      assert.deepEqual(await tagged, entities);
      await waiting;

      const labels = ['river', 'city'];
      const judged = await classifier.zeroShot('boat', labels);
      const again = classifier.zeroShot('boat', labels);
      labels[0] = later;
      assert.deepEqual(await again, judged);
    });
  }
});
