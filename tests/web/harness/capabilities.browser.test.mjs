// The browsers of the tests start, run pages under the site's policy, and can what the variants
// need.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { kBrowserEngines, openBrowser, withChromiumPage } from './browsers.mjs';
import { serveTestSite } from './site.mjs';

const kPages = fileURLToPath(new URL('pages', import.meta.url));
const kPage = 'blank.html?module=/capabilities.js';

/** What must hold in each engine; WebKitGTK has neither relaxed SIMD nor shared memory (as of 2.50). */
const kExpected = {
  chromium: { simd: true, relaxed: true, sharedMemory: true },
  firefox: { simd: true, relaxed: true, sharedMemory: true },
  webkit: { simd: true },
};

for (const engine of kBrowserEngines) {
  describe(engine, () => {
    let browser;
    let site;
    before(async () => {
      site = await serveTestSite(kPages);
      browser = await openBrowser(engine);
    });
    after(async () => {
      await browser?.close();
      await site?.close();
    });

    test('runs a page and has what the wasm variants need', async () => {
      const result = await browser.run(site.url + kPage);
      assert.equal(result.worker, 'hello back');
      assert.equal(result.isolated, true, result.agent);
      for (const [name, value] of Object.entries(kExpected[engine]))
        assert.equal(result[name], value, `${name} in ${result.agent}`);
    });

    test('a failing page is reported with its message', async () => {
      await assert.rejects(
        browser.run(`${site.url}blank.html?module=/failing.js`),
        /the page failed on purpose/,
      );
    });

    test('without the headers the page is not isolated', async () => {
      const bare = await serveTestSite(kPages, { isolation: false, csp: false });
      const result = await browser.run(bare.url + kPage).finally(bare.close);
      assert.equal(result.isolated, false);
    });

    test('the policy forbids eval', async () => {
      const { evaluated } = await browser.run(`${site.url}blank.html?module=/eval.js`);
      assert.equal(evaluated, false);
    });
  });
}

test('a screenshot of a Chromium page can be taken', async () => {
  const site = await serveTestSite(kPages);
  const picture = await withChromiumPage(site.url + kPage, (page) => page.screenshot()).finally(
    site.close,
  );
  assert.deepEqual(
    [...picture.subarray(1, 4)],
    [...'PNG'].map((letter) => letter.charCodeAt(0)),
  );
});
