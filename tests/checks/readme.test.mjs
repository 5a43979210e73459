// The first program that a reader of README.md meets runs as it stands there.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { kTop, localLinks, projectFiles, readText } from './tree.mjs';

/** The first js block below the heading "Quick start", and the text block with what it prints. */
function quickStart(text) {
  const section = /^#+ .*quick start.*$([\s\S]*?)(?=^# |^## |(?![\s\S]))/im.exec(text)?.[1] ?? '';
  const blocks = /^```js\n([\s\S]*?)^```\s*^```text\n([\s\S]*?)^```/m.exec(section);
  return { code: blocks?.[1], shown: blocks?.[2] };
}

test('the quick start of README.md runs and prints what it shows', () => {
  const { code, shown } = quickStart(readText('README.md'));
  assert.ok(code, 'README.md has no js block, followed by a text block, below "Quick start"');
  assert.match(code, /from 'pocketbert'/);
  mkdirSync(`${kTop}build/readme`, { recursive: true });
  writeFileSync(`${kTop}build/readme/quick_start.mjs`, code);
  const output = execFileSync(process.execPath, ['build/readme/quick_start.mjs'], {
    cwd: kTop,
    encoding: 'utf8',
    timeout: 120_000,
  });
  assert.equal(output.trim(), shown.trim());
});

test('local links of the documents lead to files', () => {
  const known = projectFiles();
  const documents = known.filter((path) => /^(README|CONTRIBUTING)\.md$/.test(path));
  assert.equal(documents.length, 2);
  const broken = documents.flatMap((path) =>
    localLinks(path)
      .filter((link) => !known.some((file) => file === link || file.startsWith(`${link}/`)))
      .map((link) => `${path}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test('every script of package.json is in CONTRIBUTING.md, and every one named there exists', () => {
  const { scripts } = JSON.parse(readText('package.json'));
  const text = readText('CONTRIBUTING.md');
  const named = [...text.matchAll(/`npm (?:run )?([\w:]+)/g)].map((match) => match[1]);
  const builtIn = ['install', 'ci', 'pack', 'publish', 'i'];
  assert.deepEqual(
    Object.keys(scripts).filter((name) => !named.includes(name)),
    [],
  );
  assert.deepEqual(
    named.filter((name) => !(name in scripts) && !builtIn.includes(name)),
    [],
  );
});
