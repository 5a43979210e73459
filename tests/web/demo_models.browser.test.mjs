// Models for the demo page in Chromium: by name, address, file, folder and drop; what can go wrong.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPuppeteer } from './harness/puppeteer.mjs';
import { assertListIsComplete, openDemo, paste, textOf, until } from './support/demo_page.mjs';
import { kDefaultFile, kTinyFolder, serveDemo } from './support/demo_site.mjs';

let browser;
before(async () => {
  browser = await startPuppeteer('chromium');
});
after(() => browser?.close());

async function loadAddress(page, address) {
  (await page.$eval('#model-url-form', (form) => form.hidden)) &&
    (await page.click('#model-url-toggle'));
  await page.$eval('#model-url', (field, value) => (field.value = value), address);
  await page.focus('#model-url');
  await page.keyboard.press('Enter');
}

describe('other models', () => {
  let page;
  let site;
  let problems;
  let close;
  before(async () => {
    ({ page, site, problems, close } = await openDemo(browser));
  });
  after(() => close?.());
  const ready = async (name) => {
    await until(page, 'model-status', `${name} is ready.`);
    await until(page, 'facts', name);
    assert.equal(
      await page.$eval('#model-choice', (list) => list.selectedOptions[0].textContent),
      name,
    );
    await page.waitForFunction(() => document.querySelectorAll('#search-results li').length > 0);
  };

  test('the server’s models are offered; one being prepared can not be chosen yet', async () => {
    const options = await page.$$eval('#model-choice option:not([hidden])', (all) =>
      all.map((one) => [one.textContent, one.disabled]),
    );
    assert.deepEqual(options, [
      ['Default', false],
      ['tiny', false],
      ['later (being prepared)', true],
    ]);
    await page.select('#model-choice', 'offered tiny');
    await ready('tiny');
    assert.equal(await textOf(page, 'fact-vectors'), '24 numbers');
  });

  test('by address, and the list of requests stays complete', async () => {
    await page.select('#model-choice', 'default');
    await ready('Default');
    await loadAddress(page, `${site.url}models/tiny/`);
    await ready('tiny');
    assert.equal(await page.$eval('#model-url-form', (form) => form.hidden), true);
    await assertListIsComplete(page, site);
    await page.click('#tab-search');
  });

  test('by one file, and by a folder', async () => {
    await (await page.$('#model-files')).uploadFile(kDefaultFile);
    await ready('default');
    await (await page.$('#model-folder')).uploadFile(kTinyFolder);
    await ready('enc');
  });

  test('by dropping a folder and a file', async () => {
    const session = await page.createCDPSession();
    for (const [path, name] of [
      [kDefaultFile, 'default'],
      [kTinyFolder, 'enc'],
    ]) {
      const drag = (type) =>
        session.send('Input.dispatchDragEvent', {
          type,
          x: 600,
          y: 500,
          data: { items: [], files: [path], dragOperationsMask: 1 },
        });
      await drag('dragEnter');
      await drag('dragOver');
      await page.waitForSelector('#drop-veil:not([hidden])');
      await drag('drop');
      await ready(name);
      assert.equal(await page.$eval('#drop-veil', (veil) => veil.hidden), true);
    }
  });

  test('a web page instead of a model, and files that are none, are refused by name', async () => {
    await loadAddress(page, `${site.url}models/page.safetensors`);
    await until(page, 'model-error', 'page.safetensors is a web page, not a safetensors file');
    await (await page.$('#model-files')).uploadFile(`${kTinyFolder}/model.safetensors`);
    await until(page, 'model-error', 'model.safetensors is a plain safetensors file');
    await until(page, 'model-status', 'enc goes on running.');
    await paste(page, 'search-query', 'boat');
    await until(page, 'search-status', 'Best 5 of 8 passages');
    await page.click('#tab-network');
    await until(page, 'network-summary', '2 loads failed or ended early');
  });

  test('loading can be cancelled, and the old model goes on', async () => {
    await loadAddress(page, `${site.url}models/slow.safetensors`);
    await until(page, 'model-phase', 'Reading 1.0 MB of 30.0 MB: slow.safetensors');
    assert.ok((await page.$eval('#model-bar', (bar) => bar.value)) < 0.5);
    await page.click('#model-cancel');
    await until(page, 'model-status', 'Loading slow was cancelled. enc goes on running.');
    assert.equal(await page.$eval('#model-progress', (row) => row.hidden), true);
    assert.equal(await page.$eval('#model-error', (row) => row.hidden), true);
  });

  test('an address that the policy forbids is not asked, and the page says what is allowed', async () => {
    const other = await serveDemo();
    await loadAddress(page, `${other.url}models/tiny/`);
    await until(page, 'model-error', 'Content-Security-Policy');
    assert.deepEqual(other.requests, []);
    assert.match(
      await textOf(page, 'model-url-hint'),
      /^The policy of this page allows: this page’s own server\./,
    );
    await other.close();
  });

  test('no errors but those of the browser about missing files and the forbidden address', () => {
    const expected = /status of 404|Content Security Policy/;
    assert.deepEqual(
      problems.filter((problem) => !expected.test(problem)),
      [],
    );
  });
});
