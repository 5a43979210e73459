// The program `pocketbert`: what fails ends with code 1, names the thing, and leaves no file behind.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serveFiles } from './support/file_server.mjs';
import { fixtures, runScript, temporaryFolder } from './support/program.mjs';

const enc = join(fixtures, 'enc');

/** Converts `source` in vain; nothing may be left. */
async function refuse(t, source, message) {
  const folder = temporaryFolder(t);
  const { code, stdout, stderr } = await runScript('dist/cli.js', ['convert', source, join(folder, 'out.safetensors')]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^pocketbert: /m);
  assert.doesNotMatch(stderr, /^ +at /m, 'no stack trace for a mistake that is not ours');
  assert.match(stderr, message);
  assert.equal(stdout, '');
  assert.deepEqual(readdirSync(folder), []);
}

/** A copy of a fixture that may be changed. */
function copyOf(t, fixture = enc) {
  const folder = join(temporaryFolder(t), 'model');
  cpSync(fixture, folder, { recursive: true });
  return folder;
}

describe('folders', () => {
  test('that are not there', async (t) => {
    await refuse(t, join(enc, 'nowhere'), /nowhere was not found/);
  });

  test('that are empty', async (t) => {
    await refuse(t, temporaryFolder(t), /config\.json was not found/);
  });

  test('without weights', async (t) => {
    const folder = copyOf(t);
    rmSync(join(folder, 'model.safetensors'));
    await refuse(t, folder, /model\.safetensors was not found.*\n.*pytorch_model\.bin/);
  });

  test('with weights that end early', async (t) => {
    const folder = copyOf(t);
    const size = readFileSync(join(folder, 'model.safetensors')).length;
    truncateSync(join(folder, 'model.safetensors'), size - 100);
    await refuse(t, folder, /model\.safetensors/);
  });

  test('with weights that are a pointer of Git LFS', async (t) => {
    const folder = copyOf(t);
    writeFileSync(join(folder, 'model.safetensors'), 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
    await refuse(t, folder, /Git LFS pointer/);
  });

  test('of a family that is not supported', async (t) => {
    const folder = copyOf(t);
    const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, model_type: 'mamba' }));
    await refuse(t, folder, /mamba/);
  });

  test('with a tensor of another shape than config.json says', async (t) => {
    const folder = copyOf(t);
    const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, intermediate_size: 41 }));
    await refuse(t, folder, /intermediate\.dense\.\S+ .*41/);
  });
});

describe('files', () => {
  test('that are converted already', async (t) => {
    const out = join(temporaryFolder(t), 'enc.pocketbert.safetensors');
    assert.equal((await runScript('dist/cli.js', ['convert', enc, out])).code, 0);
    await refuse(t, out, /a converted PocketBERT model already/);
  });

  test('of weights alone', async (t) => {
    await refuse(t, join(enc, 'model.safetensors'), /is a single file[^]*the folder that holds config\.json/);
  });
});

describe('addresses', () => {
  test('that are none', async (t) => {
    const { code, stderr } = await runScript('dist/cli.js', ['convert', 'http://', temporaryFolder(t)]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^pocketbert: "http:\/\/" is no address$/m);
    await refuse(t, 'http://', /"http:\/\/" is no address of a model/);
  });

  test('of other hosts in a file of the model', async (t) => {
    const other = await serveFiles(t, enc);
    const index = JSON.stringify({ weight_map: { a: `${other.url}model.safetensors` } });
    const { url } = await serveFiles(t, enc, (path, response) => {
      if (path === '/model.safetensors') response.writeHead(404).end();
      else if (path === '/model.safetensors.index.json') response.end(index);
      else return false;
      return true;
    });
    await refuse(t, `${url}?token=secret`, /is named by a file of the model; expected a path within/);
    assert.deepEqual(other.requests, []);
  });

  test('where nobody answers', async (t) => {
    await refuse(t, 'http://127.0.0.1:9/model/', /could not be fetched/);
  });

  test('where there is nothing', async (t) => {
    const { url } = await serveFiles(t, fixtures);
    await refuse(t, `${url}nothing/`, /config\.json was not found in http/);
  });

  test('where the server fails', async (t) => {
    const { url } = await serveFiles(t, fixtures, (path, response) => {
      if (!path.endsWith('.safetensors')) return false;
      response.writeHead(503).end();
      return true;
    });
    await refuse(t, `${url}enc/`, /model\.safetensors was answered with status 503/);
  });

  test('where the connection breaks', async (t) => {
    const bytes = readFileSync(join(enc, 'model.safetensors'));
    const { url } = await serveFiles(t, fixtures, (path, response) => {
      if (!path.endsWith('.safetensors')) return false;
      response.writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      return true;
    });
    await refuse(t, `${url}enc/`, /model\.safetensors broke off/);
  });
});

describe('outputs', () => {
  test('that cannot be written', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await runScript('dist/cli.js', ['convert', enc, join(folder, 'file', 'out.safetensors')]);
    assert.equal(code, 1);
    assert.match(stderr, /out\.safetensors could not be written/);
    assert.doesNotMatch(stderr, /^ +at /m);
  });

  test('that exist stay as they are when the conversion fails, and are replaced when it does not', async (t) => {
    const folder = temporaryFolder(t);
    const out = join(folder, 'out.safetensors');
    writeFileSync(out, 'before');
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    assert.equal((await runScript('dist/cli.js', ['convert', empty, out])).code, 1);
    assert.equal(readFileSync(out, 'utf8'), 'before');
    assert.equal((await runScript('dist/cli.js', ['convert', enc, out])).code, 0);
    assert.ok(readFileSync(out).length > 10_000);
    assert.deepEqual(readdirSync(folder).sort(), ['empty', 'out.safetensors']);
  });
});
