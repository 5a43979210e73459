/** Models from every kind of source reach the engine byte for byte; what is wrong is said by name. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Source } from '../../web/src/types.js';
import type { PocketBertError } from '../../web/src/errors.js';
import { failure } from './support/errors.js';
import { load, sameBytes } from './support/loading.js';
import { folder, oneFile, safetensors } from './support/model_files.js';

/** A handle as the file picker gives it, over a record of files. */
function handleOf(
  files: { readonly [path: string]: Uint8Array<ArrayBuffer> | string },
  name = 'picked',
) {
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
      if (Object.keys(files).some((path) => path.startsWith(prefix)))
        return new Handle(child, prefix);
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
    for (const [path, content] of Object.entries({
      ...files,
      'one/x.pocketbert.safetensors': whole,
    })) {
      await mkdir(dirname(join(place, path)), { recursive: true });
      await writeFile(join(place, path), content);
    }
  });
  after(() => rm(place, { recursive: true }));

  const dropped = Object.entries(files).map(([path, content]) => {
    const file = new File([content], path);
    return Object.defineProperty(file, 'webkitRelativePath', { value: `mini/${path}` });
  });
  const blobs = Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, new Blob([content])]),
  );
  const folders: [string, () => Source, string][] = [
    ['a record of bytes and texts', () => files, ''],
    [
      'a record of Blobs, with ./ before the paths',
      () => Object.fromEntries(Object.entries(blobs).map(([k, v]) => [`./${k}`, v])),
      '',
    ],
    ['dropped Files of one folder', () => dropped, 'mini'],
    [
      'Files without paths',
      () => Object.entries(files).map(([path, content]) => new File([content], path)),
      '',
    ],
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
    [
      'bytes in the middle of a buffer',
      () => {
        const wide = new Uint8Array(whole.length + 20);
        wide.set(whole, 7);
        return wide.subarray(7, 7 + whole.length);
      },
    ],
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
  });

  test('nothing at a path; what may be the name of a model has a hint', async () => {
    for (const [source, hint] of [
      ['/no/such/place', /^$/],
      ['./nowhere', /^$/],
      ['owner/model', /no default host/],
    ] as const) {
      await assert.rejects(load(source), (thrown) => {
        failure('invalid_argument', new RegExp(`^${source} was not found$`))(thrown);
        assert.match((thrown as PocketBertError).hint, hint);
        return true;
      });
    }
  });

  test('two Files of one name are refused', async () => {
    const twice = [new File(['a'], 'config.json'), new File(['b'], 'config.json')];
    await assert.rejects(load(twice), failure('invalid_argument', /config\.json/));
  });
});
