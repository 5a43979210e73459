// Doing nothing twice: an action is skipped while its inputs are the same and its outputs are
// there.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { kSourceFolder } from './cache.mjs';

const kStamps = join(kSourceFolder, 'build', 'stamps');

/** All files below the given files and folders, absent ones left out. */
export function filesOf(paths) {
  return paths.flatMap((path) => {
    if (!existsSync(path)) return [];
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  });
}

function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const path of filesOf(inputs).sort()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}\0${mtimeMs}\0${size}\0`);
  }
  return hash.digest('hex');
}

/**
 * Runs `action` unless the files of `inputs` (files and folders) are those of its last success and
 * all `outputs` exist. Returns whether it ran.
 */
export async function whenChanged(name, inputs, outputs, action) {
  const stamp = join(kStamps, name);
  const now = fingerprint(inputs);
  const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (now === before && outputs.every((path) => existsSync(path))) return false;
  rmSync(stamp, { force: true });
  await action();
  mkdirSync(kStamps, { recursive: true });
  writeFileSync(stamp, now);
  return true;
}
