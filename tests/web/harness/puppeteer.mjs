// Chromium (DevTools protocol) and Firefox (WebDriver BiDi) through puppeteer-core.

import { launch } from 'puppeteer-core';
import { programOf } from './programs.mjs';

// Nothing but the page may use the network, and as root Chromium's sandbox is not to be had.
const kChromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const kFirefoxSettings = {
  'app.update.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/**
 * Starts Chromium or Firefox without a window.
 * @param {'chromium' | 'firefox'} engine
 * @param {import('puppeteer-core').LaunchOptions} [options] further ones: a profile's folder
 */
export async function startPuppeteer(engine, options = {}) {
  const executablePath = programOf(engine);
  if (!executablePath) throw new Error(`${engine} is not installed`);
  return engine === 'chromium'
    ? launch({
        ...options,
        browser: 'chrome',
        executablePath,
        headless: true,
        args: kChromiumArguments,
        protocolTimeout: 600_000,
      })
    : launch({
        ...options,
        browser: 'firefox',
        executablePath,
        headless: true,
        extraPrefsFirefox: kFirefoxSettings,
        protocolTimeout: 600_000,
      });
}
