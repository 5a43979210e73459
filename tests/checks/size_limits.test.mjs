// Small enough to see: files, functions, parameter lists; and no folder for leftovers.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countParameters, functionsOf } from './functions.mjs';
import { projectFiles, readText } from './tree.mjs';

const kFileLines = 400;
const kFunctionLines = 60;
const kKernelLines = 90;
const kParameters = 6;

const files = projectFiles();
/** Tables that a script wrote say so in their first lines. */
const isGenerated = (path) => /^\/\/ Generated\b/im.test(readText(path).slice(0, 400));
const sources = files.filter(
  (path) =>
    /^(src|bindings|web|tests|models|bench)\/.*\.(cc|h|ts|mjs|js|py|css|html)$/.test(path) &&
    !isGenerated(path),
);
const products = sources.filter((path) => /^(src|bindings|web|bench)\/.*\.(cc|h|ts|mjs|js)$/.test(path));

describe('the tree', () => {
  test('no file is longer than 400 lines', () => {
    assert.ok(sources.length > 100, `only ${sources.length} files`);
    const long = sources
      .map((path) => [path, readText(path).split('\n').length - 1])
      .filter(([, lines]) => lines > kFileLines);
    assert.deepEqual(long, []);
  });

  test('no function is longer than 60 lines (kernels and binding lists 90), none has more than 6 parameters', () => {
    const faults = products.flatMap((path) =>
      functionsOf(readText(path)).flatMap(({ name, line, lines, parameters }) => {
        const limit =
          path.startsWith('src/kernels/') || name === 'EMSCRIPTEN_BINDINGS'
            ? kKernelLines
            : kFunctionLines;
        return [
          ...(lines > limit
            ? [`${path}:${line}: ${name} has ${lines} lines, at most ${limit}`]
            : []),
          ...(parameters > kParameters
            ? [`${path}:${line}: ${name} has ${parameters} parameters, at most ${kParameters}`]
            : []),
        ];
      }),
    );
    assert.deepEqual(faults, []);
  });

  test('no folder is called util, common, helpers or misc', () => {
    assert.deepEqual(
      files.filter((path) => /(^|\/)(utils?|common|helpers?|misc)\//i.test(path)),
      [],
    );
  });

  test('nothing is left for later', () => {
    const marks = new RegExp(['TODO', 'FIXME', 'XXX'].map((word) => `\\b${word}\\b`).join('|'));
    const isOurs = (path) => sources.includes(path) && path !== 'tests/checks/size_limits.test.mjs';
    assert.deepEqual(
      files.filter((path) => isOurs(path) && marks.test(readText(path))),
      [],
    );
  });

  test('the top level is as designed', () => {
    const expected = [
      '.ci',
      '.gitattributes',
      '.gitignore',
      '.npmrc',
      'CMakeLists.txt',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'bench',
      'bindings',
      'models',
      'package-lock.json',
      'package.json',
      'src',
      'tests',
      'tsconfig.json',
      'web',
    ];
    const found = [...new Set(files.map((path) => path.split('/')[0]))];
    assert.deepEqual(
      found.filter((name) => !expected.includes(name)),
      [],
    );
  });
});

describe('the measuring of functions', () => {
  const names = (text) =>
    functionsOf(text).map(({ name, lines, parameters }) => [name, lines, parameters]);

  test('finds C++ functions in all their forms', () => {
    assert.deepEqual(
      names('int Add(int a, std::map<int, int> b) {\n  if (a) { return 1; }\n  return 2;\n}\n'),
      [['Add', 4, 2]],
    );
    assert.deepEqual(
      names('class A {\n  A(int x) : x_(x), y_{1} {\n  }\n  int Get() const { return x_; }\n};'),
      [
        ['A', 2, 1],
        ['Get', 1, 0],
      ],
    );
    assert.deepEqual(
      names('auto F(int a) -> std::vector<int> {\n  auto g = [&](int b) { return b; };\n}'),
      [['F', 3, 1]],
    );
    assert.deepEqual(
      names('struct S { int a = 1; };\nnamespace n {\nenum class E { kA, kB };\n}'),
      [],
    );
    assert.deepEqual(
      names("void F() {\n  const char* s = \"}\";  // }\n  char c = '}';\n  int n = 1'000;\n}\n"),
      [['F', 5, 0]],
    );
  });

  test('finds TypeScript functions in all their forms', () => {
    assert.deepEqual(
      names(
        'export async function f(a: string, { b, c }: B = {}): Promise<X> {\n  return `${a}}`;\n}\n',
      ).length,
      1,
    );
    assert.deepEqual(
      names('class A {\n  #m(a: number, b: number) {\n  }\n}\nconst g = (x: number) => {\n};'),
      [
        ['#m', 2, 2],
        ['(anonymous)', 2, 1],
      ],
    );
  });

  test('counts parameters', () => {
    assert.equal(countParameters(''), 0);
    assert.equal(countParameters('int a, std::map<int, int> b, void (*f)(int, int)'), 3);
    assert.equal(countParameters('a: (x: number, y: number) => void, b = [1, 2],'), 2);
  });
});
