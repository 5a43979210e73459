// Reporter for node's test runner: prints what failed, and writes the counts to the file that
// $POCKETBERT_COUNTS names, as {"passed": N, "failed": N, "skipped": N}.

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { inspect } from 'node:util';

function explain(error) {
  const cause = error?.cause ?? error;
  return (cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause))
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

export default async function* report(events) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const output = new Map(); // file → what it printed, shown if it failed
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      const key = data.file ?? '';
      output.set(key, `${output.get(key) ?? ''}${data.message}`.slice(-20_000));
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isSuite = data.details?.type === 'suite';
    const error = data.details?.error;
    if (type === 'test:pass') {
      if (data.skip !== undefined || data.todo !== undefined) counts.skipped++;
      else if (!isSuite) counts.passed++;
      continue;
    }
    // What is known to be missing is shown with every run, and does not count as a failure.
    if (data.todo !== undefined) {
      counts.skipped++;
      yield `\n  TO DO ${data.name}: ${data.todo}; ${error?.cause?.message ?? ''}\n`;
      continue;
    }
    // A suite or test that fails only because of what is inside it has been counted there.
    if (error?.failureType === 'subtestsFailed') continue;
    counts.failed++;
    const file = data.file ? relative(process.cwd(), data.file) : '';
    yield `\n  FAILED ${file}: ${data.name}\n${explain(error)}\n`;
    if (output.has(data.file)) yield `    printed:\n${output.get(data.file)}\n`;
    output.delete(data.file);
  }
  if (process.env.POCKETBERT_COUNTS)
    writeFileSync(process.env.POCKETBERT_COUNTS, JSON.stringify(counts));
}
