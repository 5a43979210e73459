#!/usr/bin/env node
// The committed hash of the bits test.
//   node tests/web/bits/golden.mjs --write     makes it anew from this checkout's build in node
//
// It guards the product's word that a text's result never changes by the way. When the numerics or
// the packaged model change on purpose, make it anew and say in the commit why the bits moved.

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../../web/build/setup.mjs';

const kFile = new URL('golden.json', import.meta.url);
const kInNode = fileURLToPath(new URL('in_node.mjs', import.meta.url));

/** @returns {Promise<{ sha256: string, parts: Record<string, string> }>} */
export async function readGolden() {
  return JSON.parse(await readFile(kFile, 'utf8'));
}

/** What `measureAll` gives in a node that runs every variant. */
export async function measureInNode() {
  const child = spawn(process.execPath, [...nodeFlags(), kInNode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (code !== 0) throw new Error(`in_node.mjs ended with ${code}`);
  return JSON.parse(output);
}

async function main() {
  if (!process.argv.includes('--write'))
    throw new Error('usage: node tests/web/bits/golden.mjs --write');
  const results = await measureInNode();
  const [{ result }] = results;
  const other = results.find(
    (one) => one.result?.sha256 !== result.sha256 || one.result.differences.length > 0,
  );
  if (other !== undefined)
    throw new Error(`no golden hash: settings disagree: ${JSON.stringify(results, null, 1)}`);
  const { sha256, parts } = result;
  await writeFile(kFile, `${JSON.stringify({ sha256, parts }, null, 2)}\n`);
  console.log(sha256);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
