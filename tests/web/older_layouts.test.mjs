// Folders whose encoder does not lie at the top, or whose shards lie in a folder of their own: through
// the package and the program, with the engine itself.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { Embedder, Tokenizer } from 'pocketbert';
import { fixtures, runScript, temporaryFolder } from './support/program.mjs';
import { serveFiles } from './support/file_server.mjs';

/** The files of a fixture by path. */
function filesOf(name, parent = fixtures) {
  const folder = join(parent, name);
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)]),
  );
}

/** The encoder's files moved into `path`, as sentence-transformers < 2.0 saved them. */
function moved(files, path) {
  const modules = JSON.parse(files['modules.json'].toString());
  modules[0].path = path;
  const inside = path.replace(/\/$/, '');
  const entries = Object.entries(files).map(([name, content]) =>
    name === 'modules.json'
      ? [name, Buffer.from(JSON.stringify(modules))]
      : [name.includes('/') ? name : `${inside}/${name}`, content],
  );
  return Object.fromEntries(entries);
}

/** The weights in two shards below `shards/`. */
function sharded(files) {
  const { 'model.safetensors': _, ...rest } = files;
  const shards = filesOf('enc-weights');
  const index = JSON.parse(shards['model.safetensors.index.json'].toString());
  for (const [tensor, shard] of Object.entries(index.weight_map)) {
    index.weight_map[tensor] = `shards/${shard}`;
    rest[`shards/${shard}`] = shards[shard];
  }
  return { ...rest, 'model.safetensors.index.json': Buffer.from(JSON.stringify(index)) };
}

const enc = filesOf('enc');
const top = sharded(enc);
const layouts = {
  '0_Transformer': moved(enc, '0_Transformer'),
  '0_Transformer/ with a slash': moved(enc, '0_Transformer/'),
  'shards in a folder': top,
  'shards in a folder of 0_Transformer': (() => {
    const shards = Object.entries(top).filter(([name]) => name.startsWith('shards/'));
    const others = Object.entries(top).filter(([name]) => !name.startsWith('shards/'));
    return {
      ...moved(Object.fromEntries(others), '0_Transformer'),
      ...Object.fromEntries(shards.map(([name, bytes]) => [`0_Transformer/${name}`, bytes])),
    };
  })(),
};

const texts = ['umbrella', 'the ferry leaves every morning '.repeat(20)];

async function vectorsOf(model) {
  const embedder = await Embedder.create({ model, variant: 'simd' });
  try {
    const { data, tokens } = await embedder.embed(texts);
    const { maxTokens, pooling, tasks } = embedder.info.model;
    return { data: [...data], tokens: [...tokens], maxTokens, pooling, tasks };
  } finally {
    await embedder.destroy();
  }
}

function written(t, files) {
  const folder = join(temporaryFolder(t), 'model');
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

/** The files give these vectors from memory, disk and address, and converted. */
async function assertEverywhere(t, files, expected) {
  assert.deepEqual(await vectorsOf(files), expected);
  const folder = written(t, files);
  assert.deepEqual(await vectorsOf(folder), expected);
  const { url } = await serveFiles(t, folder);
  assert.deepEqual(await vectorsOf(url), expected);
  const out = join(temporaryFolder(t), 'out.pocketbert.safetensors');
  const { code, stderr } = await runScript('dist/cli.js', ['convert', folder, out]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await vectorsOf(out), expected);
}

describe('older layouts', async () => {
  const expected = await vectorsOf(enc);
  for (const [name, files] of Object.entries(layouts)) {
    test(`${name}: the bits of the plain folder, from files, disk and address, and converted`, async (t) => {
      assert.equal(expected.maxTokens, 32, 'sentence_bert_config.json of the fixture');
      await assertEverywhere(t, files, expected);
    });

    test(`${name}: the tokenizer alone`, async () => {
      const ids = [];
      for (const model of [enc, files]) {
        const tokenizer = await Tokenizer.create({ model, variant: 'simd' });
        ids.push([...(await tokenizer.encode(texts[1])).ids]);
        await tokenizer.destroy();
      }
      assert.ok(ids[0].length > 32);
      assert.deepEqual(ids[1], ids[0]);
    });
  }
});

describe('a tokenizer in vocab.json and merges.txt', () => {
  const roberta = filesOf('roberta', 'tests/cases-families/hand/fixtures');
  const { 'tokenizer.json': json, ...others } = roberta;
  const { vocab, merges } = JSON.parse(json.toString()).model;
  const lines = merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')));
  const tables = {
    'vocab.json': Buffer.from(JSON.stringify(vocab)),
    'merges.txt': Buffer.from(`#version: 0.2\n${lines.join('\n')}\n`),
  };

  test('gives the bits that tokenizer.json gives, from files, disk and address, and converted', async (t) => {
    const expected = await vectorsOf(roberta);
    await assertEverywhere(t, { ...others, ...tables }, expected);
  });

  test('alone', async () => {
    const { 'tokenizer_config.json': config } = roberta;
    const ids = [];
    for (const files of [{ 'tokenizer.json': json }, tables]) {
      const tokenizer = await Tokenizer.create({ model: { ...files, 'tokenizer_config.json': config }, variant: 'simd' });
      ids.push([...(await tokenizer.encode(texts[1])).ids]);
      await tokenizer.destroy();
    }
    assert.ok(ids[0].length > 32);
    assert.deepEqual(ids[1], ids[0]);
  });

  test('of SentencePiece alone is refused by name', async () => {
    const model = { 'sentencepiece.bpe.model': Buffer.from('x') };
    for (const files of [model, { ...others, ...model }]) {
      const creating = files === model ? Tokenizer.create({ model: files }) : Embedder.create({ model: files });
      await assert.rejects(creating, { code: 'unsupported', message: /sentencepiece\.bpe\.model.*save_pretrained/ });
    }
  });
});
