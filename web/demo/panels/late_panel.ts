/** A panel whose code is fetched when it is opened for the first time. */

import type { Running } from '../engine.js';
import { describe } from '../format.js';
import { make } from '../element.js';
import type { Panel } from './panel.js';

export class LatePanel {
  readonly #root: HTMLElement;
  readonly #load: () => Promise<(root: HTMLElement) => Panel>;
  readonly #notice = make('p', 'status', 'Opening…');
  #panel: Panel | null = null;
  #running: Running | null = null;
  #loading = false;
  #shown = false;

  /** @param load fetches what makes the panel in the empty `root` */
  constructor(root: HTMLElement, load: () => Promise<(root: HTMLElement) => Panel>) {
    this.#root = root;
    this.#load = load;
    this.#notice.setAttribute('role', 'status');
    root.append(this.#notice);
  }

  use(running: Running): void {
    this.#running = running;
    this.#panel?.use(running);
  }

  show(shown: boolean): void {
    this.#shown = shown;
    if (this.#panel !== null) this.#panel.show(shown);
    else if (shown && !this.#loading) void this.#open();
  }

  async #open(): Promise<void> {
    this.#loading = true;
    try {
      const make = await this.#load();
      this.#root.replaceChildren();
      this.#panel = make(this.#root);
      if (this.#running !== null) this.#panel.use(this.#running);
      this.#panel.show(this.#shown);
    } catch (error) {
      this.#notice.textContent =
        `This panel could not be fetched (${describe(error)}); choose its tab again to retry.`;
    } finally {
      this.#loading = false;
    }
  }
}
