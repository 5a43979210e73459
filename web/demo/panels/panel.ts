/** What all panels do alike: they work only while they are looked at, and tell what failed. */

import type { Running } from '../engine.js';
import { describe, isOutdated } from '../format.js';

export abstract class Panel {
  protected running: Running | null = null;
  readonly #status: HTMLElement;
  #shown = false;
  #stale = false;

  /** @param status where results and errors are told */
  protected constructor(status: HTMLElement) {
    this.#status = status;
    this.tell('Waiting for the model…');
  }

  /** A new model runs. */
  use(running: Running): void {
    this.running = running;
    this.#stale = true;
    this.modelChanged(running);
    this.#catchUp();
  }

  /** The panel comes into sight or goes out of it. */
  show(shown: boolean): void {
    this.#shown = shown;
    this.#catchUp();
  }

  /** Called with every new model, also while the panel is out of sight. */
  protected modelChanged(_running: Running): void {}

  /** Brings what is shown up to date. */
  protected abstract update(running: Running): Promise<void>;

  /** Runs `work`, by default `update`, with the model that runs. */
  protected async run(work = (running: Running) => this.update(running)): Promise<void> {
    const { running } = this;
    if (running === null) return;
    try {
      await work(running);
    } catch (error) {
      if (running === this.running && !isOutdated(error)) this.tell(describe(error));
    }
  }

  protected tell(message: string): void {
    if (this.#status.textContent !== message) this.#status.textContent = message;
  }

  #catchUp(): void {
    if (!this.#shown || !this.#stale || this.running === null) return;
    this.#stale = false;
    void this.run();
  }
}
