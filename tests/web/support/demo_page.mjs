// Driving the demo page through puppeteer.

import assert from 'node:assert/strict';
import { kRowPaths, loggedPaths, serveDemo, surplus } from './demo_site.mjs';

const kPatience = 120_000; // ms: the machine may be busy

/**
 * A fresh page on a fresh server, with what went wrong in it.
 * @param {import('puppeteer-core').Browser} browser Chromium or Firefox
 * @param {{ width?: number, height?: number, isMobile?: boolean, hasTouch?: boolean,
 * withheld?: RegExp }} [options] the window in CSS pixels, and addresses that the server never
 * answers; without them the first results are waited for
 */
export async function openDemo(browser, { width = 1280, height = 900, withheld, ...screen } = {}) {
  const site = await serveDemo(withheld);
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  await page.setViewport({ width, height, ...screen });
  const problems = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type()))
      problems.push(`${message.text()} ${message.location().url ?? ''}`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.evaluateOnNewDocument(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violations.push(event.blockedURI),
    );
  });
  await page.goto(site.url);
  if (withheld === undefined) await page.waitForSelector('#search-results li');
  const close = async () => {
    await context.close();
    await site.close();
  };
  return { page, site, problems, close };
}

export const textOf = (page, id) => page.$eval(`#${id}`, (element) => element.textContent);

/** Waits until the element holds a text. */
export async function until(page, id, what) {
  await page
    .waitForFunction(
      (id, what) => document.getElementById(id).textContent.includes(what),
      {},
      id,
      what,
    )
    .catch(async () =>
      assert.fail(`#${id} is "${await textOf(page, id)}", expected "${what}" in it`),
    );
}

/** Puts a text into a field as pasting does. */
export const paste = (page, id, text) =>
  page.$eval(
    `#${id}`,
    (field, value) => {
      field.value = value;
      field.dispatchEvent(new Event('input'));
    },
    text,
  );

/** Fails unless the network panel and the server's log tell the same. */
export async function assertListIsComplete(page, site) {
  await page.click('#tab-network');
  const deadline = Date.now() + 10_000;
  let rows;
  do {
    rows = await page.evaluate(kRowPaths);
  } while (surplus(loggedPaths(site), rows).length > 0 && Date.now() < deadline);
  assert.deepEqual(surplus(loggedPaths(site), rows), [], 'requests that the page does not list');
  assert.deepEqual(surplus(rows, loggedPaths(site)), [], 'rows that were no requests');
}
