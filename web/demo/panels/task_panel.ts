/** What panels do alike whose task only some models have. */

import type { Embedder, ModelInfo, ModelUser } from 'pocketbert';

import { byId } from '../element.js';
import type { Running } from '../engine.js';
import { SlowBar, type Report } from '../slow_bar.js';
import { Panel } from './panel.js';

/** What the model that runs does not do, and which one to load. */
export interface Lack {
  /** What it cannot do, after its name: "cannot name the people and places in a text". */
  readonly cannot: string;
  /** What to load: "a token-classification model, such as bert-base-NER". */
  readonly load: string;
}

export abstract class TaskPanel<User extends ModelUser> extends Panel {
  #opened: { readonly running: Running; readonly user: Promise<User> } | null = null;
  readonly #bar: SlowBar;
  readonly #lacking: HTMLElement;
  readonly #able: HTMLElement;

  /**
   * @param name begins the ids of its elements
   * @param root its empty section of the page
   * @param markup constant; holds an element with id NAME-status-line
   */
  protected constructor(name: string, root: HTMLElement, markup: string) {
    super(furnish(name, root, markup));
    this.#bar = new SlowBar(byId(`${name}-status-line`, HTMLElement));
    this.#lacking = byId(`${name}-lack`, HTMLElement);
    this.#able = byId(`${name}-able`, HTMLElement);
  }

  /** Null if a model can do it. */
  protected abstract lackOf(model: ModelInfo): Lack | null;
  protected abstract open(model: Embedder): Promise<User>;
  /** Does the task with what stands in the fields; long work tells `report` how far it is. */
  protected abstract work(user: User, running: Running, report: Report): Promise<void>;

  protected override modelChanged({ name, embedder }: Running): void {
    const lack = this.lackOf(embedder.info.model);
    this.#lacking.hidden = lack === null;
    this.#able.hidden = lack !== null;
    this.#lacking.textContent =
      lack === null
        ? ''
        : `${name} ${lack.cannot}: for that, load ${lack.load}, by its address, files or folder above.`;
  }

  protected override async update(running: Running): Promise<void> {
    if (this.lackOf(running.embedder.info.model) !== null) return;
    await this.#bar.watch(async (report) => {
      const user = await this.#userOf(running);
      await this.work(user, running, report);
    });
  }

  #userOf(running: Running): Promise<User> {
    if (this.#opened?.running === running) return this.#opened.user;
    const user = this.open(running.embedder);
    running.users.push(user);
    this.#opened = { running, user };
    // Its script may be out of reach for a while: the next call asks again.
    user.catch(() => (this.#opened = null));
    return user;
  }
}

function furnish(name: string, root: HTMLElement, markup: string): HTMLElement {
  root.innerHTML =
    `<p id="${name}-lack" class="lack" role="status" hidden></p>` +
    `<div id="${name}-able">${markup}</div>`;
  return byId(`${name}-status`, HTMLElement);
}

/** Markup of the line that tells results, with room for a bar. */
export function statusLine(name: string): string {
  return (
    `<div id="${name}-status-line" class="status-line">` +
    `<p id="${name}-status" class="status" role="status"></p></div>`
  );
}
