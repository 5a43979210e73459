// The cache folder outside the checkout, which holds what takes long to get: the toolchain, the C++
// libraries, converted models. A second clone on the same machine finds it filled.

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from './process.mjs';

/** The checkout's top folder. */
export const kSourceFolder = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** `$POCKETBERT_CACHE`, else `~/.cache/pocketbert`. */
export function cacheFolder() {
  return resolve(process.env.POCKETBERT_CACHE || join(homedir(), '.cache', 'pocketbert'));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readOwner(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function tryTake(path) {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Runs `action` while holding the lock `<folder>/<name>.lock`, so that two processes do not make the
 * same thing at once. A lock whose owner no longer runs is taken over.
 */
export async function withLock(name, action, folder = cacheFolder()) {
  const path = join(folder, `${name}.lock`);
  mkdirSync(folder, { recursive: true });
  let told = false;
  while (!tryTake(path)) {
    const owner = readOwner(path);
    if (owner && !isAlive(owner)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) say(`waiting for process ${owner ?? '?'}, which is making the same (${path})`);
    told = true;
    await new Promise((wake) => setTimeout(wake, 500));
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await action();
  } finally {
    release();
    process.off('exit', release);
  }
}
