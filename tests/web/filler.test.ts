/** `Filler` in node, with the real engine: shapes, options, errors. Its values are in tests/cases. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Classifier, Filler, pipeline, type Fill } from 'pocketbert';
import { cls, code, enc, fixtures } from './support/public_api.js';

const mlm = join(fixtures, 'mlm');
const any = <Value>(value: unknown): Value => value as Value;

let filler: Filler;
before(async () => (filler = await Filler.create({ model: mlm })));
after(() => filler.destroy());

describe('fill', () => {
  test('one mask gives a list, several a list of lists; a list of texts one result each', async () => {
    const one = await filler.fill('the old [MASK] was slow');
    assert.equal(one.length, 5);
    assert.deepEqual([one.masks.length, one.truncated, one.notes], [1, false, []]);
    assert.equal(one.tokens, await filler.countTokens('the old [MASK] was slow'));
    const [best] = one.masks[0] ?? [];
    assert.deepEqual(Object.keys(best ?? {}), ['score', 'token', 'token_str', 'sequence']);
    assert.deepEqual(best, one[0]);
    assert.equal(best?.sequence, `the old ${best?.token_str} was slow`);
    const two = await filler.fill('the [MASK] river [MASK].', { top_k: 2 });
    assert.deepEqual(two, Object.assign(any<Fill[]>([...two.masks]), { ...two }));
    assert.deepEqual(
      two.masks.map((words) => words.length),
      [2, 2],
    );
    const list = await filler.fill(['[MASK]', 'the [MASK] river [MASK].'], { top_k: 2 });
    assert.deepEqual(
      list.map(({ masks }) => masks.length),
      [1, 2],
    );
    assert.deepEqual(list[1]?.masks, two.masks);
    assert.deepEqual(await filler.fill([]), []);
  });

  test('targets, as one text or a list; what stands for another is said', async () => {
    const text = 'the old [MASK] was slow';
    const one = await filler.fill(text, { targets: 'boat' });
    assert.deepEqual(
      one.masks[0]?.map(({ token_str: word }) => word),
      ['boat'],
    );
    const more = await filler.fill(text, { targets: ['Boat', 'river', 'boat'] });
    assert.equal(more.length, 2);
    assert.equal(more.notes.length, 1);
    assert.match(more.notes[0] ?? '', /"Boat".*"boat"/);
    await assert.rejects(filler.fill(text, { targets: ['漢'] }), code('invalid_argument', /漢/));
    await assert.rejects(filler.fill(text, { targets: [''] }), code('invalid_argument', /""/));
  });

  test('errors name what was found and what was expected', async () => {
    await assert.rejects(filler.fill('no'), code('invalid_argument', /text 0 .*\[MASK\]/));
    await assert.rejects(
      filler.fill(['[MASK]', 'the <mask>']),
      code('invalid_argument', /text 1 .*\[MASK\]/),
    );
    await assert.rejects(filler.fill(''), code('invalid_argument', /mask/));
    await assert.rejects(filler.fill(any([1])), code('invalid_argument', /text 0 is 1/));
    const wrong: readonly [options: object, message: RegExp][] = [
      [{ top_k: 0 }, /top_k is 0/],
      [{ topk: 1 }, /there is no topk .*top_k/],
      [{ targets: [] }, /targets/],
      [{ targets: [1] }, /targets/],
      [{ maxLength: 99 }, /maxLength is 99/],
    ];
    for (const [options, message] of wrong)
      await assert.rejects(filler.fill('[MASK]', any(options)), code('invalid_argument', message));
    await assert.rejects(Filler.create({ model: enc }), code('unsupported', /masked words/));
    await assert.rejects(Filler.create({ model: cls }), code('unsupported', /masked words/));
    await assert.rejects(Classifier.create({ model: mlm }), code('unsupported', /classifies/));
    const long = `${'boat '.repeat(60)}[MASK]`;
    await assert.rejects(filler.fill(long), code('invalid_argument', /part that is kept/));
    const kept = await filler.fill(long, { truncate: 'start' });
    assert.equal(kept.truncated, true);
    await assert.rejects(filler.fill(long, { truncate: 'error' }), code('too_long'));
  });

  test('calls end as the others: signals, newer calls; progress is told', async () => {
    const texts = Array.from({ length: 200 }, () => 'the old [MASK] was slow');
    const control = new AbortController();
    const aborted = filler.fill(texts, { signal: control.signal });
    control.abort();
    await assert.rejects(aborted, code('aborted'));
    const older = filler.fill(texts, { supersede: true });
    const newer = filler.fill(texts, { supersede: true });
    await assert.rejects(older, code('superseded'));
    assert.equal((await newer).length, 200);
    const told: number[] = [];
    await filler.fill(texts, { onProgress: ({ done }) => told.push(done) });
    assert.ok(told.length > 1 && told.at(-1) === 200, String(told));
  });

  test('what an object tells, and sharing one engine', async () => {
    assert.deepEqual(filler.info.model.tasks, ['embed', 'fill_mask']);
    const other = await Filler.create({ model: filler });
    assert.deepEqual(await other.fill('[MASK]'), await filler.fill('[MASK]'));
    await other.destroy();
  });
});

test('the pipeline has the shapes of transformers.js', async () => {
  const unmask = await pipeline('fill-mask', filler);
  const plain = await unmask('the old [MASK] was slow', { top_k: 2 });
  const { tokens, truncated, masks, ...found } = await filler.fill('the old [MASK] was slow', { top_k: 2 });
  assert.deepEqual({ ...plain }, found);
  assert.deepEqual(Object.keys(plain), ['0', '1', 'notes']);
  assert.deepEqual(plain.notes, []);
  assert.equal(typeof plain[0]?.token_str, 'string');
  const several = await unmask<Fill[]>('the [MASK] river [MASK].', { top_k: 2 });
  assert.deepEqual(
    several.map((words) => words.map(({ token_str: word }) => typeof word)),
    [['string', 'string'], ['string', 'string']],
  );
  const [other] = await unmask(['the old [MASK] was slow'], { targets: ['Boat', 'river'] });
  assert.equal(other?.notes.length, 1);
  assert.match(other?.notes[0] ?? '', /"Boat".*"boat"/);
  const lists = await unmask(['[MASK]', 'boat [MASK]'], { top_k: 3 });
  assert.deepEqual(
    lists.map((list) => list.length),
    [3, 3],
  );
  await assert.rejects(unmask('boat'), code('invalid_argument', /mask/));
  await unmask.dispose();
});
