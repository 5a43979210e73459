// Builds dist/ and the demo page.
//
//   node web/build/build.mjs            everything
//   node web/build/build.mjs wasm js    parts: wasm (modules), js (bundles and types), demo (page)
//
// How the parts fit together:
//  - CMake makes build/wasm-<variant>/pocketbert-<variant>.{js,wasm,d.ts} of src/ and bindings/.
//    The wasm and the minified js ("glue") go into dist/ under the same names.
//  - web/src imports the glue as `#glue/pocketbert-<variant>.js` (package.json "imports";
//    TypeScript finds its types there). In dist/ that becomes `./pocketbert-<variant>.js`, a file
//    of its own beside index.js: only the variant that is used is loaded.
//  - Entries: web/src/bundle.ts (that is index.ts, and one object for our own files) → dist/index.js,
//    web/src/worker/worker.ts → dist/worker.js, web/src/cli/main.ts → dist/cli.js. All lie in one
//    folder, so `new URL('./worker.js', import.meta.url)` in any source file finds the built file.
//    The worker is only the few lines that listen; what they call is in index.js. What few pages need
//    (folder, integrity, sha256, disk_store, answering, filling, ranking, tagging, pipeline_tasks) is
//    imported when it is needed, from a file of its own, which takes from index.js what is there already, too. One file
//    for all that every page needs compresses better than two, and is one request.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kSourceFolder, withLock } from './cache.mjs';
import { BuildError, run, runMain, runQuietly, say, seconds } from './process.mjs';
import { ensureNpmPackages } from './setup.mjs';
import { filesOf, whenChanged } from './stamps.mjs';
import { ensureToolchain } from './toolchain.mjs';

export const kVariants = ['simd', 'relaxed', 'relaxed-mt'];
/** The modules that a variant's build folder makes. */
const kModules = {
  simd: ['pocketbert-simd', 'pocketbert-import'],
  relaxed: ['pocketbert-relaxed'],
  'relaxed-mt': ['pocketbert-relaxed-mt'],
};

const at = (...parts) => join(kSourceFolder, ...parts);
const kDist = at('dist');
const kEntries = [
  { out: 'index', source: 'web/src/bundle.ts', isIndex: true },
  { out: 'worker', source: 'web/src/worker/worker.ts', apart: true },
  { out: 'folder', source: 'web/src/models/folder.ts', apart: true },
  { out: 'integrity', source: 'web/src/models/integrity.ts', apart: true },
  { out: 'sha256', source: 'web/src/models/sha256.ts', apart: true },
  { out: 'disk_store', source: 'web/src/models/disk_store.ts', apart: true },
  { out: 'answering', source: 'web/src/tasks/answering.ts', apart: true },
  { out: 'explaining', source: 'web/src/tasks/explaining.ts', apart: true },
  { out: 'filling', source: 'web/src/tasks/filling.ts', apart: true },
  { out: 'judging', source: 'web/src/tasks/judging.ts', apart: true },
  { out: 'parts', source: 'web/src/tasks/parts.ts', apart: true },
  { out: 'quantizing', source: 'web/src/tasks/quantizing.ts', apart: true },
  { out: 'ranking', source: 'web/src/tasks/ranking.ts', apart: true },
  { out: 'tagging', source: 'web/src/tasks/tagging.ts', apart: true },
  { out: 'pipeline_tasks', source: 'web/src/tasks/pipeline_tasks.ts', apart: true },
  { out: 'cli', source: 'web/src/cli/main.ts', banner: '#!/usr/bin/env node' },
];

/** Folder of a CMake build, configured; made anew if it was configured for another toolchain. */
export async function configure(name, toolchain, options) {
  const folder = at('build', name);
  const marker = join(folder, 'configured-with');
  const wanted = JSON.stringify([toolchain?.description ?? 'native', toolchain?.deps, options]);
  if (
    existsSync(marker) &&
    readFileSync(marker, 'utf8') === wanted &&
    existsSync(join(folder, 'build.ninja'))
  )
    return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const words = ['cmake', '-S', kSourceFolder, '-B', folder, '-G', 'Ninja', ...options];
  const [program, args, settings] = toolchain
    ? toolchain.command(['emcmake', ...words])
    : [words[0], words.slice(1), {}];
  await runQuietly(`configuring ${name}`, program, args, settings);
  writeFileSync(marker, wanted);
  return folder;
}

/** Runs ninja in a folder that `configure` made. */
export async function ninja(name, toolchain, targets = []) {
  const words = [
    'ninja',
    '-C',
    at('build', name),
    '-j',
    String(availableParallelism()),
    ...targets,
  ];
  const [program, args, settings] = toolchain
    ? toolchain.command(words)
    : [words[0], words.slice(1), {}];
  const compile = () =>
    runQuietly(`compiling ${name}`, program, args, { ...settings, tailLines: 200 });
  await withLock(name, compile, at('build'));
}

/** Configures the build folder of a wasm variant: `wasm-<variant>`. */
export async function configureWasm(variant, toolchain) {
  return configure(`wasm-${variant}`, toolchain, [
    `-DPOCKETBERT_DEPS=${toolchain.deps}`,
    `-DPOCKETBERT_VARIANT=${variant}`,
  ]);
}

async function buildWasm() {
  const toolchain = await ensureToolchain();
  mkdirSync(kDist, { recursive: true });
  for (const variant of kVariants) {
    const folder = await configureWasm(variant, toolchain);
    await ninja(`wasm-${variant}`, toolchain, kModules[variant]);
    for (const name of kModules[variant]) await ship(name, folder);
  }
}

/** A module from its build folder into dist/. */
async function ship(name, folder) {
  const { build } = await import('esbuild');
  const made = ['js', 'wasm', 'd.ts'].map((ending) => join(folder, `${name}.${ending}`));
  const shipped = ['js', 'wasm', 'd.ts'].map((ending) => join(kDist, `${name}.${ending}`));
  await whenChanged(name, [...made, at('web/build/build.mjs')], shipped, async () => {
    await build({
      entryPoints: [made[0]],
      outfile: shipped[0],
      minify: true,
      format: 'esm',
      target: 'es2022',
      logLevel: 'error',
      plugins: [withoutOwnLoading],
    });
    await shrink(shipped[0]);
    await leaveNoGlobal(shipped[0]);
    cpSync(made[1], shipped[1]);
    chmodSync(shipped[1], 0o644);
    cpSync(made[2], shipped[2]);
  });
}

/**
 * Import names that become files beside the importing one in dist/.
 * @param whole true to keep in the bundle what is imported later
 */
const besideInDist = (whole) => ({
  name: 'beside-in-dist',
  setup(build) {
    build.onResolve({ filter: /^#glue\// }, ({ path }) => ({
      path: path.replace('#glue/', './'),
      external: true,
    }));
    build.onResolve({ filter: /^pocketbert$/ }, () => ({ path: './index.js', external: true }));
    build.onResolve({ filter: /^\.\// }, ({ path, kind }) =>
      kind === 'dynamic-import' && !whole ? { path, external: true } : undefined,
    );
  },
});

/** The names in bundle.ts of what index.js has for entries apart. */
function internalNames() {
  const list = /\b_internals = \{([\s\w,]*)\}/.exec(readFileSync(at('web/src/bundle.ts'), 'utf8'));
  if (!list) throw new BuildError('web/src/bundle.ts: _internals is no list of names');
  return list[1].match(/\w+/g);
}

/** For entries apart: these sources are in index.js, which has what is used of them in one object. */
const takenFromIndex = (sources) => ({
  name: 'taken-from-index',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) =>
      kind === 'import-statement' && sources.has(join(resolveDir, path.replace(/\.js$/, '.ts')))
        ? { path: 'index.js', namespace: 'taken' }
        : undefined,
    );
    const taken = (name) => `export const ${name} = /* @__PURE__ */ (() => _internals.${name})();`;
    build.onLoad({ filter: /./, namespace: 'taken' }, () => ({
      contents: ["import { _internals } from 'pocketbert';", ...internalNames().map(taken)].join('\n'),
    }));
  },
});

/**
 * The wrapper always gives the glue `instantiateWasm`. What the glue would otherwise do, fetch and
 * read the wasm in four ways, is then unused from this line on: a tenth of its script.
 */
const kOwnLoading =
  /wasmBinaryFile\s*\?\?=\s*findWasmBinary\(\);\s*instantiateAsync\([^()]*\)\.catch\(readyPromiseReject\);/;
const withoutOwnLoading = {
  name: 'without-own-loading',
  setup(build) {
    build.onLoad({ filter: /pocketbert-[\w-]+\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(kOwnLoading, ''),
    }));
  },
};

/** In node the glue of threads would set a global; bindings/pthread_worker.js does without. */
async function leaveNoGlobal(path) {
  const script = readFileSync(path, 'utf8');
  if (!script.includes('worker_threads')) return;
  const without = script.replace(/global\.Worker=[\w$]+\.Worker/, '0');
  if (without === script) throw new BuildError(`${path}: no line of it sets a global Worker`);
  writeFileSync(path, without);
  await shrink(path);
}

/**
 * Makes a script of ours smaller than esbuild alone does.
 * @param more settings of the compression besides
 * @param format settings of what is written besides
 */
async function shrink(path, more = {}, format = {}) {
  const { minify } = await import('terser');
  const { code } = await minify(readFileSync(path, 'utf8'), {
    module: true,
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true, ...more },
    format: { comments: false, ...format },
  });
  writeFileSync(path, code);
}

/**
 * Bundles an entry.
 * @param inIndex the sources whose code is in index.js, for entries apart
 * @returns the sources whose code is in the bundle
 */
async function bundle({ out, source, banner, apart, isIndex }, inIndex = new Set()) {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: kSourceFolder,
    metafile: true,
    entryPoints: [{ in: at(source), out }],
    outdir: kDist,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    plugins: [besideInDist(!apart && !isIndex), ...(apart ? [takenFromIndex(inIndex)] : [])],
    banner: banner ? { js: banner } : {},
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  }).catch((error) => {
    throw new BuildError(error.message);
  });
  for (const { path, contents } of outputFiles) {
    writeFileSync(path, contents);
    // Functions side by side resemble each other, which brotli likes. Of an error that is not caught
    // node prints the line: a whole file in one would bury the message.
    await shrink(path, { hoist_funs: true }, { max_line_len: 8000 });
  }
  if (banner) chmodSync(join(kDist, `${out}.js`), 0o755);
  const sources = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return new Set(sources.filter(([, part]) => part.bytesInOutput > 0).map(([path]) => at(path)));
}

/** Removes files of dist/ with this ending that no longer are made; those of the modules stay. */
function removeOld(ending) {
  for (const path of filesOf([kDist])) {
    if (path.endsWith(ending) && !basename(path).startsWith('pocketbert-')) rmSync(path);
  }
}

/**
 * Declarations of the public API. Type errors do not stop a build; the test stage `types` reports
 * them.
 */
async function emitTypes() {
  const folder = at('build', 'types');
  rmSync(folder, { recursive: true, force: true });
  const code = await run(at('node_modules/.bin/tsc'), ['-p', at('web/build/tsconfig.types.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    allowFailure: true,
  });
  if (code !== 0) say('web/src has type errors: `npm run test:web` shows them');
  removeOld('.d.ts');
  if (existsSync(folder)) cpSync(folder, kDist, { recursive: true });
}

async function buildJs() {
  const inputs = [
    at('web/src'),
    at('web/build/build.mjs'),
    at('package-lock.json'),
    at('tsconfig.json'),
  ];
  const entries = kEntries.filter(({ source }) => existsSync(at(source)));
  await whenChanged(
    'bundles',
    inputs,
    entries.map(({ out }) => join(kDist, `${out}.js`)),
    async () => {
      mkdirSync(kDist, { recursive: true });
      removeOld('.js');
      const [index, ...others] = entries;
      const inIndex = await bundle(index);
      await Promise.all(others.map((entry) => bundle(entry, inIndex)));
    },
  );
  const declared = Object.values(kModules)
    .flat()
    .map((name) => join(kDist, `${name}.d.ts`));
  await whenChanged(
    'types',
    [...inputs, ...declared, at('web/build/tsconfig.types.json')],
    [join(kDist, 'index.d.ts')],
    emitTypes,
  );
}

async function buildDemo() {
  const inputs = [at('web/demo'), kDist, at('models/default'), at('package-lock.json')];
  await whenChanged('demo', inputs, [at('build/demo/index.html')], async () => {
    await runQuietly(
      'bundling the demo page',
      process.execPath,
      [
        at('node_modules/vite/bin/vite.js'),
        'build',
        '--config',
        at('web/demo/vite.config.ts'),
        '--logLevel',
        'warn',
      ],
      { cwd: kSourceFolder, tailLines: 200 },
    );
  });
}

const kParts = { wasm: buildWasm, js: buildJs, demo: buildDemo };

/** Brings the named parts up to date; nothing is redone whose inputs are unchanged. */
export async function build(parts = Object.keys(kParts)) {
  const unknown = parts.find((part) => !kParts[part]);
  if (unknown) {
    throw new BuildError(`unknown part ${unknown}, expected ${Object.keys(kParts).join(', ')}`);
  }
  await ensureNpmPackages();
  const makeAll = async () => {
    for (const part of parts) await kParts[part]();
  };
  await withLock('dist', makeAll, at('build'));
}

async function main() {
  const start = performance.now();
  const parts = process.argv.slice(2);
  await build(parts.length > 0 ? parts : undefined);
  say(`built in ${seconds(start)}`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) runMain(main);
