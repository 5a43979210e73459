/** One rising fraction over all that loading does. */

import type { Progress } from '../types.js';

/** Shares of the whole; the download takes what is left. */
const engineShare = 0.04;
const prepareShare = 0.04;

export class ProgressMeter {
  readonly #report: ((progress: Progress) => void) | undefined;
  readonly #files = new Map<string, { loaded: number; total: number }>();
  #engine = 0;
  #complete = false;
  #fraction = 0;

  constructor(report: ((progress: Progress) => void) | undefined) {
    this.#report = report;
  }

  engineReady(): void {
    this.#engine = 1;
    this.#tell('engine', '');
  }

  /** A file will be read; `total` bytes as far as known. */
  add(file: string, total: number): void {
    const known = this.#files.get(file);
    if (known === undefined) this.#files.set(file, { loaded: 0, total });
    else known.total = Math.max(known.total, total);
  }

  /** No more files will be added: only now is the share that arrived known. */
  allKnown(): void {
    this.#complete = true;
  }

  /** `loaded` bytes of `file` are there. */
  read(file: string, loaded: number): void {
    this.add(file, loaded);
    const known = this.#files.get(file);
    if (known !== undefined) known.loaded = Math.max(known.loaded, loaded);
    this.#tell('download', file);
  }

  prepare(): void {
    this.#complete = true;
    for (const file of this.#files.values()) file.total = file.loaded;
    this.#tell('prepare', '');
  }

  ready(): void {
    this.#fraction = 1;
    this.#tell('ready', '');
  }

  #tell(phase: Progress['phase'], file: string): void {
    if (this.#report === undefined) return;
    let loaded = 0;
    let total = 0;
    for (const known of this.#files.values()) {
      loaded += known.loaded;
      total += known.total;
    }
    const download = this.#complete && total > 0 ? loaded / total : 0;
    const fraction = this.#engine * engineShare + download * (1 - engineShare - prepareShare);
    this.#fraction = Math.max(this.#fraction, Math.min(1, fraction));
    this.#report({ phase, fraction: this.#fraction, loaded, total, file });
  }
}
