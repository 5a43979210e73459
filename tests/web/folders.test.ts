/** Which files of a Hugging Face folder are read, and what is said when one is missing. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failure } from './support/errors.js';
import { load, sameBytes } from './support/loading.js';
import { safetensors, texts } from './support/model_files.js';

describe('folders', () => {
  const weights = safetensors({ 'a.weight': 100 });

  test('shards come in the order of the index, each once', async () => {
    const one = safetensors({ 'a.weight': 3_000_000 });
    const two = safetensors({ 'b.weight': 50 });
    const index = {
      weight_map: {
        'a.weight': 'm-1.safetensors',
        'b.weight': 'm-2.safetensors',
        'c.weight': 'm-1.safetensors',
      },
    };
    const { books } = await load({
      ...texts,
      'model.safetensors.index.json': JSON.stringify(index),
      'm-1.safetensors': one,
      'm-2.safetensors': two,
    });
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
    const { books } = await load({
      ...texts,
      'model.safetensors.index.json': JSON.stringify({ weight_map: map }),
      ...shards,
    });
    for (const [path, bytes] of Object.entries(shards)) sameBytes(books.received.get(path), bytes);
  });

  test('a missing shard is named', async () => {
    const index = JSON.stringify({ weight_map: { a: 'm-00002.safetensors' } });
    await assert.rejects(
      load({ ...texts, 'model.safetensors.index.json': index }),
      failure('format', /m-00002/),
    );
  });

  test('model.safetensors wins over an index', async () => {
    const index = JSON.stringify({ weight_map: { a: 'm-1.safetensors' } });
    const { books } = await load({
      ...texts,
      'model.safetensors': weights,
      'model.safetensors.index.json': index,
    });
    sameBytes(books.received.get('model.safetensors'), weights);
  });

  test('what is missing is named', async () => {
    const { 'config.json': config, 'tokenizer.json': tokenizer } = texts;
    await assert.rejects(
      load({ 'tokenizer.json': tokenizer, 'model.safetensors': weights }),
      failure('format', /config\.json/),
    );
    await assert.rejects(
      load({ 'config.json': config, 'model.safetensors': weights }),
      failure('format', /tokenizer\.json.*vocab\.txt/),
    );
    await assert.rejects(load(texts), failure('format', /model\.safetensors/));
  });

  test('weights in a format that is not read are refused by their file', async () => {
    for (const path of ['onnx/model_q4.onnx', 'pytorch_model-00001-of-00002.bin', 'q4.gguf']) {
      await assert.rejects(
        load({ ...texts, [path]: new Uint8Array(20) }),
        failure('unsupported', new RegExp(path)),
      );
    }
    await assert.rejects(
      load({ ...texts, 'training_args.bin': new Uint8Array(20) }),
      failure('format', /model\.safetensors was not found/),
    );
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
    assert.ok(
      books.log.includes(
        'import 1_Pooling/config.json 2_Dense/config.json config.json modules.json tokenizer.json',
      ),
    );
    await assert.rejects(load(all), failure('format', /2_Dense\/model\.safetensors/));
  });

  test('an encoder in 0_Transformer is read from there', async () => {
    const modules = [
      { idx: 0, path: '0_Transformer', type: 'sentence_transformers.models.Transformer' },
    ];
    const inside = Object.fromEntries(
      Object.entries({ ...texts, 'model.safetensors': weights }).map(([k, v]) => [
        `0_Transformer/${k}`,
        v,
      ]),
    );
    const { books } = await load({ 'modules.json': JSON.stringify(modules), ...inside });
    assert.ok(
      books.log.includes(
        'import 0_Transformer/config.json 0_Transformer/tokenizer.json modules.json',
      ),
    );
    sameBytes(books.received.get('0_Transformer/model.safetensors'), weights);
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
    const { books } = await load({
      'config.json': config,
      'vocab.txt': '[UNK]\n',
      'model.safetensors': weights,
    });
    assert.ok(books.log.includes('import config.json vocab.txt'));
    const both = await load({ ...texts, 'vocab.txt': '[UNK]\n', 'model.safetensors': weights });
    assert.ok(both.books.log.includes('import config.json tokenizer.json'));
  });

  test('vocab.json with merges.txt is read when there is nothing else, and one without the other is none', async () => {
    const { 'config.json': config } = texts;
    const files = { 'config.json': config, 'model.safetensors': weights, 'vocab.json': '{}' };
    const { books } = await load({ ...files, 'merges.txt': '', 'added_tokens.json': '{}' });
    assert.ok(books.log.includes('import added_tokens.json config.json merges.txt vocab.json'));
    await assert.rejects(load(files), failure('format', /tokenizer\.json was not found.*vocab\.json with merges\.txt/));
  });

  test('a SentencePiece model alone is left to the importer to refuse, and its bytes are not read', async () => {
    const { 'config.json': config } = texts;
    const model = new Uint8Array([0xff, 0xfe]);
    const { books } = await load({ 'config.json': config, 'model.safetensors': weights, 'spm.model': model });
    assert.ok(books.log.includes('import config.json spm.model'));
  });

  test('a tokenizer alone needs no config and no weights', async () => {
    const { 'tokenizer.json': tokenizer } = texts;
    const { session } = await load({ 'tokenizer.json': tokenizer }, { tokenizerOnly: true });
    assert.equal(session.info.model.vocabularySize, 3);
    assert.equal(session.model, undefined);
  });
});
