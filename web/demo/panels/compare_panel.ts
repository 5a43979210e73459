/** The similarity of every pair of sentences, as a heat map. */

import { Embedder } from 'pocketbert';

import { byId, debounce, formatRate, make } from '../element.js';
import type { Running } from '../engine.js';
import { describe } from '../model_bar.js';
import { sampleSentences } from '../samples.js';

const mostLines = 40;
/** Above this the cell is dark enough to need light digits. */
const strongHeat = 0.62;

export class ComparePanel {
  #running: Running | null = null;
  readonly #lines = byId('compare-lines', HTMLTextAreaElement);
  readonly #status = byId('compare-status', HTMLElement);
  readonly #map = byId('compare-map', HTMLTableElement);
  readonly #pair = byId('compare-pair', HTMLElement);

  constructor() {
    this.#lines.value = sampleSentences.join('\n');
    this.#lines.addEventListener('input', debounce(250, () => void this.#compare()));
  }

  use(running: Running): void {
    this.#running = running;
    void this.#compare();
  }

  async #compare(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    const all = this.#lines.value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
    const lines = all.slice(0, mostLines);
    if (lines.length === 0) {
      this.#map.replaceChildren();
      this.#status.textContent = 'Write a sentence on each line.';
      return;
    }
    try {
      const start = performance.now();
      const vectors = await running.embedder.embed(lines, { supersede: 'compare' });
      const tokens = vectors.tokens.reduce((sum, count) => sum + count, 0);
      const rest = all.length > lines.length ? ` Only the first ${mostLines} lines are shown.` : '';
      this.#status.textContent = `${formatRate(lines.length, tokens, performance.now() - start)}.${rest}`;
      this.#draw(lines, [...vectors]);
    } catch (error) {
      const superseded = error instanceof Error && 'code' in error && error.code === 'superseded';
      if (!superseded) this.#status.textContent = describe(error);
    }
  }

  #draw(lines: readonly string[], vectors: readonly Float32Array[]): void {
    const head = make('thead');
    const numbers = make('tr');
    numbers.append(make('td'), ...lines.map((_, index) => make('th', '', String(index + 1))));
    head.append(numbers);
    const body = make('tbody');
    lines.forEach((line, row) => {
      const cells = make('tr');
      const name = make('th', '', `${row + 1}  ${line}`);
      name.scope = 'row';
      name.title = line;
      cells.append(name, ...lines.map((other, column) => this.#cell(vectors, [row, column], [line, other])));
      body.append(cells);
    });
    this.#map.replaceChildren(head, body);
  }

  #cell(
    vectors: readonly Float32Array[],
    [row, column]: readonly [number, number],
    [line, other]: readonly [string, string],
  ): HTMLElement {
    const a = vectors[row];
    const b = vectors[column];
    const score = a === undefined || b === undefined ? 0 : Embedder.similarity(a, b);
    const cell = make('td', score > strongHeat ? 'strong' : '', score.toFixed(2));
    cell.style.setProperty('--heat', String(Math.min(1, Math.max(0, score))));
    const tell = (): void => {
      this.#pair.textContent = `${score.toFixed(3)}: “${line}” and “${other}”`;
    };
    cell.addEventListener('pointerenter', tell);
    cell.addEventListener('focus', tell);
    cell.tabIndex = row === 0 && column === 0 ? 0 : -1;
    cell.addEventListener('keydown', (event) => moveInTable(cell, event));
    return cell;
  }
}

/** Arrow keys move the focus from cell to cell. */
function moveInTable(cell: HTMLTableCellElement, event: KeyboardEvent): void {
  const steps: Record<string, readonly [number, number]> = {
    ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0],
  };
  const step = steps[event.key];
  const row = cell.parentElement;
  if (step === undefined || !(row instanceof HTMLTableRowElement)) return;
  event.preventDefault();
  const rows = row.parentElement?.children ?? [];
  const target = [...rows].indexOf(row) + step[0];
  const next = rows[target]?.children[cell.cellIndex + step[1]];
  if (next instanceof HTMLTableCellElement && next.tagName === 'TD') next.focus();
}
