/** How the loader deals with its files and with a slow host. */

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'node:test';
import { PocketBertError } from '../../web/src/errors.js';
import { openBytes, type FileStore, type OpenFile } from '../../web/src/models/files.js';
import { load } from '../../web/src/models/load.js';
import { ProgressMeter } from '../../web/src/models/progress.js';
import { Remote } from '../../web/src/worker/client.js';
import { createServer } from '../../web/src/worker/server.js';
import { failure } from './support/errors.js';
import { fakeEngines } from './support/fake_engine.js';
import { safetensors, texts } from './support/model_files.js';

/** A store that counts how many of its files are open. */
function countingStore(files: { readonly [path: string]: Uint8Array | string }) {
  const counts = { open: 0, most: 0 };
  const store: FileStore = {
    label: 'the test',
    name: 'test',
    list: async () => Object.keys(files),
    async open(path) {
      const content = files[path];
      if (content === undefined) return undefined;
      const file = openBytes(
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
        path,
      );
      let isOpen = true;
      counts.most = Math.max(counts.most, ++counts.open);
      const close = (): void => {
        if (isOpen) counts.open -= 1;
        isOpen = false;
        file.close();
      };
      const read: typeof file.read = async (spare) => {
        const bytes = await file.read(spare);
        if (bytes === undefined) close();
        return bytes;
      };
      return { ...file, read, close };
    },
  };
  return { store, counts };
}

/** A host that is slow to answer, and how many bytes wait for it. */
function slowHost(onStep?: () => void) {
  const { books, loadEngine } = fakeEngines();
  const waiting = { bytes: 0, most: 0 };
  const remote = new Remote((events) => {
    const server = createServer(loadEngine, (message) => events.receive(message));
    return {
      send(message) {
        const args = message.type === 'call' ? message.invocation.args : {};
        const size = 'bytes' in args && 'offset' in args ? args.bytes.length : 0;
        waiting.bytes += size;
        waiting.most = Math.max(waiting.most, waiting.bytes);
        void wait(1).then(() => {
          waiting.bytes -= size;
          if (size > 0) onStep?.();
          server.receive(message);
        });
      },
      close: () => server.close(),
    };
  });
  const ready = remote.call('start', { options: {} }).then(() => remote);
  return { books, remote: ready, waiting };
}

const settings = { tokenizerOnly: false, precision: undefined, integrity: undefined };

function shards(count: number, bytes: number): { [path: string]: Uint8Array | string } {
  const map: Record<string, string> = {};
  const files: { [path: string]: Uint8Array | string } = { ...texts };
  for (let i = 0; i < count; i++) {
    map[`t${i}`] = `m-${i}.safetensors`;
    files[`m-${i}.safetensors`] = safetensors({ [`t${i}`]: bytes });
  }
  return { ...files, 'model.safetensors.index.json': JSON.stringify({ weight_map: map }) };
}

test('a slow host: few bytes wait for it, and all arrive', async () => {
  const bytes = safetensors({ a: 20_000_000 });
  const { store } = countingStore({ ...texts, 'model.safetensors': bytes });
  const { books, remote, waiting } = slowHost();
  const context = {
    remote,
    meter: new ProgressMeter(undefined),
    signal: new AbortController().signal,
    notes: [],
  };
  await load({ kind: 'folder', store }, settings, context);
  assert.ok(waiting.most > 300_000 && waiting.most < 4_000_000, `${waiting.most} bytes waited`);
  assert.ok(Buffer.from(books.received.get('model.safetensors') ?? []).equals(Buffer.from(bytes)));
});

test('few files are open while headers wait for their weights, and none afterwards', async () => {
  const files = shards(9, 600_000);
  const { store, counts } = countingStore(files);
  const { books, remote } = slowHost();
  const context = {
    remote,
    meter: new ProgressMeter(undefined),
    signal: new AbortController().signal,
    notes: [],
  };
  await load({ kind: 'folder', store }, settings, context);
  for (let i = 0; i < 9; i++) {
    const path = `m-${i}.safetensors`;
    assert.ok(
      Buffer.from(books.received.get(path) ?? []).equals(Buffer.from(files[path] ?? '')),
      path,
    );
  }
  assert.ok(counts.most <= 5, `${counts.most} files were open at once`);
  assert.equal(counts.open, 0);
});

test('a failure in the middle closes every file', async () => {
  const { store, counts } = countingStore(shards(3, 3_000_000));
  const control = new AbortController();
  let parts = 0;
  const { remote } = slowHost(() => {
    parts += 1;
    if (parts === 3) control.abort(new PocketBertError('aborted', 'stopped by the test'));
  });
  const context = {
    remote,
    meter: new ProgressMeter(undefined),
    signal: control.signal,
    notes: [],
  };
  await assert.rejects(load({ kind: 'folder', store }, settings, context), failure('aborted'));
  assert.equal(counts.open, 0);
});

test('an engine that is slow to start: the file is read meanwhile, up to a limit', async () => {
  const bytes = safetensors({ a: 60_000_000 }, { format: 'pocketbert' });
  const { books, remote } = slowHost();
  let read = 0;
  let readBefore = 0;
  let freed = 0;
  const source = openBytes(bytes, 'the file');
  const file: OpenFile = {
    ...source,
    async read(spare) {
      const part = await source.read(spare);
      read += part?.length ?? 0;
      if (spare !== undefined) freed += 1;
      return part;
    },
  };
  const started = wait(300).then(() => {
    readBefore = read;
    return remote;
  });
  const context = {
    remote: started,
    meter: new ProgressMeter(undefined),
    signal: new AbortController().signal,
    notes: [],
  };
  await load({ kind: 'file', name: 'a', open: async () => file }, settings, context);
  assert.ok(readBefore > 20_000_000 && readBefore < 30_000_000, `${readBefore} bytes were read`);
  assert.ok(freed > 100, `${freed} buffers were used again`);
  assert.ok(Buffer.from(books.received.get('one file') ?? []).equals(Buffer.from(bytes)));
});
