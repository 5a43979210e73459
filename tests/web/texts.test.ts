/** Texts in one block, and long lists in parts. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { packTexts } from '../../web/src/core/texts.js';
import { partsOf, stepsOf } from '../../web/src/worker/slices.js';

const none = 0xffffffff;

/** What the block says, text by text. */
function textsIn({ bytes, ends }: ReturnType<typeof packTexts>): (string | undefined)[] {
  let at = 0;
  return Array.from(ends, (end) => {
    if (end === none) return undefined;
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, end));
    at = end;
    return text;
  });
}

describe('texts in one block', () => {
  test('ASCII, other scripts, pairs and empty texts', () => {
    assert.deepEqual(packTexts([]), { bytes: new Uint8Array(), ends: new Uint32Array() });
    const plain = packTexts([{ text: 'ab' }, { text: '', pair: 'c' }, { text: 'd', pair: undefined }]);
    assert.deepEqual([...plain.ends], [2, none, 2, 3, 4, none]);
    assert.deepEqual(textsIn(plain), ['ab', undefined, '', 'c', 'd', undefined]);
    const mixed = packTexts([{ text: 'é', pair: '' }, { text: 'ab' }, { text: '中🌉', pair: 'x' }]);
    assert.deepEqual([...mixed.ends], [2, 2, 4, none, 11, 12]);
    assert.deepEqual(textsIn(mixed), ['é', '', 'ab', undefined, '中🌉', 'x']);
    assert.equal(mixed.bytes.buffer.byteLength, 12);
  });

  test('halves of a character in two texts stay apart', () => {
    const { bytes, ends } = packTexts([{ text: 'a\ud83c' }, { text: '\udf09' }]);
    assert.deepEqual([...ends], [4, none, 7, none]);
    assert.deepEqual([...bytes], [0x61, 0xef, 0xbf, 0xbd, 0xef, 0xbf, 0xbd]);
  });
});

describe('parts of a list', () => {
  test('end before the text that is too much; an empty list is one part', () => {
    const items = ['aaa', 'bb', 'c'.repeat(90), 'd', 'e'].map((text) => ({ text }));
    const parts = partsOf(items, 40).map((part) => textsIn(part).filter((text) => text !== undefined));
    assert.deepEqual(parts, [['aaa', 'bb'], ['c'.repeat(90)], ['d', 'e']]);
    assert.equal(partsOf(items, Infinity).length, 1);
    assert.equal(partsOf([]).length, 1);
  });

  test('one step each, counted in texts', () => {
    const items = ['aaa', 'bb', 'c'.repeat(90), 'd'].map((text) => ({ text }));
    const job = stepsOf(partsOf(items, 40), ({ ends }) => ends.length / 2);
    assert.equal(job.total, 4);
    assert.deepEqual([job.step(), job.step(), job.step()], [2, 3, 4]);
    assert.deepEqual(job.finish(), [2, 1, 1]);
    const empty = stepsOf(partsOf([]), ({ ends }) => ends.length / 2);
    assert.equal(empty.step(), empty.total);
    assert.deepEqual(empty.finish(), [0]);
  });
});
