// The tree works with any package registry: it names none of those that this machine is set up to
// use, and no folder of this machine.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { test } from 'node:test';
import { projectFiles, kTop } from './tree.mjs';

function outputOf(command, args) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: kTop,
    });
  } catch {
    return ''; // the program is not on this machine
  }
}

/** Hosts of the registries that this machine's package managers use. */
function registryHosts() {
  const settings = [
    outputOf('npm', ['config', 'get', 'registry']),
    outputOf('apt-get', ['indextargets', '--format', '$(REPO_URI)']),
    outputOf('pip', ['config', 'list']),
  ].join('\n');
  return [
    ...new Set(
      [...settings.matchAll(/https?:\/\/(?:[^@/\s]*@)?([^/:\s'"]+)/g)].map((match) => match[1]),
    ),
  ];
}

const texts = projectFiles()
  .filter((path) => !/\.(safetensors|gz|png|wasm|bin)$/.test(path))
  .map((path) => [path, readFileSync(kTop + path, 'utf8')]);

function holders(words) {
  return texts.flatMap(([path, text]) =>
    words.filter((word) => text.includes(word)).map((word) => `${path}: ${word}`),
  );
}

test('no file names a registry of this machine', () => {
  const hosts = registryHosts();
  assert.ok(hosts.length > 0, 'no registry is set up: npm should at least have its own');
  assert.deepEqual(holders(hosts), []);
});

test('the lock files hold no addresses', () => {
  for (const path of ['package-lock.json', 'bench/package-lock.json'])
    assert.doesNotMatch(readFileSync(kTop + path, 'utf8'), /"resolved"/, path);
});

test('no file names a folder of this machine', () => {
  const folders = [kTop, homedir()]
    .filter((folder) => folder.length > 5)
    .map((folder) => folder.replace(/\/$/, ''));
  assert.deepEqual(holders(folders), []);
});
