/** Our SHA-256 against node's, whatever the length and however it is cut. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Sha256 } from '../../web/src/models/sha256.js';

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('every length around the block size', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256);
    assert.equal(new Sha256().update(bytes).hex(), expected(bytes), `length ${length}`);
  }
});

test('any parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (parts) => {
      const sum = new Sha256();
      for (const part of parts) sum.update(part);
      assert.equal(sum.hex(), expected(Buffer.concat(parts)));
    }),
  );
});
