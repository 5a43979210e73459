/** The text with its tokens as coloured spans, and a table of ids and places. */

import type { Encoding } from 'pocketbert';

import { byId, debounce, formatCount, make } from '../element.js';
import type { Running } from '../engine.js';
import { describe } from '../model_bar.js';
import { sampleTokens } from '../samples.js';

const hues = 6;
const mostRows = 2000;

export class TokensPanel {
  #running: Running | null = null;
  readonly #text = byId('tokens-text', HTMLTextAreaElement);
  readonly #status = byId('tokens-status', HTMLElement);
  readonly #view = byId('tokens-view', HTMLElement);

  constructor() {
    this.#text.value = sampleTokens;
    this.#text.addEventListener('input', debounce(60, () => void this.#tokenize()));
  }

  use(running: Running): void {
    this.#running = running;
    void this.#tokenize();
  }

  async #tokenize(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    const text = this.#text.value;
    try {
      const start = performance.now();
      const encoding = await running.embedder.tokenize(text, { supersede: 'tokens' });
      const took = (performance.now() - start).toFixed(1);
      const limit = running.embedder.info.model.maxTokens;
      const over = encoding.length > limit ? ` The model reads the first ${limit}.` : '';
      const length = formatCount(text.length, 'UTF-16 unit');
      this.#status.textContent = `${formatCount(encoding.length, 'token')} for ${length}, ${took} ms.${over}`;
      this.#draw(text, encoding);
      this.#fillTable(text, encoding);
    } catch (error) {
      const superseded = error instanceof Error && 'code' in error && error.code === 'superseded';
      if (!superseded) this.#status.textContent = describe(error);
    }
  }

  #draw(text: string, encoding: Encoding): void {
    const parts: (Node | string)[] = [];
    let place = 0;
    for (let i = 0; i < Math.min(encoding.length, mostRows); i += 1) {
      const token = encoding.tokens[i] ?? '';
      const [start, end] = encoding.offsets[i] ?? [0, 0];
      if (encoding.special_tokens_mask[i] === 1) {
        parts.push(make('span', 'token special', token));
        continue;
      }
      // Several tokens can come from one character (a Hangul syllable): it is drawn once.
      if (end <= place) continue;
      if (start > place) parts.push(text.slice(place, start));
      const word = encoding.word_ids[i] ?? 0;
      const piece = i > 0 && encoding.word_ids[i - 1] === word ? ' piece' : '';
      const unknown = token === '[UNK]' ? ' unknown' : '';
      const span = make('span', `token hue-${word % hues}${piece}${unknown}`, text.slice(Math.max(start, place), end));
      span.title = `${token}  id ${encoding.ids[i] ?? ''}  [${start}, ${end})`;
      parts.push(span);
      place = end;
    }
    if (place < text.length) parts.push(text.slice(place));
    this.#view.replaceChildren(...parts);
  }

  #fillTable(text: string, encoding: Encoding): void {
    const body = byId('tokens-table', HTMLTableElement).tBodies[0];
    if (body === undefined) return;
    const rows: HTMLElement[] = [];
    for (let i = 0; i < Math.min(encoding.length, mostRows); i += 1) {
      const [start, end] = encoding.offsets[i] ?? [0, 0];
      const row = make('tr');
      row.append(
        make('td', '', String(i)),
        make('td', '', encoding.tokens[i] ?? ''),
        make('td', '', String(encoding.ids[i] ?? '')),
        make('td', '', `${start}–${end}`),
        make('td', '', text.slice(start, end)),
      );
      rows.push(row);
    }
    body.replaceChildren(...rows);
  }
}
