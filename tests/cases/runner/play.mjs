// Plays suites in whatever host has the package: node or a page.

import { describe } from './errors.mjs';
import { Skip, difference } from './outcome.mjs';
import { playerOf } from './players.mjs';

/**
 * What all suites of a run share.
 * @typedef {{ report: import('./report.mjs').Report, sources: import('./sources.mjs').Sources,
 *             sessions: import('./sessions.mjs').Sessions,
 *             canary: import('./canary.mjs').Canary }} Stage
 */

/**
 * @param {import('./collect.mjs').Suite} suite
 * @param {Stage} stage
 */
export async function playSuite(suite, { report, ...rest }) {
  const play = playerOf(suite.kind);
  for (const testCase of suite.cases) await playCase(testCase, play, { suite, ...rest }, report);
}

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

/** Ends what the suites opened. @param {Stage} stage */
export async function clear({ sessions, canary }) {
  await sessions.closeAll();
  await canary.close();
}
