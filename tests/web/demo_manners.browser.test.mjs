// The demo page in Chromium: large texts, keyboard, names for screen readers, contrast, narrow
// windows, loads that cross.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPuppeteer } from './harness/puppeteer.mjs';
import { openDemo, paste, textOf, until } from './support/demo_page.mjs';
import { namesOf, weakTexts } from './support/page_manners.mjs';

const kTabs = [
  'search',
  'compare',
  'classify',
  'zero-shot',
  'entities',
  'answers',
  'fill',
  'rank',
  'tokens',
  'network',
];
const kLongestStall = 1000; // ms

let browser;
before(async () => {
  browser = await startPuppeteer('chromium');
});
after(() => browser?.close());

async function withDemo(options, use) {
  const { page, site, problems, close } = await openDemo(browser, options);
  try {
    await use(page, site);
    // A folder's optional files are asked for by name, and the browser reports each that is absent.
    assert.deepEqual(
      problems.filter((problem) => !/status of 404 .*\/models\/tiny\//.test(problem)),
      [],
    );
  } finally {
    await close();
  }
}

/** A megabyte of sentences that differ. */
function largeText() {
  const places = ['harbour', 'market', 'garden', 'school', 'river', 'museum', 'kitchen'];
  const events = [
    'was closed because of a storm',
    'sold more apples than last year',
    'needs a new roof',
    'lost power for an hour',
  ];
  let text = '';
  for (let i = 0; text.length < 1_000_000; i += 1) {
    text += `Report ${i}: the ${places[i % 7]} in district ${(i * 7) % 1009} ${events[i % 4]}. `;
    text += `Mayor ${i} spoke about it.${i % 4 === 3 ? '\n\n' : ' '}`;
  }
  return text;
}

test('a megabyte: progress, found before it is read, the page stays free, it can be replaced', () =>
  withDemo({}, async (page, site) => {
    const before = site.requests.length;
    await paste(page, 'search-corpus', largeText());
    await page.evaluate(() => {
      window.longest = 0;
      let last = performance.now();
      setInterval(() => {
        window.longest = Math.max(window.longest, performance.now() - last);
        last = performance.now();
      }, 5);
    });
    await page.waitForSelector('#search-progress-row:not([hidden])');
    await page.waitForFunction(() =>
      /tokens\/s, about .* left/.test(document.getElementById('search-progress-text').textContent),
    );
    const [done, total] = (await textOf(page, 'search-progress-text'))
      .match(/[\d,]+/g)
      .map((number) => Number(number.replace(',', '')));
    assert.ok(total > 10_000 && done > 0 && done < total, `${done} of ${total}`);
    assert.ok((await page.$eval('#search-progress', (bar) => bar.value)) < 0.5);
    await paste(page, 'search-query', 'no electricity');
    await page.waitForFunction(() =>
      document.querySelector('#search-results mark')?.textContent.includes('lost power'),
    );
    assert.equal(
      await page.$eval('#search-progress-row', (row) => row.hidden),
      false,
      'all was read before the search',
    );
    await paste(
      page,
      'search-corpus',
      'Boil the pasta in salted water.\n\nThe bulb of the lamp is dead.',
    );
    await until(page, 'search-reading', 'Read 2 sentences,');
    await page.waitForFunction(() => document.querySelectorAll('#search-results li').length === 2);
    assert.equal(await page.$eval('#search-progress-row', (row) => row.hidden), true);
    assert.match(await page.$eval('#search-results mark', (mark) => mark.textContent), /lamp/);
    const longest = await page.evaluate('window.longest');
    assert.ok(longest < kLongestStall, `the page stood still for ${longest} ms`);
    assert.equal(site.requests.length, before, 'a request was made');
  }));

test('texts that are no sentences: one long word, no text, only spaces', () =>
  withDemo({}, async (page) => {
    await paste(page, 'search-corpus', 'a'.repeat(20_000));
    // Cut into pieces of at most 500 letters, 3 of them distinct; each is [CLS] [UNK] [SEP], as BERT
    // has it for long words.
    await until(page, 'search-reading', 'Read 3 sentences, 9 tokens');
    await paste(page, 'search-corpus', ' \n \n\t');
    await until(page, 'search-status', 'There is no text to search yet.');
    await paste(page, 'search-corpus', '');
    await until(page, 'search-reading', '0 sentences, nothing new to read.');
    await paste(page, 'search-query', '');
    await until(page, 'search-status', 'Type a question');
    assert.equal(await page.$$eval('#search-results li', (all) => all.length), 0);
  }));

test('by keyboard alone', () =>
  withDemo({}, async (page) => {
    const focused = () =>
      page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
    const order = [];
    while (order.at(-1) !== 'search-corpus' && order.length < 30) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    assert.deepEqual(order, [
      'model-choice',
      'model-url-toggle',
      'model-files-button',
      'model-folder-button',
      'SUMMARY',
      'tab-search',
      'search-query',
      ...Array(5).fill('BUTTON'),
      'search-corpus',
    ]);
    await page.focus('#tab-search');
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused(), 'tab-compare');
    await page.waitForSelector('#compare-map td[style]');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'compare-lines');
    await page.keyboard.press('Tab');
    await until(page, 'compare-pair', '1.00: “The cat sleeps');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await until(
      page,
      'compare-pair',
      '“The dog barked at the postman all morning.” and “A kitten is napping by the window.”',
    );
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    await page.keyboard.press('Tab');
    await until(page, 'compare-pair', '“The dog barked');
    await page.focus('#tab-compare');
    await page.keyboard.press('End');
    assert.equal(await page.$eval('#panel-network', (panel) => panel.hidden), false);
    await page.focus('#model-url-toggle');
    await page.keyboard.press('Enter');
    assert.equal(await focused(), 'model-url');
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'model-url-toggle');
  }));

test('screen readers: everything that can be used has a name', () =>
  withDemo({}, async (page) => {
    let seen = 0;
    const nameless = [];
    for (const tab of kTabs) {
      await page.click(`#tab-${tab}`);
      await until(page, `tab-${tab}`, '');
      const found = await namesOf(page);
      seen += found.seen;
      nameless.push(...found.nameless.map((role) => `${tab}: ${role}`));
    }
    assert.ok(seen > 60, `only ${seen} seen`);
    assert.deepEqual(
      nameless.filter((line) => !/: (group|list)$/.test(line)),
      [],
    );
    const header = await page.$eval('#compare-map tbody th', (cell) =>
      cell.getAttribute('aria-label'),
    );
    assert.equal(header, 'The cat sleeps on the warm windowsill.');
  }));

for (const scheme of ['light', 'dark']) {
  test(`${scheme}: all text has a contrast of 4.5 or more`, () =>
    withDemo({}, async (page) => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(ground, scheme === 'light' ? 'rgb(247, 246, 242)' : 'rgb(20, 24, 22)');
      for (const tab of kTabs) {
        await page.click(`#tab-${tab}`);
        if (tab === 'compare') await page.waitForSelector('#compare-map td[style]');
        if (tab === 'tokens') await page.waitForSelector('.token');
        assert.deepEqual(await page.evaluate(weakTexts), [], tab);
      }
    }));
}

test('on a telephone nothing sticks out at the side', () =>
  withDemo({ width: 390, height: 844, isMobile: true, hasTouch: true }, async (page) => {
    for (const tab of kTabs) {
      await page.click(`#tab-${tab}`);
      if (tab === 'compare') await page.waitForSelector('#compare-map td[style]');
      const [width, tabs] = await page.evaluate(() => {
        const list = document.querySelector('.tabs');
        return [document.documentElement.scrollWidth, list.scrollWidth - list.clientWidth];
      });
      assert.deepEqual([width, tabs], [390, 0], tab);
    }
    await page.click('#tab-compare');
    await page.tap('#compare-map tbody tr:nth-child(1) td:nth-child(3)');
    await until(page, 'compare-pair', '“A kitten is napping by the window.”');
  }));

test('the first load can be cancelled, and another model chosen', () =>
  withDemo({ withheld: /default/ }, async (page, site) => {
    await page.click('#model-cancel');
    await until(page, 'model-status', 'Loading Default was cancelled. No model runs: choose one.');
    assert.equal(
      await page.$eval('#model-choice', (list) => list.selectedOptions[0].textContent),
      'none',
    );
    await page.waitForSelector('#model-choice option[value="offered tiny"]');
    await page.select('#model-choice', 'offered tiny');
    await until(page, 'model-status', 'tiny is ready.');
    assert.ok(site.requests.includes('GET /models/tiny/config.json'));
  }));

test('of loads that cross, the last one wins, also over a larger one before it', () =>
  withDemo({}, async (page) => {
    await page.waitForSelector('#model-choice option[value="offered tiny"]');
    await page.evaluate(() => {
      const list = document.getElementById('model-choice');
      for (const value of ['offered tiny', 'default', 'default', 'offered tiny']) {
        list.value = value;
        list.dispatchEvent(new Event('change'));
      }
    });
    await until(page, 'model-status', 'tiny is ready.');
    await new Promise((wake) => setTimeout(wake, 3000));
    assert.equal(await textOf(page, 'model-status'), 'tiny is ready.');
    assert.equal(await textOf(page, 'fact-vectors'), '24 numbers');
    assert.equal(await page.$eval('#model-choice', (list) => list.value), 'offered tiny');
    assert.equal(await page.$eval('#model-error', (row) => row.hidden), true);
    await paste(page, 'search-query', 'my internet connection is broken');
    await until(page, 'search-status', 'Best 5 of 8 passages');
  }));
