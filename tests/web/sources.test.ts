/** Models from every kind of source reach the engine byte for byte; what is wrong is said by name. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Session, type SessionOptions } from '../../web/src/models/session.js';
import type { Source } from '../../web/src/types.js';
import { failure } from './support/errors.js';
import { fakeEngines, type Books } from './support/fake_engine.js';
import { folder, oneFile, safetensors, texts } from './support/model_files.js';
import { serve, type FileServer } from './support/server.js';

type Options = Partial<Omit<SessionOptions, 'model' | 'loadEngine'>>;

async function load(model: Source, options: Options = {}): Promise<{ books: Books; session: Session }> {
  const { books, loadEngine } = fakeEngines();
  try {
    const session = await Session.open({ tokenizerOnly: false, ...options, model, loadEngine });
    await session.retain().release();
    return { books, session };
  } finally {
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(books.alive, 0, 'an engine was left behind');
  }
}

function sameBytes(found: Uint8Array | undefined, expected: Uint8Array | string | undefined): void {
  assert.ok(found !== undefined && expected instanceof Uint8Array);
  assert.ok(Buffer.from(found).equals(Buffer.from(expected)), 'the bytes that arrived differ');
}

/** A handle as the file picker gives it, over a record of files. */
function handleOf(files: { readonly [path: string]: Uint8Array<ArrayBuffer> | string }, name = 'picked') {
  class Handle {
    readonly kind = 'directory';
    readonly name: string;
    readonly prefix: string;
    constructor(own: string, prefix: string) {
      this.name = own;
      this.prefix = prefix;
    }
    async *entries() {
      const seen = new Set<string>();
      for (const path of Object.keys(files)) {
        if (!path.startsWith(this.prefix)) continue;
        const [first = '', ...rest] = path.slice(this.prefix.length).split('/');
        if (seen.has(first)) continue;
        seen.add(first);
        yield [first, { kind: rest.length > 0 ? 'directory' : 'file' }];
      }
    }
    async getDirectoryHandle(child: string) {
      const prefix = `${this.prefix}${child}/`;
      if (Object.keys(files).some((path) => path.startsWith(prefix))) return new Handle(child, prefix);
      throw new DOMException('no folder', 'NotFoundError');
    }
    async getFileHandle(child: string) {
      const content = files[this.prefix + child];
      if (content === undefined) throw new DOMException('no file', 'NotFoundError');
      return { getFile: async () => new File([content], child) };
    }
  }
  Object.assign(globalThis, { FileSystemDirectoryHandle: Handle });
  return new Handle(name, '') as unknown as FileSystemDirectoryHandle;
}

describe('sources', () => {
  let place: string;
  const files = folder();
  const whole = oneFile();

  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'pocketbert-'));
    for (const [path, content] of Object.entries({ ...files, 'one/x.pocketbert.safetensors': whole })) {
      await mkdir(dirname(join(place, path)), { recursive: true });
      await writeFile(join(place, path), content);
    }
  });
  after(() => rm(place, { recursive: true }));

  const dropped = Object.entries(files).map(([path, content]) => {
    const file = new File([content], path);
    return Object.defineProperty(file, 'webkitRelativePath', { value: `mini/${path}` });
  });
  const blobs = Object.fromEntries(Object.entries(files).map(([path, content]) => [path, new Blob([content])]));
  const folders: [string, () => Source, string][] = [
    ['a record of bytes and texts', () => files, ''],
    ['a record of Blobs, with ./ before the paths', () => Object.fromEntries(Object.entries(blobs).map(([k, v]) => [`./${k}`, v])), ''],
    ['dropped Files of one folder', () => dropped, 'mini'],
    ['Files without paths', () => Object.entries(files).map(([path, content]) => new File([content], path)), ''],
    ['a directory handle', () => handleOf(files), 'picked'],
    ['a path of the disk', () => place, ''],
    ['a file: address', () => pathToFileURL(`${place}/`), ''],
  ];
  for (const [name, source, modelName] of folders) {
    test(`folder: ${name}`, async () => {
      const { books, session } = await load(source());
      sameBytes(books.received.get('model.safetensors'), files['model.safetensors']);
      assert.ok(books.log.includes('import config.json tokenizer.json'), books.log.join('; '));
      if (modelName !== '') assert.equal(session.info.model.name, modelName);
    });
  }

  const singles: [string, () => Source][] = [
    ['bytes', () => whole],
    ['an ArrayBuffer', () => whole.slice().buffer],
    ['bytes in the middle of a buffer', () => {
      const wide = new Uint8Array(whole.length + 20);
      wide.set(whole, 7);
      return wide.subarray(7, 7 + whole.length);
    }],
    ['a Blob', () => new Blob([whole])],
    ['a path of the disk', () => join(place, 'one/x.pocketbert.safetensors')],
    ['a folder that holds nothing else', () => join(place, 'one')],
    ['a record that holds nothing else', () => ({ 'x.pocketbert.safetensors': whole })],
  ];
  for (const [name, source] of singles) {
    test(`one file: ${name}`, async () => {
      const { books } = await load(source());
      sameBytes(books.received.get('one file'), whole);
    });
  }

  test('a Blob and bytes that are read in many parts', async () => {
    const large = oneFile(2_600_000);
    for (const source of [new Blob([large]), large]) {
      const { books } = await load(source);
      sameBytes(books.received.get('one file'), large);
    }
  });

  test('bytes go on belonging to the caller', async () => {
    const own = oneFile();
    await load(own);
    assert.equal(own.length, whole.length);
    sameBytes(own, whole);
  });

  test('the name of a one-file model is that of its file', async () => {
    const { session } = await load(join(place, 'one/x.pocketbert.safetensors'));
    assert.equal(session.info.model.name, 'x');
  });

  test('a plain safetensors file is refused by name, with a hint', async () => {
    await assert.rejects(load(safetensors({ a: 4 })), failure('unsupported', /plain safetensors/));
  });

  test('what is no source is refused', async () => {
    await assert.rejects(load(''), failure('invalid_argument', /empty string/));
    await assert.rejects(load(42 as unknown as Source), failure('invalid_argument', /number/));
    await assert.rejects(load('/no/such/place'), failure('network', /\/no\/such\/place/));
  });

  test('two Files of one name are refused', async () => {
    const twice = [new File(['a'], 'config.json'), new File(['b'], 'config.json')];
    await assert.rejects(load(twice), failure('invalid_argument', /config\.json/));
  });
});

describe('folders', () => {
  const weights = safetensors({ 'a.weight': 100 });

  test('shards come in the order of the index, each once', async () => {
    const one = safetensors({ 'a.weight': 3_000_000 });
    const two = safetensors({ 'b.weight': 50 });
    const index = { weight_map: { 'a.weight': 'm-1.safetensors', 'b.weight': 'm-2.safetensors', 'c.weight': 'm-1.safetensors' } };
    const { books } = await load({ ...texts, 'model.safetensors.index.json': JSON.stringify(index), 'm-1.safetensors': one, 'm-2.safetensors': two });
    sameBytes(books.received.get('m-1.safetensors'), one);
    sameBytes(books.received.get('m-2.safetensors'), two);
  });

  test('more shards than are kept open arrive whole', async () => {
    const map: Record<string, string> = {};
    const shards: Record<string, Uint8Array> = {};
    for (let i = 0; i < 7; i++) {
      map[`t${i}`] = `m-${i}.safetensors`;
      shards[`m-${i}.safetensors`] = safetensors({ [`t${i}`]: 1000 + i });
    }
    const { books } = await load({ ...texts, 'model.safetensors.index.json': JSON.stringify({ weight_map: map }), ...shards });
    for (const [path, bytes] of Object.entries(shards)) sameBytes(books.received.get(path), bytes);
  });

  test('a missing shard is named', async () => {
    const index = JSON.stringify({ weight_map: { a: 'm-00002.safetensors' } });
    await assert.rejects(load({ ...texts, 'model.safetensors.index.json': index }), failure('format', /m-00002/));
  });

  test('model.safetensors wins over an index', async () => {
    const index = JSON.stringify({ weight_map: { a: 'm-1.safetensors' } });
    const { books } = await load({ ...texts, 'model.safetensors': weights, 'model.safetensors.index.json': index });
    sameBytes(books.received.get('model.safetensors'), weights);
  });

  test('what is missing is named', async () => {
    const { 'config.json': config, 'tokenizer.json': tokenizer } = texts;
    await assert.rejects(load({ 'tokenizer.json': tokenizer, 'model.safetensors': weights }), failure('format', /config\.json/));
    await assert.rejects(load({ 'config.json': config, 'model.safetensors': weights }), failure('format', /tokenizer\.json.*vocab\.txt/));
    await assert.rejects(load({ ...texts, 'pytorch_model.bin': weights }), failure('format', /model\.safetensors/));
  });

  test('modules, their configurations and their weights', async () => {
    const modules = [
      { idx: 0, path: '', type: 'sentence_transformers.models.Transformer' },
      { idx: 1, path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      { idx: 2, path: '2_Dense', type: 'sentence_transformers.models.Dense' },
      { idx: 3, path: '3_Normalize', type: 'sentence_transformers.models.Normalize' },
    ];
    const dense = safetensors({ 'linear.weight': 16 });
    const all = {
      ...texts,
      'modules.json': JSON.stringify(modules),
      '1_Pooling/config.json': '{}',
      '2_Dense/config.json': '{}',
      'model.safetensors': weights,
    };
    const { books } = await load({ ...all, '2_Dense/model.safetensors': dense });
    sameBytes(books.received.get('2_Dense/model.safetensors'), dense);
    assert.ok(books.log.includes('import 1_Pooling/config.json 2_Dense/config.json config.json modules.json tokenizer.json'));
    await assert.rejects(load(all), failure('format', /2_Dense\/model\.safetensors/));
  });

  test('an encoder in 0_Transformer is read from there', async () => {
    const modules = [{ idx: 0, path: '0_Transformer', type: 'sentence_transformers.models.Transformer' }];
    const inside = Object.fromEntries(Object.entries({ ...texts, 'model.safetensors': weights }).map(([k, v]) => [`0_Transformer/${k}`, v]));
    const { books } = await load({ 'modules.json': JSON.stringify(modules), ...inside });
    assert.ok(books.log.includes('import config.json modules.json tokenizer.json'));
    sameBytes(books.received.get('model.safetensors'), weights);
  });

  test('heads: listed, or named by config.json, and never half', async () => {
    const head = safetensors({ w: 8 });
    const base = { ...texts, 'model.safetensors': weights, 'heads/topics.json': '{}' };
    const { books } = await load({ ...base, 'heads/topics.safetensors': head });
    sameBytes(books.received.get('heads/topics.safetensors'), head);
    await assert.rejects(load(base), failure('format', /heads\/topics\.safetensors/));
  });

  test('vocab.txt is read only when tokenizer.json is not there', async () => {
    const { 'config.json': config } = texts;
    const { books } = await load({ 'config.json': config, 'vocab.txt': '[UNK]\n', 'model.safetensors': weights });
    assert.ok(books.log.includes('import config.json vocab.txt'));
    const both = await load({ ...texts, 'vocab.txt': '[UNK]\n', 'model.safetensors': weights });
    assert.ok(both.books.log.includes('import config.json tokenizer.json'));
  });

  test('a tokenizer alone needs no config and no weights', async () => {
    const { 'tokenizer.json': tokenizer } = texts;
    const { session } = await load({ 'tokenizer.json': tokenizer }, { tokenizerOnly: true });
    assert.equal(session.info.model.vocabularySize, 3);
    assert.equal(session.model, undefined);
  });
});

describe('addresses', () => {
  let server: FileServer;
  const files = folder(300_000);
  const page = '<!DOCTYPE html>\n<html><body>my app</body></html>';
  before(async () => {
    server = await serve({});
  });
  after(() => server.close());
  const at = (answers: { readonly [path: string]: Parameters<typeof server.files.set>[1] }): string => {
    server.files.clear();
    server.requests.length = 0;
    for (const [path, answer] of Object.entries(answers)) server.files.set(path, answer);
    return server.url;
  };
  const under = (name: string, all: { readonly [path: string]: Uint8Array<ArrayBuffer> | string }) =>
    Object.fromEntries(Object.entries(all).map(([path, content]) => [`${name}/${path}`, content]));

  test('a folder: absent files are 404, with or without the last slash', async () => {
    for (const slash of ['', '/']) {
      const { books, session } = await load(`${at(under('mini', files))}mini${slash}`);
      sameBytes(books.received.get('model.safetensors'), files['model.safetensors']);
      assert.equal(session.info.model.name, 'mini');
      assert.ok(!server.requests.includes('mini/vocab.txt'), 'vocab.txt was asked for although tokenizer.json is there');
      assert.equal(server.requests.filter((path) => path === 'mini/model.safetensors').length, 1);
    }
  });

  test('a query is kept for every file', async () => {
    const seen: string[] = [];
    const own: typeof fetch = async (input) => {
      seen.push(String(input));
      const path = new URL(String(input)).pathname.slice(6);
      const content = files[path];
      return content === undefined ? new Response('', { status: 404 }) : new Response(content);
    };
    await load('https://host.test/mini/?token=7#x', { fetch: own });
    assert.ok(seen.length > 3 && seen.every((url) => url.endsWith('?token=7')), seen.join(' '));
  });

  test('a one-file model', async () => {
    const whole = oneFile(400_000);
    const { books, session } = await load(new URL('x.pocketbert.safetensors', at({ 'x.pocketbert.safetensors': whole })));
    sameBytes(books.received.get('one file'), whole);
    assert.equal(session.info.model.name, 'x');
  });

  test('a web page in the place of weights is named with its address', async () => {
    const url = at({ ...under('m', files), 'm/model.safetensors': page });
    await assert.rejects(load(`${url}m/`), failure('format', /m\/model\.safetensors is a web page.*doctype/i));
    await assert.rejects(load(new URL('x.safetensors', at({ '*': page }))), failure('format', /x\.safetensors is a web page/));
  });

  test('a server that answers everything with its page: optional files are absent, and info says so', async () => {
    const { session } = await load(`${at({ '*': page, ...under('m', files) })}m/`);
    assert.ok(session.info.model.notes.some((note) => note.startsWith('modules.json was answered with a web page')));
    await assert.rejects(load(at({ '*': page })), failure('format', /config\.json was not found/));
  });

  test('a Git LFS pointer is told apart', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
    await assert.rejects(load(`${at({ ...under('m', files), 'm/model.safetensors': pointer })}m`), failure('format', /Git LFS pointer/));
  });

  test('a refused file is taken for absent, and info says so', async () => {
    const url = at({ ...under('m', files), '*': (response) => response.writeHead(403).end() });
    const { session } = await load(`${url}m/`);
    assert.ok(session.info.model.notes.includes('modules.json was refused with status 403 and taken for absent'));
  });

  test('statuses: 404 of what is needed, 500 of anything', async () => {
    await assert.rejects(load(`${at({})}gone/`), failure('format', /config\.json was not found in http/));
    await assert.rejects(load(`${at({})}gone.safetensors`), failure('network', /gone\.safetensors/));
    const broken = at({ ...under('m', files), 'm/tokenizer.json': (response) => response.writeHead(500).end() });
    await assert.rejects(load(`${broken}m/`), failure('network', /m\/tokenizer\.json.*500/));
  });

  test('a connection that breaks off', async () => {
    const whole = oneFile(2_000_000);
    const url = at({
      'x.safetensors': (response) => {
        response.writeHead(200, { 'content-length': whole.length });
        response.write(whole.subarray(0, 1_000_000), () => setTimeout(() => response.destroy(), 20));
      },
    });
    await assert.rejects(load(`${url}x.safetensors`), failure('network', /x\.safetensors broke off after \d+ bytes/));
  });

  test('a file that ends too soon without anybody saying so', async () => {
    const whole = oneFile(200_000);
    const url = at({ 'x.safetensors': (response) => response.writeHead(200).end(whole.subarray(0, 100_000)) });
    await assert.rejects(load(`${url}x.safetensors`), failure('format', /truncated.*200\d\d\d bytes/));
    const longer = new Uint8Array(whole.length + 1);
    longer.set(whole);
    await assert.rejects(load(`${at({ 'x.safetensors': longer })}x.safetensors`), failure('format', /goes on behind/));
  });

  test('no server at all, and no network wanted', async () => {
    await assert.rejects(load('http://127.0.0.1:1/m/'), failure('network', /127\.0\.0\.1:1.*could not be fetched/));
    await assert.rejects(load(`${at(under('m', files))}m/`, { offline: true }), failure('network', /not at hand/));
    assert.equal(server.requests.length, 0);
  });

  test('integrity in both forms, of one file and of a folder', async () => {
    const whole = oneFile();
    const hash = createHash('sha256').update(whole);
    const hex = hash.copy().digest('hex');
    await load(whole, { integrity: hex });
    await load(whole, { integrity: `sha256-${hash.digest('base64')}` });
    const other = hex.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    await assert.rejects(load(whole, { integrity: other }), failure('integrity', new RegExp(`${hex}, expected ${other}`)));
    await assert.rejects(load(whole, { integrity: 'md5-x' }), failure('invalid_argument', /md5-x/));
    await assert.rejects(load(files, { integrity: { 'model.safetensors': hex } }), failure('integrity', /model\.safetensors/));
    await assert.rejects(load(files, { integrity: { 'other.json': hex } }), failure('integrity', /other\.json/));
    await assert.rejects(load(files, { integrity: hex }), failure('integrity', /several files/));
  });
});
