// `npm run bench:native`: the kernels alone, compiled for this machine with 128-bit vectors.
//
//   npm run bench:native -- [any argument of Google Benchmark, such as --benchmark_filter=GemmI8]

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configure, ninja } from '../../web/build/build.mjs';
import { kSourceFolder } from '../../web/build/cache.mjs';
import { onPath, run, runMain, runQuietly } from '../../web/build/process.mjs';
import { ensureNativeTools } from '../../web/build/setup.mjs';
import { ensureToolchain } from '../../web/build/toolchain.mjs';

/** Google Benchmark from the machine's packages; elsewhere CMake says that it is missing. */
async function ensureLibrary() {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return;
  if (existsSync('/usr/include/benchmark/benchmark.h')) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly('refreshing the package lists', 'apt-get', ['update'], { env });
  const args = ['install', '-y', '--no-install-recommends', 'libbenchmark-dev'];
  await runQuietly('installing Google Benchmark', 'apt-get', args, { env });
}

async function main() {
  await ensureNativeTools();
  await ensureLibrary();
  const { deps } = await ensureToolchain();
  const options = [
    '-DPOCKETBERT_SANITIZE=OFF',
    '-DPOCKETBERT_BENCH=ON',
    `-DPOCKETBERT_DEPS=${deps}`,
  ];
  await configure('bench-native', undefined, options);
  await ninja('bench-native', undefined, ['bench_kernels']);
  await run(join(kSourceFolder, 'build', 'bench-native', 'bench_kernels'), process.argv.slice(2));
}

runMain(main);
