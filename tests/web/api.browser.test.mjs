// The public API in three browser engines, under a strict policy, with and without isolation.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Embedder } from 'pocketbert';
import { kBrowserEngines, openBrowser } from './harness/browsers.mjs';
import { serveTestSite } from './harness/site.mjs';

const kPages = fileURLToPath(new URL('pages', import.meta.url));
const kModel = fileURLToPath(new URL('../cases/hand/fixtures/enc', import.meta.url));
const kSentences = [
  'The old river boat was slow.',
  'Sail on!',
  '',
  'boat',
  'a\ud800b',
  'river '.repeat(300),
];

const hex = (vector) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('hex');

/** Bits of the vectors in node. */
async function vectorsInNode() {
  const embedder = await Embedder.create({ model: kModel });
  try {
    return [...(await embedder.embed(kSentences))].map(hex);
  } finally {
    await embedder.destroy();
  }
}

for (const engine of kBrowserEngines) {
  for (const isolation of [true, false]) {
    describe(`${engine}, ${isolation ? 'isolated' : 'not isolated'}`, () => {
      let site;
      let found;
      before(async () => {
        site = await serveTestSite(kPages, { isolation });
        const browser = await openBrowser(engine);
        found = await browser
          .run(`${site.url}blank.html?module=/api.js`)
          .finally(() => browser.close());
      });
      after(() => site?.close());

      test('the policy was not broken', () => assert.deepEqual(found.violations, []));

      test('vectors have the bits of node, in the worker and on the page', async () => {
        const expected = await vectorsInNode();
        const { list, alone, direct, truncated, info, directWorker } = found.vectors;
        assert.deepEqual(list, expected);
        assert.deepEqual(alone, expected);
        assert.deepEqual(direct, expected);
        assert.deepEqual(truncated, [false, false, false, false, false, true]);
        assert.equal(info.worker, true);
        assert.equal(directWorker, false);
      });

      test('info says what runs and why nothing faster', () => {
        const { variant, threads, reasons } = found.vectors.info;
        if (variant === 'relaxed-mt') assert.ok(isolation && threads > 1);
        else assert.ok(reasons.length > 0 && threads === 1, JSON.stringify(reasons));
      });

      test('progress rises to one', () => {
        const fractions = found.vectors.progress.map(([, fraction]) => fraction);
        assert.deepEqual(
          fractions,
          [...fractions].sort((a, b) => a - b),
        );
        assert.deepEqual(found.vectors.progress.at(-1), ['ready', 1]);
      });

      test('memory does not grow, and only this server was asked', () => {
        assert.deepEqual(found.vectors.later, found.vectors.memory);
        assert.ok(
          found.vectors.requests.every((url) => url.startsWith(site.url)),
          found.vectors.requests.join(' '),
        );
      });

      test('calls after the end are rejected', () =>
        assert.deepEqual(found.vectors.end, ['destroyed', 'destroyed']));

      test('every source gives the same model', () => {
        const { vectors, kept } = found.sources;
        for (const [kind, vector] of Object.entries(vectors))
          assert.equal(vector, found.vectors.list[3], kind);
        assert.ok(kept > 0, 'the bytes of the caller were taken away');
      });

      test('errors have their codes, and the page goes on working', () => {
        assert.deepEqual(found.errors.codes, {
          created: 'aborted',
          missing: 'format',
          page: 'format',
          bytes: 'format',
          wasm: 'network',
          long: 'too_long',
          aborted: 'aborted',
          superseded: 'superseded',
        });
        assert.equal(found.errors.works, 24);
      });

      test('the page stays free while the worker works, and one text goes before a list', () => {
        assert.ok(
          found.manners.longest < 200,
          `the page stood still for ${found.manners.longest} ms`,
        );
        assert.equal(found.manners.urgentFirst, true);
      });

      test('several engines, shared and not', () => {
        assert.deepEqual(found.engines.tokens, ['[CLS]', 'boat', '[SEP]']);
        assert.equal(found.engines.vector, found.vectors.list[3]);
        assert.equal(found.engines.variant, 'simd');
      });
    });
  }
}
