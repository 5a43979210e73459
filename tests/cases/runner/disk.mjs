// Where node finds what cases name: files, folders, and real models in the cache.

import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const kFetchScript = fileURLToPath(new URL('../../../models/fetch.mjs', import.meta.url));

/**
 * What a host reads for the cases; a page has one of its own.
 * @typedef {object} Disk
 * @property {(path: string) => Promise<Uint8Array>} readFile
 * @property {(path: string) => Promise<Record<string, Uint8Array>>} readFolder all files below, by
 * their paths inside it, with `/` between the names
 * @property {(name: string) => Promise<string>} fetchFolder a real model's name to its folder
 */

/** @type {Disk} */
export const disk = {
  readFile: async (path) => new Uint8Array(await readFile(path)),
  readFolder,
  fetchFolder,
};

/** Paths of all files below a folder, as in {@link Disk}. */
export async function listFolder(root) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .map((path) => relative(root, path).split(sep).join('/'));
}

async function readFolder(root) {
  const files = {};
  for (const path of await listFolder(root)) files[path] = await disk.readFile(join(root, path));
  return files;
}

/** Has the model script put a real model into the cache; its last line is the folder. */
async function fetchFolder(name) {
  const child = spawn(process.execPath, [kFetchScript, name, '--folder'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const path = output.trim().split('\n').at(-1);
  if (code !== 0 || !path) throw new Error(`models/fetch.mjs ${name} --folder ended with ${code}`);
  return path;
}
