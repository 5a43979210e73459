// What must be there before anything is built: a node that is new enough, npm packages, compilers.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kSourceFolder } from './cache.mjs';
import { BuildError, runQuietly } from './process.mjs';
import { installSystemPackages } from './toolchain.mjs';

const kMinimumNode = [20, 16];

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > kMinimumNode[0] || (major === kMinimumNode[0] && minor >= kMinimumNode[1])) return;
  throw new BuildError(
    `node is ${process.versions.node}, expected ${kMinimumNode.join('.')} or newer`,
  );
}

/** V8 flags with which this node runs every wasm variant: relaxed SIMD is on by itself from node 22. */
export function nodeFlags() {
  return Number(process.versions.node.split('.')[0]) < 22
    ? ['--experimental-wasm-relaxed-simd']
    : [];
}

/** `npm ci`, unless node_modules is what package-lock.json says. */
export async function ensureNpmPackages() {
  requireNode();
  const stamp = join(kSourceFolder, 'node_modules', '.pocketbert-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(kSourceFolder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  await runQuietly('installing npm packages', 'npm', ['ci'], { cwd: kSourceFolder });
  writeFileSync(stamp, lock);
}

/** Compiler and build tools for the native tests. */
export async function ensureNativeTools() {
  await installSystemPackages(['cmake', 'ninja', 'g++'], ['cmake', 'ninja-build', 'g++']);
}
