// The program `pocketbert`: what inspect tells of folders, addresses and files, and what it refuses.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serveFiles } from './support/file_server.mjs';
import { fixtures, runScript, temporaryFolder } from './support/program.mjs';

const enc = join(fixtures, 'enc');
const weights = readFileSync(join(enc, 'model.safetensors'));
const headerEnd = 8 + Number(weights.readBigUInt64LE(0));
const config = JSON.parse(readFileSync(join(enc, 'config.json'), 'utf8'));

/** Numbers in the tensors of the fixture; the pooler is not used, and position_ids only counts. */
function parametersOf() {
  const { __metadata__: _, ...tensors } = JSON.parse(weights.toString('utf8', 8, headerEnd));
  return Object.entries(tensors)
    .filter(([name]) => !/pooler|position_ids/.test(name))
    .reduce((sum, [, { shape }]) => sum + shape.reduce((product, size) => product * size, 1), 0);
}

async function inspect(source, expectedCode = 0) {
  const { code, stdout, stderr } = await runScript('dist/cli.js', ['inspect', source, '--json']);
  assert.equal(code, expectedCode, stderr);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

/** A copy of the fixture that may be changed. */
function copyOf(t, change) {
  const folder = join(temporaryFolder(t), 'model');
  cpSync(enc, folder, { recursive: true });
  change(folder);
  return folder;
}

function withConfig(t, values) {
  return copyOf(t, (folder) => writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...values })));
}

async function converted(t) {
  const out = join(temporaryFolder(t), 'enc.pocketbert.safetensors');
  assert.equal((await runScript('dist/cli.js', ['convert', enc, out])).code, 0);
  return out;
}

describe('inspect', () => {
  test('a folder: what its files say', async (t) => {
    const found = await inspect(enc);
    assert.deepEqual(
      { ...found, file_bytes: undefined, notes: undefined },
      {
        source: enc,
        usable: true,
        kind: 'folder',
        model_type: config.model_type,
        architectures: config.architectures,
        tasks: ['embed'],
        heads: [],
        tokenizer: { type: 'WordPiece', vocabulary_size: config.vocab_size },
        layers: config.num_hidden_layers,
        hidden_size: config.hidden_size,
        dimensions: config.hidden_size,
        max_tokens: 32, // sentence_bert_config.json
        parameters: parametersOf(),
        source_bytes: weights.length,
        precision: 'int8',
        file_bytes: undefined,
        ignored_tensors: ['pooler.dense.bias', 'pooler.dense.weight'],
        notes: undefined,
      },
    );
    const size = statSync(await converted(t)).size;
    assert.ok(Math.abs(found.file_bytes - size) < 4096, `${found.file_bytes} told, ${size} written`);
  });

  test('the same as lines of text', async () => {
    const { code, stdout } = await runScript('dist/cli.js', ['inspect', enc]);
    assert.equal(code, 0);
    assert.match(stdout, /enc: can be used\n/);
    assert.match(stdout, /^family +bert$/m);
    assert.match(stdout, /^architecture +BertModel$/m);
    assert.match(stdout, /^tokenizer +WordPiece, 117 entries$/m);
    assert.match(stdout, /^shape +2 layers of 24, vectors of 24$/m);
    assert.match(stdout, /^not used +pooler\.dense\.bias, pooler\.dense\.weight$/m);
  });

  test('a classifier: its head and labels', async () => {
    const source = join(fixtures, 'cls');
    const { id2label } = JSON.parse(readFileSync(join(source, 'config.json'), 'utf8'));
    const { tasks, heads } = await inspect(source);
    assert.deepEqual(tasks, ['embed', 'classify']);
    assert.deepEqual(heads, [{ name: 'default', task: 'classify', labels: Object.values(id2label) }]);
  });

  test('an address: of the weights only the beginning', { timeout: 60_000 }, async (t) => {
    const server = await serveFiles(t, fixtures, (path, response) => {
      if (!path.endsWith('.safetensors')) return false;
      response.writeHead(200, { 'Content-Length': weights.length });
      response.write(weights.subarray(0, headerEnd + 100)); // and nothing more, ever
      return true;
    });
    const { source: _, ...there } = await inspect(`${server.url}enc/`);
    const { source: __, ...here } = await inspect(enc);
    assert.deepEqual(there, here);
    assert.equal(server.requests.filter((path) => path.endsWith('.safetensors')).length, 1);
  });

  test('a one-file model, by path and address', { timeout: 60_000 }, async (t) => {
    const out = await converted(t);
    const { source: _, ...folder } = await inspect(enc);
    const expected = { ...folder, kind: 'one file', notes: undefined, ignored_tensors: undefined };
    const size = statSync(out).size;
    const file = await inspect(out);
    assert.equal(file.source_bytes, size);
    assert.equal(file.file_bytes, size);
    const told = { ...file, source: undefined, source_bytes: folder.source_bytes, file_bytes: folder.file_bytes };
    // The vectors that the input is multiplied by are no weights of the checkpoint.
    assert.deepEqual({ ...told, notes: undefined, ignored_tensors: undefined }, { source: undefined, ...expected });
    const bytes = readFileSync(out);
    const server = await serveFiles(t, fixtures, (path, response) => {
      response.writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 8 + Number(bytes.readBigUInt64LE(0))));
      return true;
    });
    const { source, ...there } = await inspect(`${server.url}a.safetensors`);
    assert.equal(source, `${server.url}a.safetensors`);
    assert.deepEqual({ ...there, source: out }, file);
  });
});

describe('what is told of sizes', () => {
  test('of a folder: its weights exactly, also where the server tells no length; the one file roughly', async (t) => {
    const lines = (source) => runScript('dist/cli.js', ['inspect', source]);
    const here = await lines(enc);
    assert.match(here.stdout, /^size +[\d.]+ kB of weights; about [\d.]+ kB as one int8 file$/m);
    const server = await serveFiles(t, fixtures, (path, response) => {
      if (!path.endsWith('.safetensors')) return false;
      response.writeHead(200);
      response.write(weights, () => response.end());
      return true;
    });
    assert.equal((await inspect(`${server.url}enc/`)).source_bytes, weights.length);
    const out = await converted(t);
    assert.match((await lines(out)).stdout, /^size +[\d.]+ kB, one int8 file$/m);
  });

  test('of a graph at an address that tells no length: nothing', async (t) => {
    const folder = join(fixtures, '../../../cases-families/hand/fixtures/onnx-bert');
    const server = await serveFiles(t, folder, (path, response) => {
      if (!path.endsWith('.onnx')) return false;
      response.writeHead(200);
      response.write(readFileSync(join(folder, path)), () => response.end());
      return true;
    });
    const args = ['inspect', server.url, '--weights', 'onnx/model_int8.onnx'];
    const { stdout: json } = await runScript('dist/cli.js', [...args, '--json']);
    const { source_bytes: bytes, usable } = JSON.parse(json);
    assert.deepEqual([usable, bytes], [true, undefined]);
    const { stdout } = await runScript('dist/cli.js', args);
    assert.match(stdout, /^size +weights of unknown size; about /m);
  });
});

describe('inspect refuses with code 1', () => {
  const refusals = [
    ['another family', 'unsupported', /mamba/, (t) => withConfig(t, { model_type: 'mamba' })],
    ['an activation that nothing computes', 'unsupported', /hidden_act/, (t) => withConfig(t, { hidden_act: 'sine' })],
    ['tensors of another shape', 'format', /intermediate\.dense\.\S+ .*41/, (t) => withConfig(t, { intermediate_size: 41 })],
    ['no weights', 'format', /model\.safetensors was not found/, (t) => copyOf(t, (folder) => rmSync(join(folder, 'model.safetensors')))],
    ['weights cut within their header', 'format', /header is 4056, but the size of the file is 100 bytes/, (t) =>
      copyOf(t, (folder) => writeFileSync(join(folder, 'model.safetensors'), weights.subarray(0, 100)))],
    ['an empty folder', 'format', /config\.json was not found/, (t) => temporaryFolder(t)],
    ['weights alone', 'format', /no one-file model/, () => join(enc, 'model.safetensors')],
    ['SentencePiece alone', 'unsupported', /spm\.model.*tokenizer\.json is not supported: save_pretrained/, (t) =>
      copyOf(t, (folder) => {
        for (const name of ['tokenizer.json', 'vocab.txt']) rmSync(join(folder, name));
        writeFileSync(join(folder, 'spm.model'), 'x');
      })],
    ['a one-file model of a later version', 'unsupported', /format_version is "2", expected "1"/, async (t) => {
      const out = await converted(t);
      const text = readFileSync(out, 'latin1').replace('"format_version":"1"', '"format_version":"2"');
      writeFileSync(out, text, 'latin1');
      return out;
    }],
  ];
  for (const [name, code, message, make] of refusals) {
    test(name, async (t) => {
      const source = await make(t);
      const { usable, error } = await inspect(source, 1);
      assert.equal(usable, false);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      const { code: exit, stdout, stderr } = await runScript('dist/cli.js', ['inspect', source]);
      assert.equal(exit, 1);
      assert.equal(stderr, '');
      assert.ok(stdout.startsWith(`${source}: cannot be used (${code})\n${error.message}`), stdout);
    });
  }

  test('what cannot be looked at is an error, no verdict', async () => {
    for (const [source, expected] of [
      [join(enc, 'nowhere'), 'invalid_argument'],
      ['http://127.0.0.1:9/model/', 'network'],
    ]) {
      const { code, stdout, stderr } = await runScript('dist/cli.js', ['inspect', source]);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /^pocketbert: .*(was not found|could not be fetched)/);
      const { error, ...rest } = await inspect(source, 1);
      assert.deepEqual(rest, { source });
      assert.equal(error.code, expected);
      assert.match(stderr, new RegExp(error.message.replace(/[^\w ]/g, '.')));
    }
  });
});

test('wrong calls of inspect end with code 2', async () => {
  for (const [args, message] of [
    [[], /needs a folder, an address or a file/],
    [[enc, 'b'], /"b" is one too many/],
    [[enc, '--fast'], /--fast/],
  ]) {
    const { code, stdout, stderr } = await runScript('dist/cli.js', ['inspect', ...args]);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.equal(stdout, '');
  }
  const help = await runScript('dist/cli.js', ['inspect', '--help']);
  assert.match(help.stdout, /^usage: pocketbert inspect/);
});
