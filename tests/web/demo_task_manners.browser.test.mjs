// Panels of the demo page for tasks, in Chromium: without a server, in the dark, on a telephone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPuppeteer } from './harness/puppeteer.mjs';
import { openDemo, until } from './support/demo_page.mjs';
import { kTasks, openPanel } from './support/demo_tasks.mjs';
import { namesOf, weakTexts } from './support/page_manners.mjs';

let browser;
before(async () => {
  browser = await startPuppeteer('chromium');
});
after(() => browser?.close());

test('without a server: a panel that was never opened says so, and opens later', async () => {
  const { page, site, close } = await openDemo(browser);
  try {
    await page.setOfflineMode(true);
    await page.click('#tab-fill');
    await until(page, 'panel-fill', 'This panel could not be fetched');
    await page.setOfflineMode(false);
    await page.click('#tab-search');
    await page.click('#tab-fill');
    await page.waitForSelector('#fill-lack:not([hidden])');
    assert.ok(site.requests.some((line) => line.includes('fill_panel')));
    await page.click('#tab-network');
    await until(page, 'network-since', ', all for this page’s own scripts, of panels that were opened.');
    await page.evaluate(() => fetch('./models/index.json?text=secret'));
    await until(page, 'network-since', ' of them for this page’s own scripts');
  } finally {
    await close();
  }
});

for (const [scheme, width] of [['light', 1280], ['dark', 360]]) {
  test(`${scheme}, ${width} wide: contrast, names, nothing sticks out`, async () => {
    const size = { width, height: 800, isMobile: width < 400, hasTouch: width < 400 };
    const { page, close } = await openDemo(browser, size);
    try {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      for (const [name] of kTasks) {
        await page.click(`#tab-${name}`);
        await page.waitForSelector(`#${name}-lack:not([hidden])`);
        assert.deepEqual(await page.evaluate(weakTexts), [], `${name}, lacking`);
        await openPanel(page, name);
        await page.waitForFunction(
          (id) => /\d/.test(document.getElementById(id).textContent),
          {},
          `${name}-status`,
        );
        assert.deepEqual(await page.evaluate(weakTexts), [], name);
        const { nameless } = await namesOf(page);
        assert.deepEqual(nameless.filter((role) => !/^(group|list)$/.test(role)), [], name);
        const sizes = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          ...[...document.querySelectorAll('.tabs')].map((one) => one.scrollWidth - one.clientWidth),
        ]);
        assert.deepEqual(sizes, [width, 0], name);
        await page.select('#model-choice', 'default');
        await until(page, 'model-status', 'Default is ready.');
      }
    } finally {
      await close();
    }
  });
}
