// In the page: plays the cases of plan.json, by the runner that node has. Result: what it printed.

import { Canary } from '../../cases/runner/canary.mjs';
import { clear, playSuite } from '../../cases/runner/play.mjs';
import { Report } from '../../cases/runner/report.mjs';
import { Sessions } from '../../cases/runner/sessions.mjs';
import { Sources } from '../../cases/runner/sources.mjs';
import { report as tell } from '/harness/page.js';

async function readFile(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The site as a {@link import('../../cases/runner/disk.mjs').Disk}. */
function siteWith(listings) {
  const readFolder = async (folder) => {
    const paths = listings[folder] ?? [];
    const files = paths.map(async (path) => [path, await readFile(`${folder}/${path}`)]);
    return Object.fromEntries(await Promise.all(files));
  };
  const fetchFolder = async (name) => {
    throw new Error(`${name} is not on this site`);
  };
  return { readFile, readFolder, fetchFolder };
}

await tell(async () => {
  const lines = [];
  const report = new Report((line) => {
    lines.push(line);
    console.log(line);
  });
  const { suites, listings } = await (await fetch('/plan.json')).json();
  const sources = new Sources(siteWith(listings));
  const canary = new Canary(sources, '/cases/hand');
  const stage = { report, sources, sessions: new Sessions(), canary };
  for (const suite of suites) {
    for (const testCase of suite.cases) {
      // If the page gets stuck, its last line tells where.
      console.log(`${suite.folder} ${suite.kind} ${testCase.id}`);
      await playSuite({ ...suite, cases: [testCase] }, stage);
    }
  }
  await clear(stage);
  report.close();
  return lines;
});
