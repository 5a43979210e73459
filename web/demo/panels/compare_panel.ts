/** The similarity of every pair of sentences, as a heat map. */

import { Embedder } from 'pocketbert';

import { byId, debounce, make } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatRate } from '../format.js';
import { sampleSentences } from '../samples.js';
import { Panel } from './panel.js';

const mostLines = 40;
const advice = 'Point at a cell, or move with the arrow keys, to read its two sentences.';

export class ComparePanel extends Panel {
  #drawn: readonly string[] = [];
  readonly #lines = byId('compare-lines', HTMLTextAreaElement);
  readonly #map = byId('compare-map', HTMLTableElement);
  readonly #pair = byId('compare-pair', HTMLElement);

  constructor() {
    super(byId('compare-status', HTMLElement));
    this.#lines.value = sampleSentences.join('\n');
    this.#lines.addEventListener(
      'input',
      debounce(250, () => void this.run()),
    );
    for (const kind of ['pointerover', 'focusin', 'click'] as const) {
      this.#map.addEventListener(kind, ({ target }) => this.#tellPair(target));
    }
    this.#map.addEventListener('keydown', (event) => moveInTable(this.#map, event));
  }

  protected override async update(running: Running): Promise<void> {
    const all = this.#lines.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const lines = all.slice(0, mostLines);
    if (lines.length === 0) {
      this.#map.replaceChildren();
      this.#pair.textContent = '';
      return this.tell('Write a sentence on each line.');
    }
    const start = performance.now();
    const vectors = await running.embedder.embed(lines, { supersede: 'compare' });
    const took = performance.now() - start;
    const sum = vectors.tokens.reduce((total, count) => total + count, 0);
    const tokens = countWork(running, lines.length, sum);
    const rest = all.length > lines.length ? ` Only the first ${mostLines} lines are shown.` : '';
    const cut = vectors.truncated.filter((flag) => flag).length;
    const long = cut > 0 ? ` ${formatCount(cut, 'line')} too long for the model: cut.` : '';
    this.tell(`${formatRate(formatCount(lines.length, 'sentence'), tokens, took)}.${rest}${long}`);
    this.#draw(lines, [...vectors]);
  }

  #draw(lines: readonly string[], vectors: readonly Float32Array[]): void {
    this.#drawn = lines;
    this.#pair.textContent = advice;
    const numbers = make('tr');
    numbers.append(
      make('td'),
      ...lines.map((line, index) => header('col', String(index + 1), line)),
    );
    const head = make('thead');
    head.append(numbers);
    const body = make('tbody');
    lines.forEach((line, row) => {
      const cells = make('tr');
      cells.append(header('row', `${row + 1}  ${line}`, line));
      for (const vector of vectors) cells.append(drawCell(vectors[row], vector));
      body.append(cells);
    });
    this.#map.replaceChildren(head, body);
    const first = this.#map.querySelector('tbody td');
    if (first instanceof HTMLElement) first.tabIndex = 0;
  }

  #tellPair(target: EventTarget | null): void {
    if (!(target instanceof HTMLTableCellElement) || target.tagName !== 'TD') return;
    const row = target.parentElement;
    if (!(row instanceof HTMLTableRowElement) || row.parentElement?.tagName !== 'TBODY') return;
    const [one, two] = [this.#drawn[row.sectionRowIndex], this.#drawn[target.cellIndex - 1]];
    this.#pair.textContent = `${target.textContent ?? ''}: “${one ?? ''}” and “${two ?? ''}”`;
  }
}

function header(scope: 'row' | 'col', text: string, line: string): HTMLElement {
  const cell = make('th', '', text);
  cell.scope = scope;
  cell.title = line;
  cell.setAttribute('aria-label', line);
  return cell;
}

function drawCell(a: Float32Array | undefined, b: Float32Array): HTMLElement {
  const score = a === undefined ? 0 : Embedder.similarity(a, b);
  const cell = make('td', '', score.toFixed(2));
  cell.style.setProperty('--heat', String(Math.min(1, Math.max(0, score))));
  cell.tabIndex = -1;
  return cell;
}

const steps: { readonly [key: string]: readonly [down: number, right: number] } = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

/** Arrow keys move from cell to cell; Tab leaves the table, and comes back to the same cell. */
function moveInTable(table: HTMLTableElement, event: KeyboardEvent): void {
  const cell = event.target;
  const step = steps[event.key];
  if (step === undefined || !(cell instanceof HTMLTableCellElement)) return;
  const row = cell.parentElement;
  if (!(row instanceof HTMLTableRowElement)) return;
  event.preventDefault();
  const next =
    table.tBodies[0]?.rows[row.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]];
  if (next === undefined || next.tagName !== 'TD') return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
