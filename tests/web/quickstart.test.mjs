// The README's quick start does what it says: every ```js block below its heading runs as it stands, in this
// checkout, and prints what the ```text block after it shows.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const kReadme = new URL('../../README.md', import.meta.url);
/** Inside the package, so that `import … from 'pocketbert'` finds it; ignored by git. */
const kFolder = new URL('../../build/quickstart/', import.meta.url);

/** The part of a Markdown text below a heading, up to the next heading of the same or a higher level. */
export function sectionOf(markdown, title) {
  const lines = markdown.split('\n');
  const from = lines.findIndex((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, '').trim() === title);
  if (from < 0) return undefined;
  const level = lines[from].indexOf(' ');
  const length = lines.slice(from + 1).findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return lines.slice(from + 1, length < 0 ? undefined : from + 1 + length).join('\n');
}

/** The js blocks, each with the text block that follows it, if one does before the next js block. */
export function examplesOf(section) {
  const examples = [];
  for (const [, language, content] of section.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    if (language === 'js') examples.push({ source: content, output: undefined });
    else if (language === 'text' && examples.length > 0) examples.at(-1).output ??= content;
  }
  return examples;
}

test('the quick start of the README runs and prints what it shows', async () => {
  const section = sectionOf(await readFile(kReadme, 'utf8'), 'Quick start');
  assert.ok(section, 'README.md has no section "Quick start"');
  const examples = examplesOf(section);
  assert.ok(examples.some(({ output }) => output !== undefined), 'no js block is followed by a text block with its output');
  await rm(kFolder, { recursive: true, force: true });
  await mkdir(kFolder, { recursive: true });
  for (const [index, { source, output }] of examples.entries()) {
    const file = fileURLToPath(new URL(`example_${index + 1}.mjs`, kFolder));
    await writeFile(file, source);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    if (output !== undefined) assert.equal(stdout.trim(), output.trim(), `js block ${index + 1} of the quick start`);
  }
});

test('blocks are found where they are, and only there', () => {
  const markdown = '# A\n```js\n1\n```\n## Quick start\ntext\n```sh\nnpm start\n```\n```js\n2\n```\n```text\ntwo\n```\n### More\n```js\n3\n```\n## B\n```js\n4\n```\n';
  const examples = examplesOf(sectionOf(markdown, 'Quick start'));
  assert.deepEqual(examples, [{ source: '2\n', output: 'two\n' }, { source: '3\n', output: undefined }]);
  assert.equal(sectionOf(markdown, 'Slow start'), undefined);
});
