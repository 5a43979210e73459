// What the numbers were measured on.

import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { outputOf } from '../web/build/process.mjs';
import { kSourceFolder } from '../web/build/cache.mjs';
import { versionOf } from './peers.mjs';

function cpuFlags() {
  try {
    return new Set(
      /^flags\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1].split(' '),
    );
  } catch {
    return undefined; // not Linux
  }
}

/** CPU, what of it matters here, and versions of everything. */
export function describeMachine(browserVersion) {
  const flags = cpuFlags();
  const has = (name) => (flags === undefined ? 'unknown' : flags.has(name) ? 'yes' : 'no');
  const [first] = cpus();
  return {
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    avx2: has('avx2'),
    avxVnni: has('avx_vnni'),
    avx512Vnni: has('avx512_vnni'),
    browser: browserVersion,
    node: process.version,
    pocketbert: JSON.parse(readFileSync(`${kSourceFolder}/package.json`, 'utf8')).version,
    commit:
      outputOf('git', ['describe', '--always', '--dirty'], { cwd: kSourceFolder })?.trim() ?? '',
    transformers: versionOf('@huggingface/transformers'),
    onnxruntime: versionOf('onnxruntime-web'),
    tokenizers: versionOf('@huggingface/tokenizers'),
    ruvector: versionOf('ruvector-onnx-embeddings-wasm'),
  };
}
