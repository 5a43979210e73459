// The option `wasm`: for who moves the package's files, the module that imports folders too.

import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { Embedder } from 'pocketbert';
import { serveFiles } from './support/file_server.mjs';
import { fixtures, temporaryFolder } from './support/program.mjs';

const folder = join(fixtures, 'enc');
const fileOf = (name) => join('dist', `pocketbert-${name}.wasm`);

async function vectorOf(wasm) {
  const embedder = await Embedder.create({ model: folder, variant: 'simd', wasm });
  try {
    return [...(await embedder.embed('umbrella'))];
  } finally {
    await embedder.destroy();
  }
}

test('files by name: bytes, modules, paths, addresses; those left out are the package’s own', async (t) => {
  const expected = await vectorOf(undefined);
  const moved = temporaryFolder(t);
  for (const name of ['simd', 'import']) cpSync(fileOf(name), join(moved, `${name}-4f2a.wasm`));
  const { url, requests } = await serveFiles(t, moved);
  const forms = {
    bytes: (name) => readFileSync(fileOf(name)),
    module: (name) => new WebAssembly.Module(readFileSync(fileOf(name))),
    path: (name) => join(moved, `${name}-4f2a.wasm`),
    'address of a file': (name) => pathToFileURL(join(moved, `${name}-4f2a.wasm`)),
    address: (name) => `${url}${name}-4f2a.wasm`,
    URL: (name) => new URL(`${name}-4f2a.wasm`, url),
  };
  for (const [form, of] of Object.entries(forms)) {
    assert.deepEqual(await vectorOf({ simd: of('simd'), import: of('import') }), expected, form);
    assert.deepEqual(await vectorOf({ import: of('import') }), expected, `${form}, import alone`);
  }
  assert.equal(requests.filter((path) => path === '/import-4f2a.wasm').length, 4);
  assert.equal(requests.filter((path) => path === '/simd-4f2a.wasm').length, 2);
});

test('another module than its name says, and one that is not there', async () => {
  const simd = readFileSync(fileOf('simd'));
  await assert.rejects(vectorOf({ import: simd }), { code: 'format', message: /is simd, expected import/ });
  await assert.rejects(vectorOf({ simd: readFileSync(fileOf('import')) }), { code: 'format', message: /is variant import, expected simd/ });
  await assert.rejects(vectorOf({ import: './no/such.wasm' }), { code: 'network', message: /no\/such\.wasm/ });
  await assert.rejects(vectorOf({ imports: simd }), {
    code: 'invalid_argument',
    message: /there is no imports in wasm; there are import, /,
  });
});
