/** Models behind addresses: what servers answer, and what comes of it. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { failure } from './support/errors.js';
import { load, sameBytes } from './support/loading.js';
import { folder, oneFile } from './support/model_files.js';
import { serve, type FileServer } from './support/server.js';

describe('addresses', () => {
  let server: FileServer;
  const files = folder(300_000);
  const page = '<!DOCTYPE html>\n<html><body>my app</body></html>';
  before(async () => {
    server = await serve({});
  });
  after(() => server.close());
  const at = (answers: {
    readonly [path: string]: Parameters<typeof server.files.set>[1];
  }): string => {
    server.files.clear();
    server.requests.length = 0;
    for (const [path, answer] of Object.entries(answers)) server.files.set(path, answer);
    return server.url;
  };
  const under = (
    name: string,
    all: { readonly [path: string]: Uint8Array<ArrayBuffer> | string },
  ) =>
    Object.fromEntries(Object.entries(all).map(([path, content]) => [`${name}/${path}`, content]));

  test('a folder: absent files are 404, with or without the last slash', async () => {
    for (const slash of ['', '/']) {
      const { books, session } = await load(`${at(under('mini', files))}mini${slash}`);
      sameBytes(books.received.get('model.safetensors'), files['model.safetensors']);
      assert.equal(session.info.model.name, 'mini');
      assert.ok(
        !server.requests.includes('mini/vocab.txt'),
        'vocab.txt was asked for although tokenizer.json is there',
      );
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
    const { books, session } = await load(
      new URL('x.pocketbert.safetensors', at({ 'x.pocketbert.safetensors': whole })),
    );
    sameBytes(books.received.get('one file'), whole);
    assert.equal(session.info.model.name, 'x');
  });

  test('a web page in the place of weights is named with its address', async () => {
    const url = at({ ...under('m', files), 'm/model.safetensors': page });
    await assert.rejects(
      load(`${url}m/`),
      failure('format', /m\/model\.safetensors is a web page.*doctype/i),
    );
    await assert.rejects(
      load(new URL('x.safetensors', at({ '*': page }))),
      failure('format', /x\.safetensors is a web page/),
    );
  });

  test('a server that answers everything with its page: optional files are absent, and info says so', async () => {
    const { session } = await load(`${at({ '*': page, ...under('m', files) })}m/`);
    assert.ok(
      session.info.model.notes.some((note) =>
        note.startsWith('modules.json was answered with a web page'),
      ),
    );
    await assert.rejects(load(at({ '*': page })), failure('format', /config\.json was not found/));
  });

  test('a Git LFS pointer is told apart', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
    await assert.rejects(
      load(`${at({ ...under('m', files), 'm/model.safetensors': pointer })}m`),
      failure('format', /Git LFS pointer/),
    );
  });

  test('a refused file is taken for absent, and info says so', async () => {
    const url = at({ ...under('m', files), '*': (response) => response.writeHead(403).end() });
    const { session } = await load(`${url}m/`);
    assert.ok(
      session.info.model.notes.includes(
        'modules.json was refused with status 403 and taken for absent',
      ),
    );
  });

  test('statuses: 404 of what is needed, 500 of anything', async () => {
    await assert.rejects(
      load(`${at({})}gone/`),
      failure('format', /config\.json was not found in http/),
    );
    await assert.rejects(
      load(`${at({})}gone.safetensors`),
      failure('network', /gone\.safetensors/),
    );
    const broken = at({
      ...under('m', files),
      'm/tokenizer.json': (response) => response.writeHead(500).end(),
    });
    await assert.rejects(load(`${broken}m/`), failure('network', /m\/tokenizer\.json.*500/));
  });

  test('a connection that breaks off', async () => {
    const whole = oneFile(2_000_000);
    const url = at({
      'x.safetensors': (response) => {
        response.writeHead(200, { 'content-length': whole.length });
        response.write(whole.subarray(0, 1_000_000), () =>
          setTimeout(() => response.destroy(), 20),
        );
      },
    });
    await assert.rejects(
      load(`${url}x.safetensors`),
      failure('network', /x\.safetensors broke off after \d+ bytes/),
    );
  });

  test('a file that ends too soon without anybody saying so', async () => {
    const whole = oneFile(200_000);
    const url = at({
      'x.safetensors': (response) => response.writeHead(200).end(whole.subarray(0, 100_000)),
    });
    await assert.rejects(
      load(`${url}x.safetensors`),
      failure('format', /truncated.*200\d\d\d bytes/),
    );
    const longer = new Uint8Array(whole.length + 1);
    longer.set(whole);
    await assert.rejects(
      load(`${at({ 'x.safetensors': longer })}x.safetensors`),
      failure('format', /goes on behind/),
    );
  });

  test('no server at all, and no network wanted', async () => {
    await assert.rejects(
      load('http://127.0.0.1:1/m/'),
      failure('network', /127\.0\.0\.1:1.*could not be fetched/),
    );
    await assert.rejects(
      load(`${at(under('m', files))}m/`, { offline: true }),
      failure('network', /not at hand/),
    );
    assert.equal(server.requests.length, 0);
  });

  test('integrity in both forms, of one file and of a folder', async () => {
    const whole = oneFile();
    const hash = createHash('sha256').update(whole);
    const hex = hash.copy().digest('hex');
    await load(whole, { integrity: hex });
    await load(whole, { integrity: `sha256-${hash.digest('base64')}` });
    const other = hex.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    await assert.rejects(
      load(whole, { integrity: other }),
      failure('integrity', new RegExp(`${hex}, expected ${other}`)),
    );
    await assert.rejects(load(whole, { integrity: 'md5-x' }), failure('invalid_argument', /md5-x/));
    await assert.rejects(
      load(files, { integrity: { 'model.safetensors': hex } }),
      failure('integrity', /model\.safetensors/),
    );
    await assert.rejects(
      load(files, { integrity: { 'other.json': hex } }),
      failure('integrity', /other\.json/),
    );
    await assert.rejects(load(files, { integrity: hex }), failure('integrity', /several files/));
  });
});
