/** Folders whose weights are in an ONNX graph: which file is read, and how its beginning is told. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PocketBertError } from '../../web/src/errors.js';
import { failure } from './support/errors.js';
import type { Books } from './support/fake_engine.js';
import { load, sameBytes } from './support/loading.js';
import { safetensors, texts } from './support/model_files.js';

/** In the order in which they are tried. */
const graphs = [
  'onnx/model.onnx',
  'onnx/model_fp16.onnx',
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model_uint8.onnx',
  'model.onnx',
  'model_quantized.onnx',
];

/** The weight files that reached the importer. */
const filesOf = (books: Books): string[] =>
  [...books.received.keys()].filter((path) => path !== 'one file');

describe('graphs', () => {
  // The fake importer takes the form of a safetensors file for a beginning of unknown length.
  const weights = safetensors({ 'a.weight': 300_000 });

  test('the first of the list is read, and told about', async () => {
    for (let first = 0; first < graphs.length; first++) {
      const there = graphs.slice(first);
      const { books, session } = await load({
        ...texts,
        ...Object.fromEntries(there.map((path) => [path, weights])),
        'onnx/model_q4.onnx': new Uint8Array(20),
      });
      assert.deepEqual(filesOf(books), [there[0]]);
      sameBytes(books.received.get(String(there[0])), weights);
      assert.ok(
        session.info.model.notes.some((note) => note.includes(`of the graph ${there[0]}`)),
        session.info.model.notes.join('; '),
      );
    }
  });

  test('model.safetensors and shards come before graphs', async () => {
    const { books, session } = await load({
      ...texts,
      'model.safetensors': weights,
      'onnx/model.onnx': weights,
    });
    assert.deepEqual(filesOf(books), ['model.safetensors']);
    assert.deepEqual(session.info.model.notes, []);
  });

  test('weights names the file', async () => {
    const files = { ...texts, 'model.safetensors': weights, 'onnx/model.onnx': weights };
    const { books } = await load({ ...files, 'q.onnx': weights }, { weights: 'q.onnx' });
    assert.deepEqual(filesOf(books), ['q.onnx']);
    for (const path of ['onnx/model.onnx', './onnx/model.onnx']) {
      const chosen = await load(files, { weights: path });
      assert.deepEqual(filesOf(chosen.books), ['onnx/model.onnx']);
    }
    await assert.rejects(
      load(files, { weights: 'absent.onnx' }),
      failure('format', /absent\.onnx was not found.*the option weights/),
    );
    await assert.rejects(
      load(files, { weights: '../other/model.onnx' }),
      failure('invalid_argument', /weights is "..\/other.*expected a path within its folder/),
    );
  });

  test('values beside a graph come after it', async () => {
    const values = safetensors({ values: 3000 });
    const { books } = await load({
      ...texts,
      'onnx/model.onnx_data': values,
      'onnx/model.onnx': weights,
      'onnx/model_int8.onnx_data': values,
    });
    assert.deepEqual(filesOf(books), ['onnx/model.onnx', 'onnx/model.onnx_data']);
    sameBytes(books.received.get('onnx/model.onnx_data'), values);
  });

  test('a beginning of any length is told, and the whole file arrives', async () => {
    for (const length of [10, 262_000, 262_144, 1_000_000]) {
      const graph = safetensors({ 'a.weight': 100 }, { filler: 'x'.repeat(length) });
      for (const content of [graph, new Blob([graph])]) {
        const { books } = await load({ ...texts, 'onnx/model.onnx': content });
        sameBytes(books.received.get('onnx/model.onnx'), graph);
      }
    }
  });

  test('a graph that ends within its beginning is truncated', async () => {
    const graph = safetensors({ 'a.weight': 100 }, { filler: 'x'.repeat(1000) });
    await assert.rejects(
      load({ ...texts, 'onnx/model.onnx': graph.slice(0, 500) }),
      failure('format', /model\.onnx ended after 500 bytes.*truncated/),
    );
  });

  test('4-bit graphs alone are refused by their file', async () => {
    for (const path of ['onnx/model_q4.onnx', 'onnx/model_bnb4.onnx', 'onnx/model_q4f16.onnx']) {
      await assert.rejects(
        load({ ...texts, [path]: new Uint8Array(20) }),
        failure('unsupported', new RegExp(path)),
      );
    }
  });

  test('a graph of another name is refused, and told how to be taken', async () => {
    const path = 'onnx/model_opset17.onnx';
    await assert.rejects(load({ ...texts, [path]: new Uint8Array(20) }), (error) => {
      assert.ok(error instanceof PocketBertError);
      assert.equal(error.hint, `{ weights: '${path}' } takes this file`);
      return true;
    });
  });
});
