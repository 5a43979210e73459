// From a folder to the suites in it: case files of one KIND, and files of fuzz lines.

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const kSchema = 1;
const kNotSuites = new Set(['fixtures', 'runner', 'tools', 'node_modules']);
const kFuzzEnding = '.jsonl.gz';
const kTokenizerEnding = '.tokenizer.json.gz';

/**
 * Cases that belong together. `folder` is the half: paths in the cases are relative to it.
 * @typedef {{ name: string, kind: string, folder: string, cases: object[],
 *             tokenizers?: Record<string, object>, tokenizerText?: string }} Suite
 */

/**
 * All suites at or below `path`, in the order of their names.
 * @param {string} path a case file, a fuzz file, a half, or a parent of these
 * @param {ReadonlySet<string>} kinds only these; empty: all
 * @returns {Promise<Suite[]>}
 */
export async function collectSuites(path, kinds) {
  const files = (await stat(path)).isDirectory() ? await filesBelow(path) : [path];
  const suites = [];
  for (const file of files) {
    const suite = file.endsWith(kFuzzEnding)
      ? await readFuzz(file, kinds)
      : await readCases(file, kinds);
    if (suite !== undefined) suites.push(suite);
  }
  return suites;
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!kNotSuites.has(entry.name)) files.push(...(await filesBelow(path)));
    } else if (entry.name.endsWith('.json') || entry.name.endsWith(kFuzzEnding)) {
      files.push(path);
    }
  }
  return files;
}

function wanted(kinds, ...names) {
  return kinds.size === 0 || names.some((name) => kinds.has(name));
}

/** A case file, or nothing if the file is other JSON or of another kind. */
async function readCases(path, kinds) {
  const content = JSON.parse(await readFile(path, 'utf8'));
  if (typeof content?.kind !== 'string' || !Array.isArray(content.cases)) return undefined;
  if (content.schema !== kSchema) {
    throw new Error(`${path}: schema is ${content.schema}, this runner plays schema ${kSchema}`);
  }
  if (!wanted(kinds, content.kind)) return undefined;
  const { kind, cases, tokenizers } = content;
  return { name: kind, kind, folder: dirname(path), cases, tokenizers };
}

/**
 * Fuzz lines. `NAME-SPLIT.jsonl.gz` takes `NAME.tokenizer.json.gz` beside it; in a folder without
 * any tokenizer the lines are of all-MiniLM-L6-v2 (`tokenizerText` stays undefined); if only other
 * tokenizers are there, it is empty: the one that is needed is missing.
 */
async function readFuzz(path, kinds) {
  const folder = dirname(path);
  const name = `${basename(folder)}/${basename(path, kFuzzEnding)}`;
  if (!wanted(kinds, 'fuzz', basename(folder))) return undefined;
  const lines = gunzipSync(await readFile(path))
    .toString('utf8')
    .split('\n');
  const cases = lines.flatMap((line, index) =>
    line === '' ? [] : [{ id: `${name}:${index + 1}`, ...JSON.parse(line) }],
  );
  const suite = { name, kind: 'fuzz', folder, cases };
  const tokenizers = (await readdir(folder)).filter((file) => file.endsWith(kTokenizerEnding));
  if (tokenizers.length === 0) return suite;
  const own = `${basename(path, kFuzzEnding).replace(/-[^-]*$/, '')}${kTokenizerEnding}`;
  const tokenizerText = tokenizers.includes(own)
    ? gunzipSync(await readFile(join(folder, own))).toString('utf8')
    : '';
  return { ...suite, tokenizerText };
}
