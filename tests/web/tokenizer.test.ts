/** `Tokenizer` in node, with the real engine. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Tokenizer } from 'pocketbert';
import { code, enc } from './support/public_api.js';

describe('tokenizer', () => {
  let tokenizer: Tokenizer;
  before(async () => {
    const file = await readFile(join(enc, 'tokenizer.json'), 'utf8');
    tokenizer = await Tokenizer.create({ files: { 'tokenizer.json': file } });
  });
  after(() => tokenizer.destroy());

  test('encoding, its names, and back', async () => {
    const text = 'The old boat';
    const encoding = await tokenizer.encode(text);
    assert.deepEqual(encoding.tokens.slice(0, 4), ['[CLS]', 'the', 'old', 'boat']);
    assert.deepEqual(encoding.offsets.slice(0, 4), [
      [0, 0],
      [0, 3],
      [4, 7],
      [8, 12],
    ]);
    assert.equal(await tokenizer.decode(encoding.ids), 'the old boat');
    const [id = -1] = await tokenizer
      .encode('boat', { add_special_tokens: false })
      .then(({ ids }) => [...ids]);
    assert.equal(await tokenizer.tokenToId('boat'), id);
    assert.equal(await tokenizer.idToToken(id), 'boat');
    assert.equal(await tokenizer.tokenToId('no such entry'), undefined);
    assert.equal(await tokenizer.idToToken(1_000_000), undefined);
    const plain = JSON.parse(JSON.stringify(encoding));
    assert.deepEqual(plain.ids, [...encoding.ids]);
    // All lists are made when they are read, once, and all are in the JSON.
    const { toJSON, length, ...lists } = plain;
    assert.deepEqual(Object.keys(lists), [
      'ids',
      'type_ids',
      'attention_mask',
      'special_tokens_mask',
      'word_ids',
      'sequence_ids',
      'overflow',
      'truncated',
      'tokens',
      'offsets',
    ]);
    assert.deepEqual(plain.special_tokens_mask, [1, 0, 0, 0, 1]);
    assert.deepEqual(plain.word_ids, [-1, 0, 1, 2, -1]);
    assert.deepEqual([...encoding.sequence_ids], [-1, 0, 0, 0, -1]);
    assert.deepEqual([...encoding.attention_mask], [1, 1, 1, 1, 1]);
    assert.equal(encoding.length, 5);
    for (const name of ['ids', 'type_ids', 'word_ids', 'overflow', 'tokens', 'offsets'] as const)
      assert.equal(encoding[name], encoding[name]);
    await assert.rejects(tokenizer.decode([1.5]), code('invalid_argument', /1\.5/));
  });

  test('pairs, truncation with windows, padding with a token of its own', async () => {
    const pair = await tokenizer.encode('old boat', { pair: 'new bridge' });
    assert.deepEqual([...pair.type_ids], [0, 0, 0, 0, 1, 1, 1]);
    const windows = await tokenizer.encode('old boat old boat old', {
      truncation: { max_length: 4, stride: 1 },
    });
    assert.ok(windows.truncated);
    assert.deepEqual(
      [windows, ...windows.overflow].map(({ tokens }) => tokens.slice(1, -1).join(' ')),
      ['old boat', 'boat old', 'old boat', 'boat old'],
    );
    const [padded, longest] = await tokenizer.encodeBatch(['old', 'old boat'], {
      padding: { pad_token: '[UNK]' },
    });
    assert.equal(padded?.length, longest?.length);
    assert.deepEqual(padded?.tokens, ['[CLS]', 'old', '[SEP]', '[UNK]']);
    const [odd] = await tokenizer.encodeBatch(['old', 'old boat'], { padding: { pad_id: 2 ** 31 - 1 } });
    assert.deepEqual(odd?.tokens, ['[CLS]', 'old', '[SEP]', '']);
    assert.equal(odd?.ids.at(-1), 2 ** 31 - 1);
    await assert.rejects(
      tokenizer.encode('x', { padding: { pad_token: 'nobody' } }),
      code('invalid_argument', /nobody/),
    );
    assert.deepEqual(await tokenizer.encodeBatch([]), []);
  });

  test('many texts in steps are those of one by one', async () => {
    const texts = Array.from({ length: 3000 }, (_, i) => `${'boat '.repeat(i % 40)} ${i}`);
    const seen: number[] = [];
    const all = await tokenizer.encodeBatch(texts, {
      onProgress: ({ done }) => void seen.push(done),
    });
    assert.ok(seen.length > 1, 'it was one step');
    for (const i of [0, 1, 1234, 2999])
      assert.deepEqual(all[i]?.ids, (await tokenizer.encode(texts[i] ?? '')).ids);
    assert.deepEqual(
      await tokenizer.countTokens(texts),
      all.map(({ length }) => length),
    );
  });

  test('both kinds of source at once are refused', async () => {
    await assert.rejects(Tokenizer.create({ model: enc, files: {} }), code('invalid_argument'));
  });
});
