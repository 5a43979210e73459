// Panels of the demo page for what only some models do, in Chromium with tiny models; what they must
// find are reference values of the cases.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { startPuppeteer } from './harness/puppeteer.mjs';
import { assertListIsComplete, openDemo, paste, textOf, until } from './support/demo_page.mjs';
import { kBert, kFamilies, kTasks, loadFolder, openPanel } from './support/demo_tasks.mjs';

/** The page quantizes to int8; scores of the cases are of float32. */
const kScoreRoom = 0.05;

let browser;
before(async () => {
  browser = await startPuppeteer('chromium');
});
after(() => browser?.close());

function caseOf(half, kind, id) {
  const { cases } = JSON.parse(readFileSync(`${half}/${kind}.json`, 'utf8'));
  return cases.find((one) => one.id === id);
}

/** Waits until `probe`, run in the page, gives `expected`. */
async function settles(page, probe, expected, argument) {
  const text = JSON.stringify(expected);
  await page
    .waitForFunction(
      `JSON.stringify((${probe})(${JSON.stringify(argument)})) === ${JSON.stringify(text)}`,
      { timeout: 20_000 },
    )
    .catch(async () => assert.deepEqual(await page.evaluate(probe, argument), expected));
}

/** In the page: marked stretches of a view, without their notes. */
const marksOf = (id) =>
  [...document.querySelectorAll(`#${id} mark`)].map((mark) => mark.firstChild.data);
/** In the page: names of bars, best first. */
const namesOfBars = (id) =>
  [...document.querySelectorAll(`#${id} .bar .name`)].map((name) => name.textContent);
/** In the page: shares of bars. */
const sharesOf = (id) =>
  [...document.querySelectorAll(`#${id} .bar .value`)].map(
    (value) => parseFloat(value.textContent) / 100,
  );

/** In the page: places in the table of entities. */
const placesOf = () =>
  [...document.querySelectorAll('#entities-table tbody tr')].map((row) => row.cells[3].textContent);

function assertNear(found, expected, what) {
  assert.equal(found.length, expected.length, what);
  found.forEach((score, i) =>
    assert.ok(Math.abs(score - expected[i]) < kScoreRoom, `${what}: ${found} for ${expected}`),
  );
}

/** Waits until the best word has about this score. */
const fillsLike = (page, score) =>
  page
    .waitForFunction(
      (score, room) => {
        const value = document.querySelector('#fill-masks .value')?.textContent;
        return Math.abs(parseFloat(value) / 100 - score) < room;
      },
      { timeout: 20_000 },
      score,
      kScoreRoom,
    )
    .catch(async () => assert.fail(`${await textOf(page, 'fill-masks')}: expected ${score}`));

const tick = (page, id) => page.click(`#${id}`);

describe('panels of tasks', () => {
  let page;
  let site;
  let problems;
  let close;
  before(async () => {
    ({ page, site, problems, close } = await openDemo(browser));
  });
  after(() => close?.());

  test('nothing of them is fetched before they are opened', () => {
    const fetched = site.requests.filter((line) => /_panel-[\w-]+\.js$/.test(line));
    assert.deepEqual(fetched, []);
  });

  test('a model without the head: one kind sentence that names what to load', async () => {
    for (const [name] of kTasks) {
      await page.click(`#tab-${name}`);
      await page.waitForSelector(`#${name}-lack:not([hidden])`);
      const sentence = await textOf(page, `${name}-lack`);
      assert.match(sentence, /^Default does not [^.]*: for that, load an? [^.]* like [\w-]+/);
      assert.match(sentence, /by its address, files or folder above\.$/);
      assert.equal(await page.$eval(`#${name}-able`, (able) => able.hidden), true);
    }
    assert.equal(await page.$eval('#model-error', (row) => row.hidden), true);
  });

  test('entities: marked, joined as chosen, with places in UTF-16', async () => {
    await openPanel(page, 'entities');
    const { input, expect } = caseOf(kBert, 'ner', 'ner-utf16-h');
    const stretches = expect.entities.map(({ start, end }) => input.text.slice(start, end));
    await paste(page, 'entities-text', input.text);
    await settles(page, marksOf, stretches, 'entities-view');
    const notes = await page.$$eval('#entities-view .note', (all) =>
      all.map((note) => note.textContent),
    );
    assert.deepEqual(
      notes.map((note) => note.split(' ')[0]),
      expect.entities.map(({ label }) => label),
    );
    await page.click('#entities-details summary');
    const places = expect.entities.map(({ start, end }) => `${start}–${end}`);
    await settles(page, placesOf, places);
    const single = caseOf(kBert, 'ner', 'ner-none-h');
    await page.select('#entities-aggregation', 'none');
    await paste(page, 'entities-text', single.input.text);
    const parts = single.expect.entities.map(({ start, end }) =>
      single.input.text.slice(start, end),
    );
    await settles(page, marksOf, parts, 'entities-view');
    await page.select('#entities-aggregation', 'simple');
    const drawn = await page.$eval('#entities-view', (view) => {
      const copy = view.cloneNode(true);
      for (const note of copy.querySelectorAll('.note')) note.remove();
      return copy.textContent;
    });
    assert.equal(drawn, single.input.text);
  });

  test('entities: places of later paragraphs are those of the whole text', async () => {
    const { input, expect } = caseOf(kBert, 'ner', 'ner-utf16-h');
    const first = '🙂 near\n \n\n';
    await paste(page, 'entities-text', first + input.text);
    const at = first.length;
    const places = expect.entities.map(({ start, end }) => `${at + start}–${at + end}`);
    await settles(page, placesOf, places);
  });

  test('entities: a long text shows how far it is, and gives way to a newer one', async () => {
    await page.evaluate(() => {
      window.seen = [];
      const line = document.querySelector('#entities-status-line progress');
      new MutationObserver(() => line.hidden || window.seen.push(line.value)).observe(line, {
        attributes: true,
      });
    });
    await paste(page, 'entities-text', 'Anna met Li in New York.\n\n'.repeat(60_000));
    await page.waitForFunction(() => window.seen.some((value) => value > 0));
    const { input, expect } = caseOf(kBert, 'ner', 'ner-simple-h');
    const start = Date.now();
    await paste(page, 'entities-text', input.text);
    const stretches = expect.entities.map((one) => input.text.slice(one.start, one.end));
    await settles(page, marksOf, stretches, 'entities-view');
    assert.ok(Date.now() - start < 10_000, `${Date.now() - start} ms until the newer text`);
    assert.equal(
      await page.$eval('#entities-status-line progress', (bar) => bar.hidden),
      true,
    );
  });

  test('entities: a text of another direction runs from the right', async () => {
    await paste(page, 'entities-text', 'חיים גרים ב New York');
    await settles(
      page,
      () =>
        ['entities-text', 'entities-view'].map(
          (id) => getComputedStyle(document.getElementById(id)).direction,
        ),
      ['rtl', 'rtl'],
    );
  });

  test('answers: the best one is marked; that there is none is said', async () => {
    await openPanel(page, 'answers');
    const { input, expect } = caseOf(kBert, 'qa', 'qa-utf16-h');
    await tick(page, 'answers-none');
    await page.select('#answers-count', '1');
    await paste(page, 'answers-context', input.context);
    await paste(page, 'answers-question', input.question);
    await settles(page, marksOf, [expect.answers[0].answer], 'answers-view');
    const none = caseOf(kBert, 'qa', 'qa-impossible-h');
    await paste(page, 'answers-context', none.input.context);
    await paste(page, 'answers-question', none.input.question);
    await until(page, 'answers-status', 'One question');
    await settles(page, (id) => document.querySelectorAll(`#${id} mark`).length, 1, 'answers-view');
    await tick(page, 'answers-none');
    await until(page, 'answers-status', 'The text seems to hold no answer');
    await settles(page, namesOfBars, ['(no answer in the text)'], 'answers-list');
    assertNear(await page.evaluate(sharesOf, 'answers-list'), [none.expect.answers[0].score], 'none');
    assert.deepEqual(await page.evaluate(marksOf, 'answers-view'), []);
    await paste(page, 'answers-question', ' ');
    await until(page, 'answers-status', 'Ask a question.');
  });

  test('missing words: the best of each mask; one that is pressed takes its place', async () => {
    await openPanel(page, 'fill');
    const { input, expect } = caseOf(kBert, 'fill-mask', 'mask-one-h');
    await paste(page, 'fill-text', input.text);
    const words = expect.masks[0].map(({ token }) => token);
    await fillsLike(page, expect.masks[0][0].score);
    assert.deepEqual((await page.evaluate(namesOfBars, 'fill-masks')).slice(0, 1), [words[0]]);
    assert.equal((await page.evaluate(sharesOf, 'fill-masks')).length, 5);
    // By keyboard: from the count to the first word.
    await page.focus('#fill-count');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const filled = input.text.replace('[MASK]', words[0]);
    const state = () => {
      const { value, selectionStart, selectionEnd } = document.activeElement;
      return [value, value.slice(selectionStart, selectionEnd)];
    };
    await settles(page, state, [filled, words[0]]);
    await until(page, 'fill-status', 'Write [MASK] where a word is to be found');
    await page.$eval('#fill-text', (field) => field.setSelectionRange(0, 3));
    await page.click('#fill-insert');
    await settles(page, state, [filled.replace('the', '[MASK]'), '']);
    await until(page, 'fill-status', '1 missing word');
    await paste(page, 'fill-text', caseOf(kBert, 'fill-mask', 'mask-two-h').input.text);
    await until(page, 'fill-status', '2 missing words');
    assert.deepEqual(
      await page.$$eval('#fill-masks h2', (all) => all.map((one) => one.textContent)),
      ['Missing word 1', 'Missing word 2'],
    );
  });

  test('missing words: [MASK] is understood by a model that writes <mask>', async () => {
    await loadFolder(page, `${kFamilies}/fixtures/roberta-mlm`);
    const { input, expect } = caseOf(kFamilies, 'fill-mask', 'mask-roberta-mlm-h');
    await paste(page, 'fill-text', input.text.replace('<mask>', '[MASK]'));
    await fillsLike(page, expect.masks[0][0].score);
  });

  test('zero-shot: labels as typed, one of them or several', async () => {
    await openPanel(page, 'zero-shot');
    const one = caseOf(kFamilies, 'zero-shot', 'zero-bert-nli-h');
    await paste(page, 'zero-shot-text', one.input.text);
    await paste(page, 'zero-shot-labels', `${one.input.labels.join('\n')}\n\nriver`);
    const expected = one.expect.results;
    const labels = expected.map(({ label }) => label);
    await settles(page, namesOfBars, labels, 'zero-shot-bars');
    const shares = await page.evaluate(sharesOf, 'zero-shot-bars');
    assertNear(shares, expected.map(({ score }) => score), 'one of them');
    const many = caseOf(kFamilies, 'zero-shot', 'zero-bert-nli-multi-h');
    await paste(page, 'zero-shot-template', many.options.hypothesis_template);
    await paste(page, 'zero-shot-labels', many.input.labels.join('\n'));
    await tick(page, 'zero-shot-multi');
    const several = many.expect.results;
    await settles(page, namesOfBars, several.map(({ label }) => label), 'zero-shot-bars');
    assertNear(
      await page.evaluate(sharesOf, 'zero-shot-bars'),
      several.map(({ score }) => score),
      'several',
    );
    await paste(page, 'zero-shot-template', 'nothing');
    await until(page, 'zero-shot-status', 'The sentence needs {}');
  });

  test('rank: best first, drawn as they come', async () => {
    await openPanel(page, 'rank');
    const { input, expect } = caseOf(kFamilies, 'classify', 'cls-bert-rank-h');
    const [item] = input.items;
    await paste(page, 'rank-query', item.text);
    await paste(page, 'rank-lines', `${item.pair}\n\n`);
    await settles(page, () => document.querySelectorAll('#rank-list li').length, 1);
    const score = await page.$eval('#rank-list .score', (one) => Number(one.textContent));
    assertNear([score], [expect.results[0][0].score], 'its score');
    await page.evaluate(() => {
      window.steps = new Set();
      const list = document.getElementById('rank-list');
      new MutationObserver(() => window.steps.add(list.textContent)).observe(list, {
        childList: true,
      });
    });
    const lines = Array.from({ length: 4000 }, (_, i) => `the child and the boat ${i % 97} ${i}`);
    await paste(page, 'rank-lines', lines.join('\n'));
    await until(page, 'rank-status', '4,000 texts');
    const scores = await page.$$eval('#rank-list .score', (all) =>
      all.map((one) => Number(one.textContent)),
    );
    assert.equal(scores.length, 50);
    assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
    assert.ok((await page.evaluate(() => window.steps.size)) > 3, 'all came at once');
  });

  test('typing fast: the last text wins, without a word about the others', async () => {
    await openPanel(page, 'entities');
    const { input, expect } = caseOf(kBert, 'ner', 'ner-simple-h');
    await page.evaluate((text) => {
      const field = document.getElementById('entities-text');
      window.told = [];
      const status = document.getElementById('entities-status');
      new MutationObserver(() => window.told.push(status.textContent)).observe(status, {
        childList: true,
      });
      for (let end = 1; end <= text.length; end += 1)
        setTimeout(() => {
          field.value = text.slice(0, end);
          field.dispatchEvent(new Event('input'));
        }, 30 * end);
    }, input.text);
    const stretches = expect.entities.map((one) => input.text.slice(one.start, one.end));
    await settles(page, marksOf, stretches, 'entities-view');
    const told = await page.evaluate(() => window.told);
    assert.deepEqual(told.filter((message) => !/ marked, /.test(message)), []);
  });

  test('tokens of byte-level BPE and of Unigram: the text is whole, and what is not read is pale', async () => {
    await page.click('#tab-tokens');
    for (const [folder, unknown] of [['roberta', 0], ['xlmr', 1]]) {
      await loadFolder(page, `${kFamilies}/fixtures/${folder}`);
      const text = 'The naïve 🦉 of 東京 e\u0301 שלום ';
      await paste(page, 'tokens-text', text);
      await until(page, 'tokens-status', `from ${text.length} characters`);
      const drawn = await page.$eval('#tokens-view', (view) =>
        [...view.childNodes]
          .filter((node) => !node.classList?.contains('special'))
          .map((node) => node.textContent)
          .join(''),
      );
      assert.equal(drawn, text);
      assert.equal((await page.$$('#tokens-view .unknown')).length > 0, unknown === 1, folder);
      await paste(page, 'tokens-text', 'boat '.repeat(80));
      await until(page, 'tokens-status', 'The model reads the first');
      const kept = Number(/the first (\d+)/.exec(await textOf(page, 'tokens-status'))[1]);
      const read = await page.$$eval('#tokens-view .token', (all) =>
        all.filter((token) => !token.classList.contains('over')).length,
      );
      assert.equal(read, kept);
    }
  });

  test('the list of requests is complete, and tells scripts of panels from others', async () => {
    await assertListIsComplete(page, site);
    const file = /\/assets\/entities_panel-[\w-]+\.js/;
    assert.match(await textOf(page, 'network-table'), file);
    assert.deepEqual(
      problems.filter((problem) => !/status of 404/.test(problem)),
      [],
    );
    assert.deepEqual(await page.evaluate('window.violations'), []);
  });
});
