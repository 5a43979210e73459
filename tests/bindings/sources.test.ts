import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadEngine } from '../../web/src/core/engine.js';
import type { EngineOptions } from '../../web/src/core/types.js';
import { fixture, importFolder, kImportWasm, load, rejection, wasmPath } from './support/setup.js';

const kBytes = new Uint8Array(readFileSync(wasmPath('simd')));

/** A one-file model: to open it takes no other module. */
const kFile = await (async () => {
  const engine = await load('simd');
  const file = (await importFolder(engine, fixture('enc'))).bytes().slice();
  engine.destroy();
  return file;
})();

async function works(options: EngineOptions): Promise<void> {
  const engine = await loadEngine(options);
  try {
    assert.equal(engine.variant, 'simd');
    assert.equal(engine.openModel(kFile).embed(['boat']).count, 1);
  } finally {
    engine.destroy();
  }
}

const answer = (body: BodyInit, type: string, status = 200) =>
  async () => new Response(body, { status, headers: { 'content-type': type } });

test('bytes, a view, a module, a path, a file URL: the variant is read from the source itself', async () => {
  const view = new Uint8Array([1, 2, 3, ...kBytes]).subarray(3);
  const sources = [kBytes, kBytes.buffer, view, new WebAssembly.Module(kBytes), wasmPath('simd'),
    resolve(wasmPath('simd')), pathToFileURL(wasmPath('simd')), pathToFileURL(wasmPath('simd')).href];
  for (const wasm of sources) await works({ wasm });
});

test('a table by variant, and a variant that the table lacks falls to the own file', async () => {
  await works({ variant: 'simd', wasm: { simd: kBytes } });
});

test('one module runs several engines', async () => {
  const module = new WebAssembly.Module(kBytes);
  const engines = await Promise.all([1, 2, 3].map(() => loadEngine({ wasm: module })));
  const vectors = engines.map((engine) => engine.openModel(kFile).embed(['boat']).data);
  assert.deepEqual(vectors[0], vectors[2]);
  for (const engine of engines) engine.destroy();
});

test('fetched, streaming or not', async () => {
  for (const type of ['application/wasm', 'application/octet-stream']) {
    await works({ wasm: 'https://example.test/x.wasm', fetch: answer(kBytes, type) });
  }
});

test('another variant than the one asked for', async () => {
  const error = await rejection('format', loadEngine({ variant: 'simd', wasm: wasmOf('relaxed') }));
  assert.match(error.message, /variant relaxed, expected simd/);
});

/** A module that only says which variant it is. */
function wasmOf(variant: string): Uint8Array {
  const name = new TextEncoder().encode('pocketbert');
  const value = new TextEncoder().encode(variant);
  return new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    0, 1 + name.length + value.length, name.length, ...name, ...value]);
}

test('what is no wasm of ours is refused with what was found', async () => {
  const page = '<!DOCTYPE html><title>Not found</title>';
  const fetched = loadEngine({ wasm: 'https://example.test/x.wasm', fetch: answer(page, 'text/html') });
  assert.match((await rejection('format', fetched)).message, /x\.wasm.*status 200.*text\/html.*<!DOCTYPE html>/);
  const bytes = loadEngine({ wasm: new TextEncoder().encode(page) });
  assert.match((await rejection('format', bytes)).message, /<!DOCTYPE html>/);
  const foreign = loadEngine({ wasm: new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) });
  assert.match((await rejection('format', foreign)).message, /not one of PocketBERT/);
});

test('a file that is not there', async () => {
  const missing = answer('', 'text/plain', 404);
  const fetched = loadEngine({ wasm: 'https://example.test/x.wasm', fetch: missing });
  assert.match((await rejection('network', fetched)).message, /x\.wasm.*404/);
  const offline = async () => {
    throw new TypeError('fetch failed');
  };
  await rejection('network', loadEngine({ wasm: 'https://example.test/x.wasm', fetch: offline }));
  assert.match((await rejection('network', loadEngine({ wasm: './no/such.wasm' }))).message, /no\/such\.wasm/);
});

test('a variant that is none', async () => {
  await rejection('invalid_argument', loadEngine({ variant: 'fast' as 'simd' }));
});

test('an abort before and during the download', async () => {
  await rejection('aborted', loadEngine({ wasm: kBytes, signal: AbortSignal.abort() }));
  const controller = new AbortController();
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      queueMicrotask(() => controller.abort());
    });
  await rejection('aborted', loadEngine({ wasm: 'https://example.test/x.wasm', fetch, signal: controller.signal }));
});

test('a failed load can be retried', async () => {
  await rejection('network', loadEngine({ wasm: './no/such.wasm' }));
  await works({ wasm: kBytes });
});

test('the module for folders: from the table, and only itself', async () => {
  const folder = { 'config.json': '{' };
  const given = async (source: EngineOptions['wasm']) => {
    const engine = await loadEngine({ variant: 'simd', wasm: source });
    try {
      await engine.createImporter(folder);
    } finally {
      engine.destroy();
    }
  };
  const simd = wasmPath('simd');
  const found = await rejection('format', given({ simd, import: kImportWasm }));
  assert.match(found.message, /config\.json/);
  const wrong = await rejection('format', given({ simd, import: simd }));
  assert.match(wrong.message, /is simd, expected import/);
});
