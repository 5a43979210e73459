// The files of the project, for the checks: what git tracks or would track.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const kTop = fileURLToPath(new URL('../../', import.meta.url));

/** Paths relative to the top, of all files that are tracked or new and not ignored. */
export function projectFiles() {
  const output = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: kTop, encoding: 'utf8' },
  );
  return output
    .split('\0')
    .filter((path) => path !== '' && existsSync(kTop + path))
    .sort();
}

/** @param {string} path relative to the top */
export function readText(path) {
  return readFileSync(kTop + path, 'utf8');
}

/** What a Markdown document links to within the tree: paths from the root. */
export function localLinks(path) {
  const links = readText(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g);
  return [...links].map((match) => posix.join(posix.dirname(path), match[1]).replace(/\/$/, ''));
}
