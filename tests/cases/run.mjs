#!/usr/bin/env node
// Plays cases with reference values through the public API in node.
//   node tests/cases/run.mjs DIR [--kind KIND]…
// README.md beside this file says what DIR may be. Exit code 1 if a case failed or none was found.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Canary } from './runner/canary.mjs';
import { collectSuites } from './runner/collect.mjs';
import { describe } from './runner/errors.mjs';
import { Skip, difference } from './runner/outcome.mjs';
import { playerOf } from './runner/players.mjs';
import { Report } from './runner/report.mjs';
import { Sessions } from './runner/sessions.mjs';
import { Sources } from './runner/sources.mjs';

const kUsage = 'usage: node tests/cases/run.mjs DIR… [--kind KIND]…';

async function playCase(testCase, play, context, report) {
  const name = `${context.suite.kind} ${testCase.id}`;
  try {
    const differences = await play(testCase, context);
    if (differences.length === 0) report.passed();
    else report.failed(name, testCase.why, differences);
  } catch (thrown) {
    if (thrown instanceof Skip) report.skipped(context.suite.kind, testCase.id, thrown.message);
    else
      report.failed(name, testCase.why, [
        difference('the runner could not play it', describe(thrown), 'a result'),
      ]);
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { kind: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new Error(kUsage);
  const report = new Report((line) => console.log(line));
  const sources = new Sources();
  const sessions = new Sessions();
  const canary = new Canary(sources);
  for (const path of positionals) {
    for (const suite of await collectSuites(resolve(path), new Set(values.kind))) {
      const play = playerOf(suite.kind);
      const context = { suite, sources, sessions, canary };
      for (const testCase of suite.cases) await playCase(testCase, play, context, report);
    }
  }
  await sessions.closeAll();
  await canary.close();
  return report.close();
}

try {
  process.exitCode = await main();
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}
