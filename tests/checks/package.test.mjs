// What `npm pack` would publish: the built files and the default model, nothing else, nothing that
// runs on installation.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { publint } from 'publint';
import { kTop, localLinks, readText } from './tree.mjs';

const kLifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'prepare',
  'prepublish',
  'preprepare',
  'postprepare',
];
/** Scripts that index.js imports only when they are needed. */
const kLater = [
  'answering.js',
  'disk_store.js',
  'explaining.js',
  'filling.js',
  'folder.js',
  'integrity.js',
  'judging.js',
  'parts.js',
  'pipeline_tasks.js',
  'quantizing.js',
  'ranking.js',
  'sha256.js',
  'tagging.js',
];
/** All that the package exports: the classes, `pipeline`, what tells errors, and one object for its own scripts. */
const kExported = [
  'Classifier',
  'Embedder',
  'Filler',
  'ModelUser',
  'PocketBertError',
  'Ranker',
  'Reader',
  'Tagger',
  'Tokenizer',
  '_internals',
  'errorCodes',
  'pipeline',
];
const manifest = JSON.parse(readText('package.json'));

function packedFiles() {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: kTop,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const parsed = JSON.parse(output);
  const [first] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  return first.files.map(({ path }) => path);
}

describe('the package', () => {
  test('needs nothing at run time and runs nothing on installation', () => {
    assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);
    assert.deepEqual(
      Object.keys(manifest.scripts).filter((name) => kLifecycle.includes(name)),
      [],
    );
  });

  test('holds what is built, the default model, and what its documents link to', () => {
    const files = packedFiles();
    const documents = files.filter((path) => path.endsWith('.md'));
    const linked = documents.flatMap(localLinks);
    assert.ok(linked.length > 5, linked.join());
    const needed = [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/worker.js',
      'dist/cli.js',
      ...kLater.map((name) => `dist/${name}`),
      'LICENSE',
      'README.md',
      'package.json',
      ...['simd', 'relaxed', 'relaxed-mt'].flatMap((name) => [
        `dist/pocketbert-${name}.js`,
        `dist/pocketbert-${name}.wasm`,
      ]),
      'models/default/default.pocketbert.safetensors',
      ...linked,
    ];
    assert.deepEqual(
      needed.filter((path) => !files.includes(path)),
      [],
    );
    const allowed =
      /^(dist\/.*\.(js|wasm|d\.ts)|models\/default\/.*|LICENSE|README\.md|package\.json)$/;
    assert.deepEqual(
      files.filter((path) => !allowed.test(path) && !linked.includes(path)),
      [],
    );
  });

  test('what is imported later is there, and finds in index.js what it takes from it', async () => {
    const { _internals } = await import('../../dist/index.js');
    const scripts = ['index.js', ...kLater].map((name) => readText(`dist/${name}`)).join();
    const found = [...scripts.matchAll(/\bimport\("\.\/([\w.-]+)"\)/g)].map((match) => match[1]);
    const names = found.filter((name) => !name.startsWith('pocketbert-'));
    assert.deepEqual([...new Set(names)].sort(), kLater);
    // The build stops at a name that is not in this object.
    assert.ok(!Object.values(_internals).includes(undefined));
    for (const name of kLater) {
      assert.ok(Object.keys(await import(`../../dist/${name}`)).length > 0, name);
    }
  });

  test('publint finds no error in it', async () => {
    const { messages } = await publint({ pkgDir: kTop, strict: true, pack: 'npm' });
    assert.deepEqual(
      messages
        .filter(({ type }) => type !== 'suggestion')
        .map(({ code, path }) => [code, path.join('.')]),
      [],
    );
  });

  test('is found by its own name, and importing it does nothing', () => {
    const program = `const before = Object.keys(globalThis).length;
      const own = await import('pocketbert');
      console.log(JSON.stringify([Object.keys(own), own.PocketBertError.name, Object.keys(globalThis).length - before, process._getActiveHandles().length]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: kTop,
      encoding: 'utf8',
    });
    const [exported, name, globals] = JSON.parse(output);
    assert.deepEqual(exported, kExported);
    assert.equal(name, 'PocketBertError');
    assert.equal(globals, 0);
  });

  test('declares what it exports, but not the object for its own scripts', () => {
    const lists = [...readText('dist/index.d.ts').matchAll(/^export \{([^}]*)\}/gm)];
    const names = lists.flatMap(([, list]) => list.match(/[\w ]*\w/g));
    const values = names.map((name) => name.trim()).filter((name) => !name.startsWith('type '));
    assert.deepEqual(values.sort(), kExported.filter((name) => name !== '_internals'));
  });
});
