// The demo page in Firefox and WebKitGTK: it loads, searches, lists what it asked for, and finds
// entities with another model.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startPuppeteer } from './harness/puppeteer.mjs';
import { startWebKit } from './harness/webdriver.mjs';
import { kRowPaths, loggedPaths, serveDemo, surplus } from './support/demo_site.mjs';

const kPatience = 120_000; // ms

/** `open(address)`, `evaluate(source)`, `close()` of either browser. */
async function start(engine) {
  if (engine === 'webkit') return startWebKit();
  const browser = await startPuppeteer(engine);
  const page = await browser.newPage();
  return {
    open: (url) => page.goto(url),
    evaluate: (source) => page.evaluate(source),
    close: () => browser.close(),
  };
}

/** Asks the page until the answer passes. */
async function poll(window, source, passes) {
  const end = Date.now() + kPatience;
  for (;;) {
    const value = await window.evaluate(source);
    if (passes(value)) return value;
    assert.ok(Date.now() < end, `${source} stays ${JSON.stringify(value)}`);
    await new Promise((wake) => setTimeout(wake, 200));
  }
}

const type = (id, text) => `(() => {
  const field = document.getElementById(${JSON.stringify(id)});
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event('input'));
  return true;
})()`;
const textOf = (id) => `document.getElementById('${id}')?.textContent ?? ''`;

/** What is found in a text with characters of two units, as the reference has it. */
const { cases } = JSON.parse(
  readFileSync(new URL('../cases/hand/ner.json', import.meta.url), 'utf8'),
);
const kEntities = cases.find(({ id }) => id === 'ner-utf16-h');
const kMarked = kEntities.expect.entities
  .map(({ start, end }) => kEntities.input.text.slice(start, end))
  .join('|');
const kMarks =
  "[...document.querySelectorAll('#entities-view mark')].map((mark) => mark.firstChild.data).join('|')";

/** Loads a model by its address into the panel of entities. */
async function tagEntities(window, site) {
  await window.evaluate("(document.getElementById('tab-entities').click(), true)");
  await poll(window, textOf('entities-lack'), (text) => text.startsWith('Default does not label'));
  await window.evaluate(`(() => {
    document.getElementById('model-url').value = ${JSON.stringify(`${site.url}models/ner/`)};
    document.getElementById('model-url-form').requestSubmit();
    return true;
  })()`);
  await poll(window, textOf('model-status'), (text) => text === 'ner is ready.');
  await window.evaluate(type('entities-text', kEntities.input.text));
  await poll(window, kMarks, (text) => text === kMarked);
}

for (const engine of ['firefox', 'webkit']) {
  describe(engine, () => {
    test('loads, searches, classifies, lists every request, finds entities', async () => {
      const site = await serveDemo();
      const window = await start(engine);
      try {
        await window.open(site.url);
        const best =
          "(document.querySelector('#search-results mark') ?? " +
          "document.getElementById('model-error')).textContent";
        await poll(window, best, (text) => text.startsWith('Cacti store water'));
        await window.evaluate(type('search-query', 'my internet connection is broken'));
        await poll(window, best, (text) => text.includes('router'));
        await window.evaluate("(document.getElementById('tab-classify').click(), true)");
        await window.evaluate(
          type('classify-text', 'Their striker scored twice before half time.'),
        );
        await poll(
          window,
          "document.querySelector('[data-head=topics] .name')?.textContent",
          (text) => text === 'Sports',
        );
        const variant = await window.evaluate(textOf('fact-variant'));
        const notes = await window.evaluate(textOf('notes-list'));
        assert.ok(
          variant === 'relaxed-mt' || notes.includes('relaxed-mt is not used: '),
          `${variant} ${notes}`,
        );
        await window.evaluate("(document.getElementById('tab-network').click(), true)");
        const unlisted = (found) => surplus(loggedPaths(site), found);
        const isThread = (path) => variant === 'relaxed-mt' && /\/assets\/[\w-]+\.js$/.test(path);
        const rows = await poll(window, kRowPaths, (found) => unlisted(found).every(isThread));
        assert.deepEqual(surplus(rows, loggedPaths(site)), []);
        // Firefox has no records of the scripts of threads: then the page must say so.
        const confessed = (await window.evaluate(textOf('network-summary'))).includes(
          'keeps no record of what threads fetch',
        );
        assert.equal(unlisted(rows).length > 0, confessed, unlisted(rows).join(' '));
        await poll(window, textOf('network-since'), (text) =>
          text.endsWith('Requests made in that time: 0.'),
        );
        await tagEntities(window, site);
        await window.evaluate("(document.getElementById('tab-network').click(), true)");
        // WebKit has no records of scripts that the second worker had already, nor, one time in three, of a
        // short file of the model: then the page must say so.
        const mayLack = (path) =>
          /\/assets\/[\w-]+\.js$/.test(path) ||
          (engine === 'webkit' && path.startsWith('/models/ner/'));
        await poll(window, `[${kRowPaths}, ${textOf('network-summary')}]`, ([found, summary]) => {
          const left = unlisted(found);
          return left.every(mayLack) && (left.length > 0) === summary.includes('keeps no record');
        });
        await site.close();
        await window.evaluate(type('entities-text', ''));
        await poll(window, kMarks, (text) => text === '');
        await window.evaluate(type('entities-text', kEntities.input.text));
        await poll(window, kMarks, (text) => text === kMarked);
      } finally {
        await window.close();
        await site.close();
      }
    });
  });
}
