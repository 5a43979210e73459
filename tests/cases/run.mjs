#!/usr/bin/env node
// Plays cases with reference values through the public API in node.
//   node tests/cases/run.mjs DIR [--kind KIND]…
// README.md beside this file says what DIR may be. Exit code 1 if a case failed or none was found.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Canary } from './runner/canary.mjs';
import { collectSuites } from './runner/collect.mjs';
import { disk } from './runner/disk.mjs';
import { clear, playSuite } from './runner/play.mjs';
import { Report } from './runner/report.mjs';
import { Sessions } from './runner/sessions.mjs';
import { Sources } from './runner/sources.mjs';

const kHalf = fileURLToPath(new URL('hand', import.meta.url));
const kUsage = 'usage: node tests/cases/run.mjs DIR… [--kind KIND]…';

async function main() {
  const { values, positionals } = parseArgs({
    options: { kind: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new Error(kUsage);
  const report = new Report((line) => console.log(line));
  const sources = new Sources(disk);
  const stage = { report, sources, sessions: new Sessions(), canary: new Canary(sources, kHalf) };
  for (const path of positionals) {
    for (const suite of await collectSuites(resolve(path), new Set(values.kind)))
      await playSuite(suite, stage);
  }
  await clear(stage);
  return report.close();
}

try {
  process.exitCode = await main();
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}
