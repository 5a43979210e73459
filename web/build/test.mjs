// `npm test`: sets up, builds, runs every test and closes with one line, `N passed, N failed`.
//
//   node web/build/test.mjs                 all stages
//   node web/build/test.mjs native checks   these only (see kStages)
//
// Files *.browser.test.* run in the stage `browsers`, other *.test.* under tests/ in `web` or
// `checks`.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { ensureBrowsers } from '../../tests/web/harness/programs.mjs';
import { build, configure, configureWasm, kVariants, ninja } from './build.mjs';
import { kSourceFolder } from './cache.mjs';
import { BuildError, runMain, say, seconds } from './process.mjs';
import { ensureNativeTools, ensureNpmPackages, nodeFlags } from './setup.mjs';
import { filesOf } from './stamps.mjs';
import { ensureToolchain } from './toolchain.mjs';

const kTestTimeout = 900_000; // ms for one test of node's runner
const at = (...parts) => join(kSourceFolder, ...parts);
const kCounts = at('build', 'counts.json');

const nothing = () => ({ passed: 0, failed: 0, skipped: 0 });
const failure = (text) => {
  say(text);
  return { ...nothing(), failed: 1 };
};

function sum(counts) {
  const total = nothing();
  for (const one of counts) for (const name of Object.keys(total)) total[name] += one[name] ?? 0;
  return total;
}

/** Runs a program; resolves with its exit code and all it printed. */
function capture(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: kSourceFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 1, output: signal ? `${output}\nended with ${signal}` : output }),
    );
  });
}

function readCounts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

// ---- Catch2

/** The line of tests/support/count_listener.cc. */
function countedCases(output) {
  const line = /^test cases counted: (\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output);
  if (!line) return undefined;
  const [passed, failed, skipped] = line.slice(1).map(Number);
  return { passed, failed, skipped };
}

/** Runs one Catch2 program; prints its output if anything in it failed. */
async function runCatch(label, command, args) {
  const { code, output } = await capture(command, args);
  const cases = countedCases(output);
  if (code === 0 && cases?.failed === 0 && cases.passed > 0) return cases;
  say(`\n  FAILED ${label} (exit code ${code})\n${output}`);
  return { ...nothing(), ...cases, failed: Math.max(1, cases?.failed ?? 0) };
}

/** Builds all of a CMake folder and runs its test programs, `run(program)` giving command and arguments. */
async function catchStage(folder, toolchain, ending, run) {
  const counts = [];
  await ninja(folder, toolchain, ['-k', '0']).catch((error) => {
    if (!(error instanceof BuildError)) throw error;
    counts.push(failure(error.message));
  });
  const programs = at('build', folder, toolchain ? 'tests' : '');
  const isTest = (name) => /^test_\w+$/.test(basename(name, ending)) && name.endsWith(ending);
  const names = existsSync(programs) ? readdirSync(programs).filter(isTest).sort() : [];
  for (const name of names) {
    const label = `${folder} ${basename(name, ending)}`;
    counts.push(await runCatch(label, ...run(join(programs, name))));
  }
  if (counts.length === 0) counts.push(failure(`no test program in build/${folder}`));
  return sum(counts);
}

async function nativeStage() {
  await ensureNativeTools();
  const { deps } = await ensureToolchain();
  await configure('native', undefined, [`-DPOCKETBERT_DEPS=${deps}`]);
  return catchStage('native', undefined, '', (program) => [program, []]);
}

async function wasmStage() {
  const toolchain = await ensureToolchain();
  const counts = [];
  for (const variant of kVariants) {
    await configureWasm(variant, toolchain);
    const run = (program) => [process.execPath, [...nodeFlags(), program]];
    counts.push(await catchStage(`wasm-${variant}`, toolchain, '.js', run));
  }
  return sum(counts);
}

// ---- node:test

const isTestFile = (path) => /\.test\.(mjs|ts)$/.test(path);
const isBrowserTest = (path) => /\.browser\.test\.(mjs|ts)$/.test(path);
const testFiles = () =>
  filesOf([at('tests')])
    .filter(isTestFile)
    .sort();
const isCheck = (path) => path.startsWith(at('tests/checks/'));

async function nodeTests(files, concurrency) {
  if (files.length === 0) return failure('no test file');
  mkdirSync(at('build'), { recursive: true });
  rmSync(kCounts, { force: true });
  const args = [
    ...nodeFlags(),
    '--enable-source-maps',
    '--import',
    './web/build/typescript.mjs',
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${kTestTimeout}`,
    '--test-reporter=./web/build/test_reporter.mjs',
    '--test-reporter-destination=stderr',
    ...files.map((file) => relative(kSourceFolder, file)),
  ];
  const env = { ...process.env, POCKETBERT_COUNTS: kCounts };
  const code = spawnSync(process.execPath, args, {
    cwd: kSourceFolder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  }).status;
  const counts = readCounts(kCounts);
  if (!counts) return failure(`node's test runner ended with ${code} and without counts`);
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function typesStage() {
  await build(['wasm', 'js']);
  const { code, output } = await capture(at('node_modules/.bin/tsc'), ['-p', 'tsconfig.json']);
  return code === 0 ? { ...nothing(), passed: 1 } : failure(`\n  FAILED types\n${output}`);
}

async function webStage() {
  await build(['wasm', 'js']);
  return nodeTests(
    testFiles().filter((path) => !isBrowserTest(path) && !isCheck(path)),
    2,
  );
}

async function browsersStage() {
  await ensureBrowsers();
  await build();
  return nodeTests(testFiles().filter(isBrowserTest), 1);
}

async function checksStage() {
  await build();
  return nodeTests(
    testFiles().filter((path) => isCheck(path) && !isBrowserTest(path)),
    2,
  );
}

// ---- Cases with reference values, and the real model that some of them use

async function modelStage() {
  await build(['wasm', 'js']);
  const { code, output } = await capture(process.execPath, [
    at('models/fetch.mjs'),
    'all-MiniLM-L6-v2',
  ]);
  const file = output.trim().split('\n').at(-1) ?? '';
  return code === 0 && existsSync(file)
    ? { ...nothing(), passed: 1 }
    : failure(`\n  FAILED models/fetch.mjs (${code})\n${output}`);
}

async function casesStage() {
  await build(['wasm', 'js']);
  const counts = [];
  for (const folder of [
    'tests/cases/hand',
    'tests/cases/wordpiece-fuzz',
    'tests/cases-families/hand',
  ]) {
    const { code, output } = await capture(process.execPath, [
      ...nodeFlags(),
      at('tests/cases/run.mjs'),
      at(folder),
    ]);
    const found = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m.exec(
      output.trimEnd().split('\n').at(-1) ?? '',
    );
    if (!found || code !== 0)
      say(`\n  FAILED ${folder} (exit code ${code})\n${output.replace(/^(?=\d+ passed)/gm, '  ')}`);
    const [passed, failed, skipped] = (found ?? [0, 0, 1, 0])
      .slice(1)
      .map((text) => Number(text ?? 0));
    counts.push({ passed, failed: code === 0 ? failed : Math.max(1, failed), skipped });
  }
  return sum(counts);
}

const kStages = {
  native: { run: nativeStage, what: 'Catch2, sanitizers on' },
  wasm: { run: wasmStage, what: 'Catch2 as wasm in node, each variant' },
  types: { run: typesStage, what: 'tsc' },
  model: { run: modelStage, what: 'all-MiniLM-L6-v2 fetched and converted' },
  web: { run: webStage, what: 'TypeScript tests in node' },
  cases: { run: casesStage, what: 'reference cases through the public API' },
  browsers: { run: browsersStage, what: 'Chromium, Firefox, WebKitGTK' },
  checks: { run: checksStage, what: 'layers, sizes, README, package' },
};

async function main() {
  const start = performance.now();
  const wanted = process.argv.slice(2);
  const names = wanted.length > 0 ? wanted : Object.keys(kStages);
  const unknown = names.find((name) => !kStages[name]);
  if (unknown)
    throw new BuildError(`unknown stage ${unknown}, expected ${Object.keys(kStages).join(', ')}`);
  await ensureNpmPackages();
  const lines = [];
  const counts = [];
  for (const name of names) {
    say(`\n== ${name}: ${kStages[name].what}`);
    const began = performance.now();
    const count = await kStages[name]
      .run()
      .catch((error) => failure(error instanceof BuildError ? error.message : error.stack));
    counts.push(count);
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    lines.push(
      `${name.padEnd(10)}${seconds(began).padStart(9)}   ${count.passed} passed, ${count.failed} failed${skipped}`,
    );
    say(`== ${lines.at(-1)}`);
  }
  const total = sum(counts);
  console.log(`\n${lines.join('\n')}\n\nall in ${seconds(start)}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

runMain(main);
