/** Progress and messages on stderr, so that stdout stays free for results. */

import type { PocketBertError } from '../errors.js';
import type { ImportProgress } from './import_folder.js';
import { megabytes } from './report.js';

/** What can be done about an error, in the words of this program. */
export function hintOf({ hint }: PocketBertError): string {
  return hint.replace(/^\{ weights: '(.*)' \}/, '--weights $1');
}

/** Where the terminal cannot rewrite a line, a line is printed for every so much of the whole. */
const coarseStep = 0.25;

export class Terminal {
  readonly #quiet: boolean;
  #told = 0;
  #open = false;

  constructor(quiet: boolean) {
    this.#quiet = quiet;
  }

  /** A line of its own. */
  say(sentence: string): void {
    if (this.#quiet) return;
    this.#endLine();
    process.stderr.write(`${sentence}\n`);
  }

  /** How far reading is. */
  progress({ loaded, total }: ImportProgress): void {
    if (this.#quiet || total === 0) return;
    const share = Math.min(1, loaded / total);
    const step = process.stderr.isTTY ? 0.01 : coarseStep;
    if (share < this.#told + step && !(share === 1 && this.#told < 1)) return;
    this.#told = share;
    const line = `reading ${megabytes(loaded)} of ${megabytes(total)} (${Math.floor(100 * share)} %)`;
    if (!process.stderr.isTTY) return void process.stderr.write(`${line}\n`);
    process.stderr.write(`\r\x1b[2K${line}`);
    this.#open = true;
    if (share === 1) this.#endLine();
  }

  #endLine(): void {
    if (this.#open) process.stderr.write('\n');
    this.#open = false;
  }
}
