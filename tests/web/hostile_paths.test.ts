/** Paths that a model's own files name and that lead out of its folder: nothing is fetched or opened. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { failure } from './support/errors.js';
import { load } from './support/loading.js';
import { safetensors, texts } from './support/model_files.js';
import { serve, type FileServer } from './support/server.js';

type Files = Record<string, string | Uint8Array<ArrayBuffer>>;

const transformer = { path: '', type: 'sentence_transformers.models.Transformer' };
const module = (kind: string, path: string) => ({
  path,
  type: `sentence_transformers.models.${kind}`,
});
const modules = (...list: readonly object[]): Files => ({ 'modules.json': JSON.stringify(list) });
const weights = { 'model.safetensors': safetensors({ a: 8 }) };

/** Every place in a folder from which a path is taken. */
const places: { readonly [name: string]: (path: string) => Files } = {
  shard: (path) => ({
    'model.safetensors.index.json': JSON.stringify({
      weight_map: { a: `${path}/x.safetensors` },
    }),
  }),
  encoder: (path) => modules(module('Transformer', path)),
  pooling: (path) => ({ ...modules(transformer, module('Pooling', path)), ...weights }),
  dense: (path) => ({ ...modules(transformer, module('Dense', path)), ...weights }),
  head: (path) => ({
    'config.json': JSON.stringify({ model_type: 'bert', pocketbert: { heads: [path] } }),
    ...weights,
  }),
};

describe('paths out of the folder', () => {
  let server: FileServer;
  let other: FileServer;
  let root: string;
  before(async () => {
    [server, other] = await Promise.all([serve({}), serve({ '*': '{}' })]);
    root = mkdtempSync(join(tmpdir(), 'pocketbert-paths-'));
    mkdirSync(join(root, 'outside'));
    writeFileSync(join(root, 'outside/x.safetensors'), safetensors({ a: 8 }));
    writeFileSync(join(root, 'outside/config.json'), '{}');
  });
  after(async () => {
    rmSync(root, { recursive: true, force: true });
    await Promise.all([server.close(), other.close()]);
  });

  const outside = (): string[] => [
    other.url.slice(0, -1),
    other.url.slice('http:'.length, -1),
    `\t${other.url}`,
    `ht\ntp:${other.url.slice('http:'.length)}`,
    `\\\\${new URL(other.url).host}`,
    '/outside',
    '../outside',
    'a/../../outside',
    '..',
    '. ./x\u0000',
    'file:///outside',
    'a//b',
  ];

  for (const [place, filesFor] of Object.entries(places)) {
    // A head lies in heads/: only what climbs or cannot be a name leads out of it.
    const refused = (path: string): boolean =>
      place !== 'head' || /\.\.\/|\\|[\u0000-\u001f]|\/\//.test(path);
    test(`${place}: behind an address, on the disk, in a record`, async () => {
      for (const path of outside().filter(refused)) {
        const files: Files = { ...texts, ...filesFor(path) };
        const expected = failure('format', /is named by a file of the model; expected a path within/);
        server.files.clear();
        server.requests.length = 0;
        for (const [name, content] of Object.entries(files)) {
          server.files.set(`m/${name}?token=secret`, content);
        }
        await assert.rejects(load(`${server.url}m/?token=secret`), expected, `address: ${path}`);
        assert.ok(server.requests.every((request) => request.startsWith('m/')));

        // A store that lists its files has the heads that lie in it.
        if (place === 'head') continue;
        await assert.rejects(load(files), expected, `record: ${path}`);
        const folder = mkdtempSync(join(root, 'm-'));
        for (const [name, content] of Object.entries(files)) {
          mkdirSync(dirname(join(folder, name)), { recursive: true });
          writeFileSync(join(folder, name), content);
        }
        await assert.rejects(load(folder), expected, `disk: ${path}`);
      }
      assert.deepEqual(other.requests, []);
    });
  }

  test('names that look odd stay below the folder of an address', async () => {
    for (const shard of ['a%2e%2e', '%2e%2e/x', 'a?b', 'a#b', 'ü b', 'a:b']) {
      server.files.clear();
      server.requests.length = 0;
      const index = JSON.stringify({ weight_map: { a: `p/${shard}.safetensors` } });
      const files = { ...texts, 'model.safetensors.index.json': index };
      for (const [name, content] of Object.entries(files)) {
        server.files.set(`m/${name}?token=7`, content);
      }
      server.files.set(`m/p/${shard}.safetensors?token=7`, safetensors({ a: 8 }));
      await load(`${server.url}m/?token=7`);
      assert.ok(server.requests.includes(`m/p/${shard}.safetensors?token=7`), shard);
    }
  });
});
