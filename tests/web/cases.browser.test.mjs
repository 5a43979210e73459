// Cases with reference values in each browser, through the public API: every kind, every model
// family with every head, every kind of tokenizer; played by the runner that plays all of them in
// node.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { kFamilies } from '../cases/runner/errors.mjs';
import { chooseCases, kKinds } from './cases/choose.mjs';
import { kBrowserEngines, runInBrowser } from './harness/browsers.mjs';
import { serveTestSite } from './harness/site.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const kMinutes = 60_000;

/** What of the site the bundle leaves as it is: the package and the harness. */
const fromSite = {
  name: 'from-site',
  setup(bundler) {
    const stays = (path) => ({ path, external: true });
    bundler.onResolve({ filter: /^pocketbert$/ }, () => stays('/dist/index.js'));
    bundler.onResolve({ filter: /^\/harness\// }, ({ path }) => stays(path));
  },
};

let folder;
let chosen;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pocketbert-cases-'));
  chosen = await chooseCases();
  const { suites, listings } = chosen;
  await writeFile(join(folder, 'plan.json'), JSON.stringify({ suites, listings }));
  await build({
    entryPoints: [at('cases/page.js')],
    outfile: join(folder, 'page.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    plugins: [fromSite],
    logLevel: 'error',
  });
});
after(() => folder && rm(folder, { recursive: true, force: true }));

test('no kind and no family is left out', () => {
  const kinds = new Set(chosen.suites.filter(({ cases }) => cases.length > 0).map((one) => one.kind));
  assert.deepEqual([...kinds].sort(), [...kKinds].sort());
  // `new` is what gte was called before; only its name differs.
  const missing = [...kFamilies].filter((name) => name !== 'new' && !chosen.families.has(name));
  assert.deepEqual(missing, []);
});

test('weights of an ONNX graph are not left out', () => {
  const all = chosen.suites.flatMap(({ cases }) => cases);
  assert.ok(all.some(({ options }) => options.weights?.endsWith('.onnx')));
});

for (const engine of kBrowserEngines) {
  test(`${engine} gives the reference's values`, { timeout: 6 * kMinutes }, async () => {
    // Not isolated, so without threads: the bits are the same with them (bits.browser.test.mjs), and
    // Firefox now and then stops for good while a page makes the thirtieth engine with threads.
    const site = await serveTestSite(folder, {
      isolation: false,
      also: [['/families/', at('../cases-families')]],
    });
    try {
      const lines = await runInBrowser(engine, `${site.url}blank.html?module=/page.js`, {
        timeout: 5 * kMinutes,
      });
      const count = chosen.suites.reduce((sum, { cases }) => sum + cases.length, 0);
      assert.equal(lines.at(-1), `${count} passed, 0 failed, 0 skipped`, lines.join('\n'));
    } finally {
      await site.close();
    }
  });
}
