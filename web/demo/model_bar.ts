/** The choice of a model, and its progress while it loads. */

import type { Progress, Source } from 'pocketbert';

import { acceptDrops, nameOf, useFiles } from './dropped_files.js';
import { byId, make } from './element.js';
import { destroyModel, loadModel, type Running } from './engine.js';
import { describe, formatBytes } from './format.js';
import { ModelFacts } from './model_facts.js';

/** What the page does when models come and go. */
export interface ModelEvents {
  started(running: Running): void;
  /** The model is about to be destroyed. */
  ending(running: Running): Promise<void>;
  /** A load failed or was cancelled. */
  failed(): void;
}

/** A model that the page's own server offers, as models/index.json lists them. */
interface OfferedModel {
  readonly name: string;
  /** Absent while the server still prepares it. */
  readonly url?: string;
}

function isOfferedModel(value: unknown): value is OfferedModel {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    (!('url' in value) || typeof value.url === 'string')
  );
}

const phases: Record<Progress['phase'], string> = {
  engine: 'Starting the engine',
  download: 'Reading',
  prepare: 'Preparing',
  ready: 'Ready',
};

export class ModelBar {
  #running: Running | null = null;
  #runningSource: Source | null = null;
  #loading: AbortController | null = null;
  #preparing = false;
  /** The file that was read last. */
  #file = '';
  readonly #events: ModelEvents;
  readonly #facts = new ModelFacts();
  /** Models of the list by the value of their option. */
  readonly #sources = new Map<string, Source>([['default', 'default']]);
  readonly #choice = byId('model-choice', HTMLSelectElement);
  readonly #status = byId('model-status', HTMLElement);
  readonly #error = byId('model-error', HTMLElement);

  constructor(events: ModelEvents) {
    this.#events = events;
    this.#choice.addEventListener('change', () => this.#chosen());
    // Asked again only as long as the server is still preparing a model.
    this.#choice.addEventListener('focus', () => {
      if (this.#preparing) void this.offerLocalModels();
    });
    byId('model-cancel', HTMLButtonElement).addEventListener('click', () => this.#loading?.abort());
    this.#acceptAddress();
    this.#acceptFiles('model-files');
    this.#acceptFiles('model-folder');
    acceptDrops((name, source) => void this.load(name, source));
  }

  /** Loads `model`; the one that runs goes on until the new one is ready. True if all went well. */
  async load(name: string, model: Source): Promise<boolean> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#showError('');
    this.#status.textContent = `Loading ${name}…`;
    this.#showProgress({ phase: 'engine', fraction: 0, loaded: 0, total: 0, file: '' });
    try {
      const next = await loadModel(name, model, {
        signal: loading.signal,
        onProgress: (progress) => {
          if (this.#loading === loading) this.#showProgress(progress);
        },
      });
      // In one go with the facts, so that nothing below moves.
      if (this.#loading === loading) this.#showLoading(false);
      await this.#start(next, model);
      return true;
    } catch (error) {
      this.#events.failed();
      if (this.#loading === loading) this.#showFailure(name, loading.signal.aborted ? null : error);
      return false;
    } finally {
      if (this.#loading === loading) {
        this.#loading = null;
        this.#showLoading(false);
        this.#showChoice();
      }
    }
  }

  /** Adds the models that the page's own server has ready, or will have. */
  async offerLocalModels(): Promise<void> {
    const response = await fetch('./models/index.json').catch(() => null);
    if (response === null || !response.ok) return;
    const listed: unknown = await response.json().catch(() => null);
    if (!Array.isArray(listed)) return;
    const offered = listed.filter(isOfferedModel);
    this.#preparing = offered.some(({ url }) => url === undefined);
    for (const option of [...this.#choice.options].filter(({ disabled }) => disabled))
      option.remove();
    for (const { name, url } of offered) {
      const option = this.#option(`offered ${name}`);
      option.textContent = url === undefined ? `${name} (being prepared)` : name;
      option.disabled = url === undefined;
      if (url === undefined || this.#sources.has(option.value)) continue;
      this.#sources.set(option.value, new URL(url, location.href));
    }
  }

  async #start(next: Running, model: Source): Promise<void> {
    const previous = this.#running;
    this.#running = next;
    this.#runningSource = model;
    if (![...this.#sources.values()].includes(model)) {
      this.#option(`own ${next.name}`).textContent = next.name;
      this.#sources.set(`own ${next.name}`, model);
    }
    this.#facts.show(next);
    this.#status.textContent = `${next.name} is ready.`;
    this.#events.started(next);
    if (previous === null) return;
    await this.#events.ending(previous).catch(() => {});
    await destroyModel(previous);
  }

  #chosen(): void {
    const { value, selectedOptions } = this.#choice;
    const source = this.#sources.get(value);
    if (source !== undefined) void this.load(selectedOptions[0]?.textContent ?? value, source);
  }

  /** The option with this value, made if it is not there yet. */
  #option(value: string): HTMLOptionElement {
    const found = [...this.#choice.options].find((option) => option.value === value);
    if (found !== undefined) return found;
    const option = make('option');
    option.value = value;
    this.#choice.append(option);
    return option;
  }

  /** Shows in the list which model runs, whatever was chosen in vain. */
  #showChoice(): void {
    const running = [...this.#sources].find(([, source]) => source === this.#runningSource);
    this.#choice.value = running?.[0] ?? '';
  }

  #acceptAddress(): void {
    const toggle = byId('model-url-toggle', HTMLButtonElement);
    const form = byId('model-url-form', HTMLFormElement);
    const field = byId('model-url', HTMLInputElement);
    const show = (shown: boolean): void => {
      form.hidden = !shown;
      toggle.setAttribute('aria-expanded', String(shown));
      if (shown) field.focus();
      else if (form.contains(document.activeElement)) toggle.focus();
    };
    toggle.addEventListener('click', () => show(form.hidden));
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') show(false);
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const url = new URL(field.value);
      void this.load(url.pathname === '/' ? url.host : nameOf(url.pathname), url).then((loaded) => {
        if (loaded) show(false);
      });
    });
  }

  /** A button that opens the browser's dialog through the hidden input beside it. */
  #acceptFiles(id: string): void {
    const input = byId(id, HTMLInputElement);
    byId(`${id}-button`, HTMLButtonElement).addEventListener('click', () => input.click());
    input.addEventListener('change', () => {
      useFiles(input.files, (name, source) => void this.load(name, source));
      input.value = '';
    });
  }

  #showProgress({ phase, fraction, loaded, total, file }: Progress): void {
    this.#showLoading(true);
    byId('model-bar', HTMLProgressElement).value = fraction;
    // The engine starts while files arrive: its reports have no file of their own.
    if (file !== '' || total === 0) this.#file = file.split('/').filter(Boolean).pop() ?? '';
    const what = phase === 'engine' && this.#file !== '' ? phases.download : phases[phase];
    const bytes = total > 0 ? ` ${formatBytes(loaded)} of ${formatBytes(total)}` : '';
    const name = this.#file === '' ? '…' : `: ${this.#file}`;
    byId('model-phase', HTMLElement).textContent = what + bytes + name;
  }

  /** The status stays for those who listen; for those who see, the bar stands in its place. */
  #showLoading(loading: boolean): void {
    byId('model-progress', HTMLElement).hidden = !loading;
    byId('model-status-row', HTMLElement).classList.toggle('heard-only', loading);
  }

  /** @param error null if the load was cancelled */
  #showFailure(name: string, error: unknown): void {
    const goesOn =
      this.#running === null
        ? 'No model runs: choose one.'
        : `${this.#running.name} goes on running.`;
    this.#status.textContent = error === null ? `Loading ${name} was cancelled. ${goesOn}` : goesOn;
    if (error !== null) this.#showError(`${name} could not be loaded: ${describe(error)}`);
  }

  #showError(message: string): void {
    this.#error.textContent = message;
    this.#error.hidden = message === '';
  }
}
