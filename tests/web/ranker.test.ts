/** `Ranker` in node, with the real engine: order, early results, options, errors. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Classifier, Ranker, type Ranked } from 'pocketbert';
import { cls, code, enc, fixtures } from './support/public_api.js';

const any = <Value>(value: unknown): Value => value as Value;
const query = 'The old river boat was slow.';
const words = ['Sail on!', 'A new stone bridge by the mill', 'boat', '', 'one day and one night'];

let ranker: Ranker;
let classifier: Classifier;
before(async () => {
  ranker = await Ranker.create({ model: join(fixtures, 'rank') });
  classifier = await Classifier.create({ model: ranker });
});
after(() => Promise.all([ranker.destroy(), classifier.destroy()]));

describe('rank', () => {
  test('is what classifying each pair gives, best first', async () => {
    for (const activation of ['sigmoid', 'none'] as const) {
      const expected: Ranked[] = [];
      for (const [corpus_id, pair] of words.entries()) {
        const [only] = await classifier.classify({ text: query, pair }, { activation });
        expected.push({ corpus_id, score: only?.score ?? NaN });
      }
      expected.sort((a, b) => b.score - a.score);
      const found = await ranker.rank(query, words, { activation });
      assert.deepEqual([...found], expected);
      assert.deepEqual(found.truncated, []);
      if (activation === 'sigmoid') assert.deepEqual(await ranker.rank(query, words), found);
      assert.deepEqual([...(await ranker.rank(query, words, { activation, top_k: 2 }))], expected.slice(0, 2));
    }
  });

  test('texts of documents on request; those that were cut are named', async () => {
    const documents = ['boat', 'boat '.repeat(100), 'Sail on!'];
    const found = await ranker.rank(query, documents, { return_documents: true });
    assert.deepEqual(
      found.map(({ text }) => text),
      found.map(({ corpus_id: id }) => documents[id]),
    );
    assert.deepEqual(found.truncated, [1]);
    await assert.rejects(ranker.rank(query, documents, { truncate: 'error' }), code('too_long'));
    assert.deepEqual([...(await ranker.rank(query, []))], []);
  });

  test('many documents: early results, short ones first, the same scores as alone', async () => {
    const documents = Array.from({ length: 300 }, (_, i) => 'boat '.repeat((i * 7) % 20).trim());
    const early: Ranked[] = [];
    const told: number[] = [];
    const found = await ranker.rank(query, documents, {
      onResult: (result) => early.push(result),
      onProgress: ({ done, total }) => {
        assert.equal(total, 300);
        told.push(done);
      },
    });
    assert.equal(early.length, 300);
    assert.deepEqual([...told].sort((a, b) => a - b), told);
    assert.equal(told.at(-1), 300);
    const lengths = early.map(({ corpus_id: id }) => documents[id]?.length ?? 0);
    assert.deepEqual([...lengths].sort((a, b) => a - b), lengths);
    for (const { corpus_id: id, score } of found.slice(0, 20)) {
      const [alone] = await ranker.rank(query, [documents[id] ?? '']);
      assert.equal(alone?.score, score);
    }
    const order = found.map(({ score, corpus_id: id }) => [score, id] as const);
    for (const [i, [score, id]] of order.entries()) {
      const [before, idBefore] = order[i - 1] ?? [Infinity, -1];
      assert.ok(before > score || (before === score && idBefore < id));
    }
    const stop = new Error('enough');
    const throwing = ranker.rank(query, documents, {
      onResult: () => {
        throw stop;
      },
    });
    await assert.rejects(throwing, stop);
    const older = ranker.rank(query, documents, { supersede: 'a' });
    const newer = ranker.rank(query, documents, { supersede: 'a' });
    await assert.rejects(older, code('superseded'));
    assert.equal((await newer).length, 300);
  });

  test('errors name the document as it was given', async () => {
    const documents = ['boat '.repeat(100), ...Array.from({ length: 100 }, () => 'boat')];
    await assert.rejects(
      ranker.rank(query, documents, { truncate: 'error' }),
      code('too_long', /^document 0: /),
    );
  });

  test('nothing is told any more once the call has ended, also by `onResult` itself', async () => {
    const documents = Array.from({ length: 70 }, () => 'boat');
    const control = new AbortController();
    const other = await Ranker.create({ model: ranker });
    const ends: readonly [expected: string, end: () => unknown][] = [
      ['aborted', () => control.abort()],
      ['superseded', () => void ranker.rank(query, [], { supersede: 'b' })],
      ['destroyed', () => other.destroy()],
    ];
    for (const [expected, end] of ends) {
      let told = 0;
      const user = expected === 'destroyed' ? other : ranker;
      const call = user.rank(query, documents, {
        signal: expected === 'aborted' ? control.signal : undefined,
        supersede: 'b',
        onResult: () => {
          told += 1;
          if (told === 3) end();
        },
      });
      await assert.rejects(call, code(expected));
      assert.equal(told, 3, expected);
    }
  });

  test('a head of several labels ranks by the one that is named', async () => {
    const many = await Ranker.create({ model: cls });
    await assert.rejects(many.rank(query, words), code('invalid_argument', /bad.*\{ label \}/));
    await assert.rejects(
      many.rank(query, words, { label: 'best' }),
      code('invalid_argument', /label is "best"/),
    );
    await assert.rejects(
      ranker.rank(query, words, { activation: 'softmax' }),
      code('invalid_argument', /activation is "softmax", expected sigmoid or none/),
    );
    const logits = await many.rank(query, words, { label: 'bad' });
    const shares = await many.rank(query, words, { label: 'bad', activation: 'softmax' });
    assert.ok(logits.some(({ score }) => score > 1 || score < 0));
    assert.ok(shares.every(({ score }) => score > 0 && score < 1));
    await many.destroy();
  });

  test('of several heads, the label is one of the head that is named', async () => {
    const many = await Ranker.create();
    for (const options of [{ head: 'sentiment', label: 'World' }, { head: 'sentiment', label: '' }])
      await assert.rejects(
        many.rank(query, words, options),
        code('invalid_argument', /^label is "(World)?", expected negative or positive$/),
      );
    await assert.rejects(
      many.rank(query, words, { label: 'World' }),
      code('invalid_argument', /^head is undefined, expected .*sentiment/),
    );
    const found = await many.rank(query, words, { head: 'topics', label: 'World' });
    assert.equal(found.length, words.length);
    await many.destroy();
  });

  test('errors', async () => {
    await assert.rejects(ranker.rank(any(1), words), code('invalid_argument', /the query is 1/));
    await assert.rejects(ranker.rank(query, any('x y')), code('invalid_argument', /documents/));
    await assert.rejects(ranker.rank(query, any([1])), code('invalid_argument', /document 0 is 1/));
    await assert.rejects(ranker.rank(query, words, { top_k: 0 }), code('invalid_argument', /top_k/));
    await assert.rejects(
      ranker.rank(query, words, any({ returnDocuments: true })),
      code('invalid_argument', /return_documents/),
    );
    await assert.rejects(Ranker.create({ model: enc }), code('unsupported', /pairs/));
  });
});
