// Same text, same bits, in each browser: equal to the hash that node is held to.

import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertGoldenBits } from './bits/verdict.mjs';
import { runInBrowser } from './harness/browsers.mjs';
import { serveTestSite } from './harness/site.mjs';

const kFolder = fileURLToPath(new URL('bits', import.meta.url));
const kMinutes = 60_000;

/** Variants that each engine must run (WebKitGTK has no relaxed SIMD and no shared memory). */
const kVariants = {
  chromium: ['simd', 'relaxed', 'relaxed-mt'],
  firefox: ['simd', 'relaxed', 'relaxed-mt'],
  webkit: ['simd'],
};

for (const [engine, variants] of Object.entries(kVariants)) {
  test(`${engine} gives the golden bits`, { timeout: 11 * kMinutes }, async () => {
    const site = await serveTestSite(kFolder);
    try {
      const measured = await runInBrowser(engine, `${site.url}blank.html?module=/page.js`, {
        timeout: 10 * kMinutes,
      });
      await assertGoldenBits(engine, measured, variants);
    } finally {
      await site.close();
    }
  });
}
