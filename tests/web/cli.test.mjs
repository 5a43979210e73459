// The program `pocketbert`: what convert writes and tells.

import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Classifier, Embedder } from 'pocketbert';
import { fixtures, runScript, temporaryFolder } from './support/program.mjs';
import { sampleTexts } from '../../web/src/cli/sample_texts.js';
import { serveFiles } from './support/file_server.mjs';

const cli = (...args) => runScript('dist/cli.js', args);
const enc = join(fixtures, 'enc');

/** The reference vectors of case emb-batch-h (transformers, float32). */
function reference() {
  const { cases } = JSON.parse(readFileSync('tests/cases/hand/embed.json', 'utf8'));
  const { input, expect } = cases.find(({ id }) => id === 'emb-batch-h');
  return { texts: input.texts, vectors: expect.vectors };
}

/** Header and data of a safetensors file, read by its definition. */
function readSafetensors(path) {
  const file = readFileSync(path);
  const end = 8 + Number(file.readBigUInt64LE(0));
  return { file, end, header: JSON.parse(file.toString('utf8', 8, end)), data: file.subarray(end) };
}

async function convert(t, source, ...options) {
  const out = join(temporaryFolder(t), 'out.pocketbert.safetensors');
  const result = await cli('convert', source, out, ...options);
  assert.equal(result.code, 0, result.stderr);
  return { ...result, out };
}

async function embedAll(model, texts, options = {}) {
  const embedder = await Embedder.create({ model, ...options });
  try {
    const vectors = await embedder.embed(texts);
    return { data: vectors.data.slice(), rows: [...vectors].map((row) => row.slice()), info: embedder.info, selfTest: await embedder.selfTest() };
  } finally {
    await embedder.destroy();
  }
}

describe('convert', () => {
  test('int8: the file gives the vectors that the folder gives, near the reference', async (t) => {
    const { out } = await convert(t, enc);
    const { texts, vectors } = reference();
    const converted = await embedAll(out, texts);
    const folder = await embedAll(enc, texts, { precision: 'int8' });
    assert.deepEqual(converted.data, folder.data);
    assert.equal(converted.info.model.precision, 'int8');
    converted.rows.forEach((row, i) => {
      assert.ok(Embedder.similarity(row, vectors[i]) > 0.9995, `text ${i}`);
    });
  });

  test('float32: the file gives the reference vectors', async (t) => {
    const { out, stdout } = await convert(t, enc, '--dtype', 'float32');
    const { texts, vectors } = reference();
    const { rows, info } = await embedAll(out, texts);
    assert.equal(info.model.precision, 'float32');
    rows.forEach((row, i) => row.forEach((value, k) => assert.ok(Math.abs(value - vectors[i][k]) < 1e-5, `${i} ${k}`)));
    assert.match(stdout, /none quantized/);
    assert.doesNotMatch(stdout, /cosine/);
  });

  test('the report names every quantized tensor and the cosines; the file keeps them', async (t) => {
    const { out, stdout } = await convert(t, enc);
    const { header } = readSafetensors(out);
    const quantized = Object.entries(header).filter(([, tensor]) => tensor.dtype === 'I8');
    assert.equal(quantized.length, 3 + 2 * 6);
    for (const [name, { shape }] of quantized) {
      const line = stdout.split('\n').find((text) => text.startsWith(`${name} `));
      assert.match(line ?? '', new RegExp(` ${shape[0]} x ${shape[1]} +[\\d,]+ +0\\.[1-9]\\d* % +4\\d\\.\\d dB$`), name);
    }
    const fidelity = JSON.parse(header.__metadata__.fidelity);
    assert.ok(fidelity.texts >= 64);
    assert.ok(fidelity.cosine.min > 0.999 && fidelity.cosine.min <= fidelity.cosine.mean && fidelity.cosine.mean < 1);
    assert.match(stdout, new RegExp(`cosine to float32 over ${fidelity.texts} texts: mean ${fidelity.cosine.mean.toFixed(5)}, min`));
    const { info, selfTest } = await embedAll(out, ['x']);
    assert.equal(info.model.fidelity.cosine.min, fidelity.cosine.min);
    assert.equal(selfTest.status, 'passed');
    assert.ok(selfTest.count >= 3);
  });

  test('the cosines are those of the vectors', async (t) => {
    const { out } = await convert(t, enc, '--json');
    assert.ok(new Set(sampleTexts).size >= 64);
    const quantized = await embedAll(out, sampleTexts);
    const exact = await embedAll(enc, sampleTexts, { precision: 'float32' });
    const cosines = quantized.rows.map((row, i) => Embedder.similarity(row, exact.rows[i]));
    const { cosine } = quantized.info.model.fidelity;
    assert.ok(Math.abs(cosine.mean - cosines.reduce((sum, value) => sum + value, 0) / cosines.length) < 1e-9);
    assert.ok(Math.abs(cosine.min - Math.min(...cosines)) < 1e-9);
    assert.equal(cosine.worst_text, sampleTexts[cosines.indexOf(Math.min(...cosines))]);
  });

  test('the relative error in the report is that of the weights', async (t) => {
    const { out } = await convert(t, enc, '--json');
    const { header, data } = readSafetensors(out);
    const original = readSafetensors(join(enc, 'model.safetensors'));
    const name = 'encoder.layer.1.attention.output.dense.weight';
    const source = Object.keys(original.header).find((key) => key.endsWith(name));
    const at = (tensor, bytes) => bytes.subarray(...tensor.data_offsets);
    assert.equal(original.header[source].dtype, 'F32');
    const weights = at(original.header[source], original.data);
    const values = at(header[name], data);
    const scales = at(header[`${name}_scale`], data);
    const [, columns] = header[name].shape;
    let [noise, signal] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      const exact = weights.readFloatLE(4 * i);
      const stored = values.readInt8(i) * scales.readFloatLE(4 * Math.floor(i / columns));
      noise += (stored - exact) ** 2;
      signal += exact ** 2;
    }
    const told = JSON.parse(header.__metadata__.fidelity).weights[name];
    assert.ok(Math.abs(told / Math.sqrt(noise / signal) - 1) < 1e-3, `${told}`);
  });

  test('the file is sound safetensors: aligned, without gaps or surplus', async (t) => {
    const { out } = await convert(t, enc);
    const { file, end, header } = readSafetensors(out);
    assert.equal(end % 64, 0);
    const tensors = Object.entries(header).filter(([name]) => name !== '__metadata__').map(([, tensor]) => tensor);
    const spans = tensors.map(({ data_offsets: offsets }) => offsets).sort((a, b) => a[0] - b[0]);
    spans.forEach(([begin], i) => assert.equal(begin, i === 0 ? 0 : spans[i - 1][1]));
    assert.equal(end + spans.at(-1)[1], file.length);
    for (const { dtype, data_offsets: [begin] } of tensors) if (dtype === 'F32') assert.equal(begin % 4, 0);
    for (const value of Object.values(header.__metadata__)) assert.equal(typeof value, 'string');
  });

  test('--json is the report as JSON', async (t) => {
    const { out, stdout, stderr } = await convert(t, enc, '--json', '--quiet');
    const report = JSON.parse(stdout);
    assert.equal(report.file, out);
    assert.equal(report.bytes, readFileSync(out).length);
    assert.equal(report.precision, 'int8');
    assert.equal(report.tensors.filter(({ relative_error: error }) => error > 0).length, 15);
    assert.equal(stderr, '');
  });

  test('a classifier keeps its head; its scores are compared', async (t) => {
    const source = join(fixtures, 'cls');
    const { out, stdout } = await convert(t, source);
    assert.match(stdout, /scores of head \S+: difference to float32 mean 0\.0\d+, max 0\.0\d+; same best label for \d+\.\d %/);
    const texts = ['The old river boat was slow.', 'Sail on!'];
    const results = [];
    for (const model of [out, source]) {
      const classifier = await Classifier.create({ model });
      results.push(await classifier.classify(texts));
      await classifier.destroy();
    }
    assert.deepEqual(results[0], results[1]);
  });

  test('a head that is not compared is said to be not measured', async (t) => {
    const ner = join(fixtures, 'ner');
    const { stdout } = await convert(t, ner);
    assert.match(stdout, /^not measured: what int8 costs the results of tag$/m);
    assert.deepEqual(JSON.parse((await convert(t, ner, '--json')).stdout).not_measured, ['tag']);
    assert.doesNotMatch((await convert(t, ner, '--dtype', 'float32')).stdout, /not measured/);
    assert.doesNotMatch((await convert(t, join(fixtures, 'cls'))).stdout, /not measured/);
  });

  test('--weights names the file of the folder that is read', async (t) => {
    const graph = 'tests/cases-families/hand/fixtures/onnx-bert';
    const folder = temporaryFolder(t);
    cpSync(enc, folder, { recursive: true });
    renameSync(join(folder, 'model.safetensors'), join(folder, 'other.safetensors'));
    const { out } = await convert(t, folder, '--weights', 'other.safetensors');
    const tensors = ({ header, data }) => [{ ...header, __metadata__: undefined }, data];
    const usual = await convert(t, enc);
    assert.deepEqual(tensors(readSafetensors(out)), tensors(readSafetensors(usual.out)));
    renameSync(join(folder, 'other.safetensors'), join(folder, 'other.onnx'));
    const place = join(temporaryFolder(t), 'a.safetensors');
    for (const command of [['inspect', folder], ['inspect', folder, '--json'], ['convert', folder, place]]) {
      const result = await cli(...command);
      assert.equal(result.code, 1);
      assert.match(result.stdout + result.stderr, /"?--weights other\.onnx takes this file"?$/m);
    }
    const quantized = await convert(t, graph, '--weights', 'onnx/model_int8.onnx');
    assert.match(quantized.stderr, /of the graph onnx\/model_int8\.onnx/);
    for (const command of [['inspect', graph], ['convert', graph, join(temporaryFolder(t), 'a.safetensors')]]) {
      const { code, stdout, stderr } = await cli(...command, '--weights', 'absent.onnx');
      assert.equal(code, 1);
      assert.match(stdout + stderr, /absent\.onnx was not found.*the option weights names this file/);
    }
  });

  test('a folder as output gets a file named after the source', async (t) => {
    const folder = temporaryFolder(t);
    const { code, stdout } = await cli('convert', enc, folder);
    assert.equal(code, 0);
    assert.deepEqual(readdirSync(folder), ['enc.pocketbert.safetensors']);
    assert.ok(stdout.startsWith(join(folder, 'enc.pocketbert.safetensors')));
  });

  test('an address is read in one pass and gives the same file', async (t) => {
    const server = await serveFiles(t, fixtures);
    const { out } = await convert(t, `${server.url}enc/`);
    const local = await convert(t, enc);
    assert.deepEqual(readFileSync(out), readFileSync(local.out));
    assert.equal(server.requests.filter((path) => path === '/enc/model.safetensors').length, 1);
  });

  test('weights that arrive in small parts give the same file', async (t) => {
    const bytes = readFileSync(join(enc, 'model.safetensors'));
    let parts = 0;
    const server = await serveFiles(t, fixtures, (path, response) => {
      if (!path.endsWith('.safetensors')) return false;
      const send = (at) => {
        if (at >= bytes.length) return void response.end();
        parts += 1;
        response.write(bytes.subarray(at, at + 9999), () => setTimeout(() => send(at + 9999), 5));
      };
      response.writeHead(200, { 'Content-Length': bytes.length });
      send(0);
      return true;
    });
    const { out } = await convert(t, `${server.url}enc/`);
    const local = await convert(t, enc);
    assert.ok(parts > 5);
    assert.deepEqual(readFileSync(out), readFileSync(local.out));
  });

  test('progress goes to stderr and ends with 100 %', async (t) => {
    const { stdout, stderr } = await convert(t, enc);
    assert.match(stderr, /\(100 %\)/);
    assert.doesNotMatch(stdout, /reading/);
    assert.match(stderr, /tensors that are not used: pooler\.dense/);
  });
});

describe('help', () => {
  for (const args of [['--help'], ['-h'], ['help'], ['convert', '--help']]) {
    test(args.join(' '), async () => {
      const { code, stdout, stderr } = await cli(...args);
      assert.equal(code, 0);
      assert.match(stdout, /^usage: pocketbert/);
      assert.equal(stderr, '');
    });
  }

  test('--version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.deepEqual(await cli('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('wrong calls end with code 2, say what is wrong and write nothing', () => {
  const calls = [
    [[], /a command is needed/],
    [['conver'], /"conver" is no command/],
    [['convert'], /needs a folder or an address/],
    [['convert', enc], /needs a file to write to/],
    [['convert', enc, 'OUT/a.safetensors', 'b'], /"b" is one too many/],
    [['convert', enc, 'OUT/a.safetensors', '--dtype', 'int4'], /--dtype is "int4", expected one of int8, float32/],
    [['convert', enc, 'OUT/a.safetensors', '--fast'], /--fast/],
    [['convert', enc, 'OUT/model.bin'], /no folder and does not end in/],
    [['convert', enc, 'OUT/a.safetensors', '--weights', ''], /--weights is empty/],
    [['convert', enc, enc], /enc\.pocketbert\.safetensors" lies in the folder that is read/],
    [['convert', enc, join(enc, 'a.safetensors')], /lies in the folder that is read/],
  ];
  for (const [args, message] of calls) {
    test(args.join(' ').replaceAll(fixtures, '') || '(nothing)', async (t) => {
      const folder = temporaryFolder(t);
      const { code, stdout, stderr } = await cli(...args.map((arg) => arg.replace('OUT', folder)));
      assert.equal(code, 2);
      assert.match(stderr, message);
      assert.equal(stdout, '');
      assert.deepEqual(readdirSync(folder), []);
      for (const name of ['a', 'enc.pocketbert']) assert.ok(!existsSync(join(enc, `${name}.safetensors`)));
    });
  }
});
