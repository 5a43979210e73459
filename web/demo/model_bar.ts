/** The model's choice, its progress while loading, and the facts about the one that runs. */

import type { Progress, Source } from 'pocketbert';

import { destroyModel, loadModel, type Running } from './engine.js';
import { byId, formatBytes, make } from './element.js';

type Listener = (running: Running) => void;

/** A model that the page's own server offers, as /models/index.json lists them. */
interface OfferedModel {
  readonly name: string;
  readonly url: string;
}

function isOfferedModel(value: unknown): value is OfferedModel {
  return (
    typeof value === 'object' && value !== null &&
    'name' in value && typeof value.name === 'string' &&
    'url' in value && typeof value.url === 'string'
  );
}

const phases: Record<Progress['phase'], string> = {
  engine: 'starting the engine',
  download: 'reading',
  prepare: 'preparing',
  ready: 'ready',
};

export class ModelBar {
  #running: Running | null = null;
  #loading: AbortController | null = null;
  readonly #listeners: Listener[] = [];
  readonly #choice = byId('model-choice', HTMLSelectElement);
  readonly #urlForm = byId('model-url-form', HTMLFormElement);
  readonly #files = byId('model-files', HTMLInputElement);

  constructor() {
    this.#choice.addEventListener('change', () => this.#chosen());
    // The page's server may still have been preparing a larger model when the page was opened.
    this.#choice.addEventListener('focus', () => void this.offerLocalModels());
    this.#urlForm.addEventListener('submit', (event) => {
      event.preventDefault();
      const url = byId('model-url', HTMLInputElement).value;
      void this.load(new URL(url).pathname.split('/').filter(Boolean).pop() ?? url, new URL(url));
    });
    this.#files.addEventListener('change', () => this.#loadFiles(this.#files.files));
    byId('model-cancel', HTMLButtonElement).addEventListener('click', () => this.#loading?.abort());
    this.#acceptDrops();
    window.setInterval(() => void this.#showMemory(), 2000);
  }

  get running(): Running | null {
    return this.#running;
  }

  /** Calls `listener` with every model that starts to run. */
  onModel(listener: Listener): void {
    this.#listeners.push(listener);
    if (this.#running !== null) listener(this.#running);
  }

  /** Loads `model`; the one that runs goes on until the new one is ready. */
  async load(name: string, model: Source): Promise<void> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#showError('');
    this.#showProgress({ phase: 'engine', fraction: 0, loaded: 0, total: 0, file: '' });
    try {
      const next = await loadModel(name, model, {
        signal: loading.signal,
        onProgress: (progress) => {
          if (this.#loading === loading) this.#showProgress(progress);
        },
      });
      const previous = this.#running;
      this.#running = next;
      this.#showFacts(next);
      for (const listener of this.#listeners) listener(next);
      if (previous !== null) await destroyModel(previous);
    } catch (error) {
      if (!loading.signal.aborted) this.#showError(describe(error));
    } finally {
      if (this.#loading === loading) {
        this.#loading = null;
        byId('model-progress', HTMLElement).hidden = true;
      }
    }
  }

  /** Adds the models that the page's own server has ready. */
  async offerLocalModels(): Promise<void> {
    const response = await fetch('./models/index.json').catch(() => null);
    if (response === null || !response.ok) return;
    const listed: unknown = await response.json().catch(() => null);
    if (!Array.isArray(listed)) return;
    for (const model of listed.filter(isOfferedModel)) {
      const value = `offered:${model.url}`;
      if (this.#choice.querySelector(`option[value="${CSS.escape(value)}"]`) !== null) continue;
      const option = make('option', '', model.name);
      option.value = value;
      this.#choice.insertBefore(option, this.#choice.querySelector('option[value="url"]'));
    }
  }

  #chosen(): void {
    const value = this.#choice.value;
    this.#urlForm.hidden = value !== 'url';
    if (value === 'default') void this.load('Default', 'default');
    else if (value === 'files') this.#files.click();
    else if (value.startsWith('offered:')) {
      const name = this.#choice.selectedOptions[0]?.textContent ?? 'model';
      void this.load(name, new URL(value.slice('offered:'.length), location.href));
    }
  }

  #loadFiles(list: FileList | null): void {
    const files = [...(list ?? [])];
    if (files.length === 0) return;
    const only = files.length === 1 ? files[0] : undefined;
    void this.load(only?.name ?? 'Your files', only ?? files);
  }

  #acceptDrops(): void {
    const veil = byId('drop-veil', HTMLElement);
    addEventListener('dragover', (event) => {
      event.preventDefault();
      veil.hidden = !(event.dataTransfer?.types.includes('Files') ?? false);
    });
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) veil.hidden = true;
    });
    addEventListener('drop', (event) => {
      event.preventDefault();
      veil.hidden = true;
      void this.#loadDropped(event.dataTransfer);
    });
  }

  async #loadDropped(data: DataTransfer | null): Promise<void> {
    const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry());
    const folder = entries.find((entry) => entry?.isDirectory);
    if (folder instanceof FileSystemDirectoryEntry) {
      const record: Record<string, File> = {};
      await readFolder(folder, '', record);
      await this.load(folder.name, record);
    } else {
      this.#loadFiles(data?.files ?? null);
    }
  }

  #showProgress(progress: Progress): void {
    byId('model-progress', HTMLElement).hidden = false;
    byId('model-bar', HTMLProgressElement).value = progress.fraction;
    const bytes =
      progress.total > 0 ? ` ${formatBytes(progress.loaded)} of ${formatBytes(progress.total)}` : '';
    byId('model-phase', HTMLElement).textContent =
      `${phases[progress.phase]} ${progress.file}${bytes}`.trim();
  }

  #showError(message: string): void {
    const error = byId('model-error', HTMLElement);
    error.textContent = message;
    error.hidden = message === '';
  }

  #showFacts(running: Running): void {
    const { info } = running.embedder;
    const facts: [string, string][] = [
      ['model', `${running.name} (${info.model.type}, ${info.model.layers} layers)`],
      ['vectors', `${info.model.dimensions} numbers`],
      ['weights', info.model.precision],
      ['variant', info.variant],
      ['threads', String(info.threads)],
      ['longest text', `${info.model.maxTokens} tokens`],
      ['memory', '…'],
    ];
    byId('facts', HTMLElement).replaceChildren(
      ...facts.map(([term, value]) => {
        const pair = make('div');
        const data = make('dd', '', value);
        data.id = `fact-${term.replace(' ', '-')}`;
        pair.append(make('dt', '', term), data);
        return pair;
      }),
    );
    const reasons = info.reasons.join(' ');
    byId('fact-variant', HTMLElement).title = reasons;
    byId('fact-threads', HTMLElement).title = reasons;
    void this.#showMemory();
  }

  async #showMemory(): Promise<void> {
    const running = this.#running;
    if (running === null || document.hidden) return;
    const memory = await running.embedder.memory().catch(() => null);
    if (memory === null || running !== this.#running) return;
    byId('fact-memory', HTMLElement).textContent =
      `${formatBytes(memory.wasm)} (weights ${formatBytes(memory.weights)})`;
  }
}

/** What a person reads of an error: its message, and what can be done. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : '';
  return hint === '' ? error.message : `${error.message}. ${hint}`;
}

/** All files below a dropped folder, by their paths inside it. */
async function readFolder(
  folder: FileSystemDirectoryEntry,
  path: string,
  into: Record<string, File>,
): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry instanceof FileSystemDirectoryEntry) {
        await readFolder(entry, `${path}${entry.name}/`, into);
      } else if (entry instanceof FileSystemFileEntry) {
        into[path + entry.name] = await new Promise<File>((resolve, reject) =>
          entry.file(resolve, reject),
        );
      }
    }
  }
}
