// The Hugging Face folder of a known model: fetched from the first source that gives the right files.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BuildError, say } from '../web/build/process.mjs';
import { fetchFrom, nameOf } from './sources.mjs';

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** What is wrong with fetched files, one sentence each. */
function faults(expected, files) {
  return Object.entries(expected).flatMap(([path, hash]) => {
    const bytes = files.get(path);
    if (bytes === undefined) return [`${path} is missing`];
    const found = sha256(bytes);
    return found === hash ? [] : [`${path} has SHA-256 ${found}, expected ${hash}`];
  });
}

/** Writes all files beside the folder and moves them there together. */
function keep(files, folder) {
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(partial, path)), { recursive: true });
    writeFileSync(join(partial, path), bytes);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
}

/** Hashes, sizes and times of the files, as a text: another text means that somebody touched them. */
function stateOf(folder, expected) {
  return JSON.stringify(Object.entries(expected).map(([path, hash]) => {
    const file = statSync(join(folder, path), { throwIfNoEntry: false });
    return [path, hash, file?.size, file?.mtimeMs];
  }));
}

/**
 * Brings the files of a known model into `folder`, unless they are there. They are hashed once, when they are fetched.
 * @param {string} folder
 * @param {{ files: Record<string, string>, sources: readonly object[] }} known see known_models.mjs
 */
export async function ensureFolder(folder, { files: expected, sources }) {
  const stamp = `${folder}.json`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOf(folder, expected)) return;
  const problems = [];
  for (const source of sources) {
    try {
      const files = await fetchFrom(source, Object.keys(expected));
      const found = faults(expected, files);
      if (found.length > 0) throw new Error(found.join('; '));
      keep(files, folder);
      writeFileSync(stamp, stateOf(folder, expected));
      return;
    } catch (error) {
      problems.push(` - ${nameOf(source)}: ${error.message}`);
      say(`${nameOf(source)} was of no use: ${error.message.split('\n')[0]}`);
    }
  }
  throw new BuildError(`${folder} could not be obtained:\n${problems.join('\n')}`);
}

/**
 * Makes the folder of a model that is fetched without its texts.
 * @param {string} folder
 * @param {object} of `parts`: folder of the fetched files, `paths`: these; `texts`: folder of the model whose texts
 *   `base.files` are taken, with the keys `base.config` changed
 */
export function layTogether(folder, { parts, paths, texts, base }) {
  const files = new Map(base.files.map((path) => [path, readFileSync(join(texts, path))]));
  const config = { ...JSON.parse(files.get('config.json')), ...base.config };
  files.set('config.json', JSON.stringify(config, null, 2));
  for (const path of paths) files.set(path, readFileSync(join(parts, path)));
  keep(files, folder);
}
