/** The facts about the model that runs. */

import { byId, make } from './element.js';
import type { Running } from './engine.js';
import { formatBytes } from './format.js';

const memoryEvery = 2000; // ms

export class ModelFacts {
  #running: Running | null = null;

  constructor() {
    window.setInterval(() => void this.#showMemory(), memoryEvery);
  }

  show(running: Running): void {
    this.#running = running;
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
      ...facts.map(([term, value]) => drawFact(term, value)),
    );
    this.#showNotes(running);
    void this.#showMemory();
  }

  /** Why nothing faster runs, what is to be known of the files, and how exact the weights are. */
  #showNotes({ embedder: { info } }: Running): void {
    const notes = [...info.reasons, ...info.model.notes];
    const fidelity = fidelityOf(info.model.fidelity);
    if (fidelity !== '') notes.push(fidelity);
    byId('notes', HTMLElement).hidden = notes.length === 0;
    byId('notes-list', HTMLElement).replaceChildren(...notes.map((note) => make('li', '', note)));
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

function drawFact(term: string, value: string): HTMLElement {
  const pair = make('div');
  const data = make('dd', '', value);
  data.id = `fact-${term.replace(' ', '-')}`;
  pair.append(make('dt', '', term), data);
  return pair;
}

/** A sentence about the measured loss of the quantized weights, if the file carries one. */
function fidelityOf(fidelity: { readonly [key: string]: unknown } | null): string {
  const cosine = fidelity?.['cosine'];
  if (typeof cosine !== 'object' || cosine === null || !('mean' in cosine) || !('min' in cosine))
    return '';
  const { mean, min } = cosine;
  if (typeof mean !== 'number' || typeof min !== 'number') return '';
  return (
    'Measured when the weights were quantized: the cosine between its vectors and those of the ' +
    `float32 weights is ${mean.toFixed(5)} on average and ${min.toFixed(5)} at least.`
  );
}
