// Pages of one browser, several at a time, whose `window.bench` is called from here.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPuppeteer } from '../tests/web/harness/puppeteer.mjs';
import { startWebKit } from '../tests/web/harness/webdriver.mjs';

const kCallTimeout = 600_000; // ms

/**
 * @typedef {object} Tab
 * @property {(name: string, ...args: unknown[]) => Promise<any>} call a function of `window.bench`
 * @property {() => Promise<void>} close
 * @property {import('puppeteer-core').Page} [page] Chromium and Firefox only
 *
 * @typedef {object} Browser
 * @property {string} version
 * @property {(url: string) => Promise<Tab>} open resolves when the page's script has run
 * @property {() => Promise<void>} close
 */

async function untilReady(evaluate, url) {
  const end = performance.now() + 60_000;
  while (!(await evaluate('window.ready === true'))) {
    if (performance.now() > end) throw new Error(`${url}: the page's script did not run`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

async function openPuppeteer(engine) {
  const profile = mkdtempSync(join(tmpdir(), 'pocketbert-bench-'));
  const forget = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', forget);
  const browser = await startPuppeteer(engine, { userDataDir: profile });
  return {
    version: await browser.version(),
    browser,
    async open(url) {
      const page = await browser.newPage();
      const log = [];
      page.on('pageerror', (error) =>
        log.push(error instanceof Error ? error.message : String(error)),
      );
      await page.goto(url);
      await untilReady((source) => page.evaluate(source), url).catch((error) => {
        throw new Error([error.message, ...log].join('; '));
      });
      return {
        page,
        async call(name, ...args) {
          await page.bringToFront();
          return page.evaluate((what, words) => window.bench[what](...words), name, args);
        },
        close: () => page.close(),
      };
    },
    async close() {
      await browser.close();
      process.off('exit', forget);
      forget();
    },
  };
}

const kWebKitCall = `const [name, args, done] = arguments;
window.bench[name](...args).then((value) => done({ value }), (error) => done({ error: String(error) }));`;

async function openWebKit() {
  const window = await startWebKit();
  const { session } = window;
  await session('POST', '/timeouts', { script: kCallTimeout, pageLoad: kCallTimeout });
  return {
    version: await window.evaluate('navigator.userAgent'),
    async open(url) {
      const { handle } = await session('POST', '/window/new', { type: 'tab' });
      await session('POST', '/window', { handle });
      await window.open(url);
      await untilReady(window.evaluate, url);
      return {
        async call(name, ...args) {
          await session('POST', '/window', { handle });
          const answer = await session('POST', '/execute/async', {
            script: kWebKitCall,
            args: [name, args],
          });
          if (answer.error !== undefined) throw new Error(answer.error);
          return answer.value;
        },
        async close() {
          await session('POST', '/window', { handle });
          const [first] = await session('DELETE', '/window');
          if (first) await session('POST', '/window', { handle: first });
        },
      };
    },
    close: window.close,
  };
}

/**
 * Starts a browser with a profile of its own, which has nothing cached.
 * @param {'chromium' | 'firefox' | 'webkit'} engine
 * @returns {Promise<Browser>}
 */
export const openBrowser = (engine) => (engine === 'webkit' ? openWebKit() : openPuppeteer(engine));
