// Prints as it goes and counts; its last line is the contract of the runner.

import { brief } from './outcome.mjs';

/** Differences of one case that are printed in full. */
const kShown = 5;

export class Report {
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #print;
  /** Reason of the last skipped case, and how many more had it since it was printed. */
  #reason = '';
  #alike = 0;

  /** @param {(line: string) => void} print one line, without its end */
  constructor(print) {
    this.#print = print;
  }

  passed() {
    this.#counts.passed++;
  }

  /**
   * Every case is named; fuzz lines that are skipped in a row for one reason are counted instead.
   */
  skipped(kind, id, reason) {
    this.#counts.skipped++;
    const same = `${kind} ${reason}`;
    if (kind === 'fuzz' && same === this.#reason) {
      this.#alike++;
      return;
    }
    this.#endAlike();
    this.#reason = same;
    this.#print(`skipped: ${kind} ${id}: ${reason}`);
  }

  #endAlike() {
    if (this.#alike > 0) this.#print(`skipped: ${this.#alike} more for the same reason`);
    this.#alike = 0;
    this.#reason = '';
  }

  /**
   * @param {string} name
   * @param {string} why why the case exists
   * @param {import('./outcome.mjs').Difference[]} differences
   */
  failed(name, why, differences) {
    this.#counts.failed++;
    this.#endAlike();
    this.#print(`FAILED ${name}${why ? `: ${why}` : ''}`);
    for (const { what, found, expected } of differences.slice(0, kShown)) {
      this.#print(`  ${what}`);
      this.#print(`    found    ${brief(found)}`);
      this.#print(`    expected ${brief(expected)}`);
    }
    if (differences.length > kShown)
      this.#print(`  and ${differences.length - kShown} more differences`);
  }

  /** Prints the closing line and gives the exit code: nothing played is no success. */
  close() {
    this.#endAlike();
    const { passed, failed, skipped } = this.#counts;
    const played = passed + failed + skipped;
    if (played === 0) this.#print('no cases were found');
    this.#print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    return failed > 0 || played === 0 ? 1 : 0;
  }
}
