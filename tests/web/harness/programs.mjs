// Where the browsers of the tests are, and how they get there.

import { existsSync } from 'node:fs';
import { BuildError, onPath, runQuietly, say } from '../../../web/build/process.mjs';

/** @typedef {'chromium' | 'firefox' | 'webkit'} BrowserEngine */

/** The engines in which the tests run: those of Chrome and Edge, of Firefox, of Safari. */
export const kBrowserEngines = /** @type {const} */ (['chromium', 'firefox', 'webkit']);

/** Programs by engine: an environment variable may name one, else the first name found on PATH. */
const kPrograms = {
  chromium: {
    variable: 'POCKETBERT_CHROMIUM',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium'],
  },
  firefox: {
    variable: 'POCKETBERT_FIREFOX',
    names: ['firefox-esr', 'firefox'],
    packages: ['firefox-esr'],
  },
  webkit: {
    variable: 'POCKETBERT_WEBKIT_DRIVER',
    names: ['WebKitWebDriver'],
    packages: ['webkit2gtk-driver'],
  },
  display: { variable: 'POCKETBERT_XVFB', names: ['Xvfb'], packages: ['xvfb'] },
};

/**
 * Path of an engine's program (for `webkit` its WebDriver server), or undefined.
 * @param {keyof typeof kPrograms} name
 * @returns {string | undefined}
 */
export function programOf(name) {
  const { variable, names } = kPrograms[name];
  const named = process.env[variable];
  if (named) return existsSync(named) ? named : undefined;
  for (const candidate of names) {
    const path = onPath(candidate);
    if (path) return path;
  }
  return undefined;
}

/** Installs what is missing with apt-get (as root on Debian); elsewhere says what to install. */
export async function ensureBrowsers() {
  const missing = Object.keys(kPrograms).filter((name) => !programOf(name));
  if (missing.length === 0) return;
  const packages = missing.flatMap((name) => kPrograms[name].packages);
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !onPath('apt-get')) {
    const variables = missing.map((name) => kPrograms[name].variable);
    throw new BuildError(`browsers for the tests are missing: ${missing.join(', ')}.
On Debian install ${packages.join(', ')}; elsewhere install them and name their programs in ${variables.join(', ')}.
The tests without browsers: npm run test:native, test:wasm, test:web, test:cases, test:checks.`);
  }
  say(`installing the browsers of the tests: ${missing.join(', ')}`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  await runQuietly('refreshing the package lists', 'apt-get', ['update'], options);
  await runQuietly(
    'installing browsers',
    'apt-get',
    ['install', '-y', '--no-install-recommends', ...packages],
    options,
  );
  const still = missing.filter((name) => !programOf(name));
  if (still.length > 0)
    throw new BuildError(
      `installed ${packages.join(', ')}, but found no program for: ${still.join(', ')}`,
    );
}
