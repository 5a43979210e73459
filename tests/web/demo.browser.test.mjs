// The panels of the demo page in Chromium, used as a visitor uses them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPuppeteer } from './harness/puppeteer.mjs';
import { assertListIsComplete, openDemo, paste, textOf, until } from './support/demo_page.mjs';

let browser;
before(async () => {
  browser = await startPuppeteer('chromium');
});
after(() => browser?.close());

/** Label and number of each bar, best first. */
const barsOf = (page, selector) =>
  page.$$eval(`${selector} .bar`, (bars) =>
    bars.map((bar) => [
      bar.querySelector('.name').textContent,
      parseFloat(bar.querySelector('.value').textContent),
    ]),
  );

describe('panels', () => {
  let page;
  let site;
  let problems;
  let close;
  before(async () => {
    ({ page, site, problems, close } = await openDemo(browser));
  });
  after(() => close?.());

  test('search finds by meaning and marks the sentence', async () => {
    for (const [query, expected] of [
      ['how do plants live without water?', 'Cacti store water in thick stems'],
      ['my internet connection is broken', 'To reset the router'],
      ['prices are rising more slowly', 'inflation has slowed'],
      ['who won the football match?', 'the visitors won the cup'],
      ['is there life on other planets?', 'The telescope found water vapour'],
    ]) {
      await paste(page, 'search-query', query);
      await page
        .waitForFunction(
          (text) => document.querySelector('#search-results mark').textContent.includes(text),
          {},
          expected,
        )
        .catch(async () =>
          assert.fail(`${query}: first is ${await textOf(page, 'search-results')}`),
        );
      const scores = await page.$$eval('#search-results .score', (all) =>
        all.map((one) => Number(one.textContent)),
      );
      assert.equal(scores.length, 5);
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
      );
    }
  });

  test('an example is searched when it is clicked', async () => {
    await page.click('#search-examples button:nth-child(4)');
    assert.equal(
      await page.$eval('#search-query', (field) => field.value),
      'travelling while you sleep',
    );
    await page.waitForFunction(() =>
      document.querySelector('#search-results mark').textContent.startsWith('Night trains'),
    );
  });

  test('time, speed, memory, variant and threads are shown', async () => {
    assert.match(
      await textOf(page, 'search-reading'),
      /^Read 16 sentences, \d+ tokens in [\d.]+ m?s \([\d,]+ tokens\/s\)/,
    );
    assert.match(await textOf(page, 'search-status'), /^Best 5 of 8 passages, found in [\d.]+ ms/);
    await until(page, 'fact-memory', 'MB');
    const [, memory, weights] = /^([\d.]+) MB \(weights ([\d.]+) MB\)$/.exec(
      await textOf(page, 'fact-memory'),
    );
    assert.ok(
      Number(weights) > 9 &&
        Number(weights) < 13 &&
        Number(memory) > Number(weights) &&
        Number(memory) < 60,
      `${memory} ${weights}`,
    );
    assert.match(await textOf(page, 'fact-variant'), /^(simd|relaxed|relaxed-mt)$/);
    assert.match(await textOf(page, 'fact-threads'), /^\d+$/);
    const isFastest = (await textOf(page, 'fact-variant')) === 'relaxed-mt';
    assert.ok(
      isFastest || /is not used: /.test(await textOf(page, 'notes-list')),
      'a fallback must be explained',
    );
  });

  test('an edited text is read only where it is new', async () => {
    const corpus = await page.$eval('#search-corpus', (field) => field.value);
    await paste(
      page,
      'search-corpus',
      `${corpus}\n\nThe violinist tuned her instrument before the concert.`,
    );
    await until(page, 'search-reading', 'Read 1 sentence,');
    await paste(page, 'search-query', 'music');
    await page.waitForFunction(() =>
      document.querySelector('#search-results mark').textContent.includes('violinist'),
    );
  });

  test('comparison: a heat map whose warmest pairs belong together', async () => {
    await page.click('#tab-compare');
    await page.waitForSelector('#compare-map td[style]');
    const rows = await page.$$eval('#compare-map tbody tr', (all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent))),
    );
    assert.equal(rows.length, 8);
    rows.forEach((row, i) => {
      assert.equal(row[i], 1);
      row.forEach((score, j) => assert.equal(score, rows[j][i]));
    });
    const nearest = (i) =>
      rows[i]
        .map((score, j) => (j === i ? -2 : score))
        .reduce((best, score, j, all) => (score > all[best] ? j : best), 0);
    assert.deepEqual([0, 1, 3, 4, 5, 6].map(nearest), [1, 0, 4, 3, 6, 5]);
    const ground = await page.$$eval('#compare-map tbody tr:first-child td', (cells) =>
      cells.map((cell) => getComputedStyle(cell).backgroundColor),
    );
    assert.ok(new Set(ground).size > 3, 'the cells have no colours of their own');
    await page.hover('#compare-map tbody tr:nth-child(1) td:nth-child(3)');
    await until(
      page,
      'compare-pair',
      '“The cat sleeps on the warm windowsill.” and “A kitten is napping by the window.”',
    );
  });

  test('classification: heads, and labels by their descriptions', async () => {
    await page.click('#tab-classify');
    for (const [text, topic, mood, own] of [
      ['Their striker scored twice before half time.', 'Sports', undefined, undefined],
      ['Great service, thank you so much!', undefined, 'positive', 'praise'],
      ['The app crashes whenever I open the settings.', 'Sci/Tech', 'negative', 'technical'],
      ['I was charged twice, please return my money.', undefined, undefined, 'refund'],
    ]) {
      await paste(page, 'classify-text', text);
      const first = (selector, label) =>
        label &&
        page
          .waitForFunction(
            (selector, label) => document.querySelector(`${selector} .name`)?.textContent === label,
            {},
            selector,
            label,
          )
          .catch(async () =>
            assert.fail(
              `${text}: ${JSON.stringify(await barsOf(page, selector))}, expected ${label}`,
            ),
          );
      await first('[data-head="topics"]', topic);
      await first('[data-head="sentiment"]', mood);
      await first('#classify-own', own);
    }
    for (const [selector, count] of [
      ['[data-head="topics"]', 4],
      ['[data-head="sentiment"]', 2],
      ['#classify-own', 4],
    ]) {
      const bars = await barsOf(page, selector);
      assert.equal(bars.length, count);
      const sum = bars.reduce((total, [, share]) => total + share, 0);
      assert.ok(Math.abs(sum - 100) <= 0.6 * count, `${selector} sums to ${sum}`);
    }
    await paste(
      page,
      'classify-labels',
      'finance: money, banks and bills\ngardening: plants and soil',
    );
    await page.waitForFunction(() => document.querySelectorAll('#classify-own .bar').length === 2);
    assert.equal((await barsOf(page, '#classify-own'))[0][0], 'finance');
    assert.match(
      await textOf(page, 'classify-status'),
      /^3 answers, \d+ tokens in .* tokens\/s\)\.$/,
    );
  });

  test('tokens: coloured pieces that make up the text, ids as BERT has them', async () => {
    await page.click('#tab-tokens');
    await page.click('#tokens-details summary');
    await paste(page, 'tokens-text', 'hello world! 🦉');
    await until(page, 'tokens-status', 'from 15 characters');
    const ids = await page.$$eval('#tokens-table tbody tr', (rows) =>
      rows.map((row) => Number(row.cells[2].textContent)),
    );
    assert.deepEqual(ids, [101, 7592, 2088, 999, 100, 102]); // bert-base-uncased
    const drawn = await page.$eval('#tokens-view', (view) =>
      [...view.childNodes]
        .filter((node) => !node.classList?.contains('special'))
        .map((node) => node.textContent)
        .join(''),
    );
    assert.equal(drawn, 'hello world! 🦉');
    assert.equal(await page.$eval('#tokens-view .unknown', (span) => span.textContent), '🦉');
    await paste(page, 'tokens-text', 'x '.repeat(300));
    await until(page, 'tokens-status', 'The model reads the first 256 of them.');
  });

  test('network: the list is the server’s own log, and nothing of the above made a request', async () => {
    await assertListIsComplete(page, site);
    assert.match(
      await textOf(page, 'network-summary'),
      /^\d+ requests \([\d.]+ MB\), all of them to this page’s own server\.$/,
    );
    await until(page, 'network-since', 'Requests made in that time: 0.');
    const texts = Number(
      /it read ([\d,]+) texts/.exec(await textOf(page, 'network-since'))[1].replace(',', ''),
    );
    assert.ok(texts > 40, `${texts} texts`);
    assert.match(
      await textOf(page, 'network-policy'),
      /connect to this page’s own server and to nothing else/,
    );
  });

  test('a request that somebody sneaks in is listed, and said', async () => {
    await page.evaluate(() => fetch('./models/index.json?text=secret'));
    await until(page, 'network-table', '/models/index.json?text=secret');
    await until(page, 'network-since', 'Requests made in that time: 1.');
  });

  test('no errors, and the policy was not broken', async () => {
    assert.deepEqual(problems, []);
    assert.deepEqual(await page.evaluate('window.violations'), []);
  });

  test('without any server everything goes on', async () => {
    await site.close();
    await page.click('#tab-search');
    await paste(page, 'search-query', 'a bird that sings');
    await paste(
      page,
      'search-corpus',
      'The nightingale was heard at dusk.\n\nTaxes are due in May.',
    );
    await page.waitForFunction(() =>
      document.querySelector('#search-results mark')?.textContent.includes('nightingale'),
    );
    assert.deepEqual(problems, []);
  });
});
