// Running a page in a browser and getting its result.
//
// The page does its work and sets `window.result` to a value that JSON can hold, or
// `window.failure` to a text; `page.js` beside this file does that for a function. See
// capabilities.browser.test.mjs for a whole example.

import { startPuppeteer } from './puppeteer.mjs';
import { kBrowserEngines } from './programs.mjs';
import { startWebKit } from './webdriver.mjs';

export { kBrowserEngines };

/**
 * @typedef {object} RunOptions
 * @property {number} [timeout] Milliseconds until the page must have set its result; default
 * 120000.
 */

/**
 * @typedef {object} TestBrowser
 * @property {import('./programs.mjs').BrowserEngine} engine
 * @property {(url: string, options?: RunOptions) => Promise<any>} run Opens the page, waits for its
 * result, returns it.
 * @property {() => Promise<void>} close
 */

const kDefaultTimeout = 120_000;
const kPollEvery = 100;
const kProbe =
  'JSON.stringify({ result: window.result, failure: window.failure, log: window.pageLog })';

/** Polls `evaluate` until the page has a result. */
async function waitForResult(engine, url, evaluate, log, timeout) {
  const end = performance.now() + timeout;
  let last = {};
  while (performance.now() < end) {
    last = JSON.parse((await evaluate(kProbe)) ?? '{}');
    if (last.failure !== undefined || last.result !== undefined) break;
    await new Promise((wake) => setTimeout(wake, kPollEvery));
  }
  if (last.failure === undefined && last.result !== undefined) return last.result;
  const why = last.failure ?? `no result within ${timeout} ms`;
  const lines = [...log, ...(last.log ?? [])];
  throw new Error(
    `${engine}, ${url}: ${why}\n${lines.map((line) => `  console: ${line}`).join('\n')}`,
  );
}

async function openPuppeteer(engine) {
  const browser = await startPuppeteer(engine);
  return {
    engine,
    async run(url, { timeout = kDefaultTimeout } = {}) {
      const page = await browser.newPage();
      const log = [];
      page.on('console', (message) => log.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) =>
        log.push(`error: ${error instanceof Error ? error.message : String(error)}`),
      );
      page.on('requestfailed', (request) =>
        log.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`),
      );
      try {
        await page.goto(url);
        return await waitForResult(engine, url, (source) => page.evaluate(source), log, timeout);
      } finally {
        await page.close();
      }
    },
    close: () => browser.close(),
  };
}

async function openWebKit() {
  const window = await startWebKit();
  return {
    engine: 'webkit',
    async run(url, { timeout = kDefaultTimeout } = {}) {
      await window.open(url);
      return waitForResult('webkit', url, window.evaluate, [], timeout);
    },
    close: window.close,
  };
}

/**
 * Starts a browser, which can run any number of pages one after the other.
 * @param {import('./programs.mjs').BrowserEngine} engine
 * @returns {Promise<TestBrowser>}
 */
export async function openBrowser(engine) {
  return /** @type {TestBrowser} */ (
    engine === 'webkit' ? await openWebKit() : await openPuppeteer(engine)
  );
}

/**
 * Opens one page in a browser of its own and returns what it set `window.result` to.
 * @param {import('./programs.mjs').BrowserEngine} engine
 * @param {string} url
 * @param {RunOptions} [options]
 * @returns {Promise<any>}
 */
export async function runInBrowser(engine, url, options) {
  const browser = await openBrowser(engine);
  try {
    return await browser.run(url, options);
  } finally {
    await browser.close();
  }
}

/**
 * A Chromium page to click and look at: calls `use(page)` with a puppeteer page at `url`.
 * `page.screenshot({ path })` writes a picture.
 * @template T
 * @param {string} url
 * @param {(page: import('puppeteer-core').Page) => Promise<T>} use
 * @param {{ width?: number, height?: number }} [size] of the window in CSS pixels
 * @returns {Promise<T>}
 */
export async function withChromiumPage(url, use, { width = 1280, height = 900 } = {}) {
  const browser = await startPuppeteer('chromium');
  try {
    const page = await browser.newPage();
    await page.setViewport({ width, height });
    await page.goto(url);
    return await use(page);
  } finally {
    await browser.close();
  }
}
