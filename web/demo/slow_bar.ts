/** A bar for work that takes longer than one waits without asking. */

import { make } from './element.js';

const patience = 500; // ms

export type Report = (progress: { readonly done: number; readonly total: number }) => void;

export class SlowBar {
  readonly #bar = make('progress');
  /** The work that was begun last: only it is shown. */
  #latest: object | null = null;

  /** @param line where the bar stands; its place is kept free, so that nothing moves */
  constructor(line: HTMLElement) {
    this.#bar.hidden = true;
    this.#bar.setAttribute('aria-label', 'Reading');
    line.append(this.#bar);
  }

  /** Shows how far `work` is, if it takes long; it tells by calling what it is given. */
  async watch<Result>(work: (report: Report) => Promise<Result>): Promise<Result> {
    const own = (this.#latest = {});
    this.#bar.removeAttribute('value');
    const timer = setTimeout(() => {
      if (this.#latest === own) this.#bar.hidden = false;
    }, patience);
    try {
      return await work(({ done, total }) => {
        if (this.#latest === own && done < total) this.#bar.value = done / total;
      });
    } finally {
      clearTimeout(timer);
      if (this.#latest === own) this.#bar.hidden = true;
    }
  }
}
