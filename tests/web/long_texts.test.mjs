// Long texts, which are read in parts, have the tokens and offsets that Hugging Face tokenizers gives.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { Tokenizer } from 'pocketbert';

/** Made by tests/reference/text/make_long_texts.py. */
const golden = JSON.parse(readFileSync('tests/golden/text/long_texts.json', 'utf8'));
const kFixtures = [...new Set(golden.entries.map(({ fixture }) => fixture))];

/** At most `size` bytes of UTF-8, in whole characters. */
function cut(unit, size) {
  const units = Buffer.from(unit.repeat(Math.ceil(size / Buffer.byteLength(unit)) + 1));
  return new TextDecoder().decode(units.subarray(0, size), { stream: true });
}

async function tokensOf(tokenizer, unit) {
  const counts = [];
  const digest = createHash('sha256');
  for (const size of golden.bytes) {
    const { ids, offsets } = await tokenizer.encode(cut(unit, size), { add_special_tokens: false });
    counts.push(ids.length);
    digest.update(Int32Array.from([...ids].flatMap((id, i) => [id, ...offsets[i]])));
  }
  return { counts, sha256: digest.digest('hex') };
}

describe('long texts', () => {
  for (const fixture of kFixtures) {
    test(basename(fixture), { timeout: 120_000 }, async () => {
      const file = readFileSync(`tests/${fixture}/tokenizer.json`);
      const tokenizer = await Tokenizer.create({ files: { 'tokenizer.json': file } });
      for (const { unit, counts, sha256 } of golden.entries.filter((one) => one.fixture === fixture)) {
        assert.deepEqual(await tokensOf(tokenizer, unit), { counts, sha256 }, JSON.stringify(unit));
      }
      await tokenizer.destroy();
    });
  }
});
