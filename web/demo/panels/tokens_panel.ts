/** The text with its tokens as coloured spans, and a table of ids and places. */

import type { Encoding } from 'pocketbert';

import { byId, debounce, make } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatTime } from '../format.js';
import { sampleTokens } from '../samples.js';
import { Panel } from './panel.js';

const hues = 6;
/** How vocabularies write what they do not know. */
const unknownTokens = new Set(['[UNK]', '<unk>', '<UNK>']);
/** More are counted, but not drawn. */
const mostDrawn = 1000;

export class TokensPanel extends Panel {
  readonly #text = byId('tokens-text', HTMLTextAreaElement);
  readonly #view = byId('tokens-view', HTMLElement);
  readonly #details = byId('tokens-details', HTMLDetailsElement);
  #shown: { readonly text: string; readonly encoding: Encoding } | null = null;

  constructor() {
    super(byId('tokens-status', HTMLElement));
    this.#text.value = sampleTokens;
    this.#text.addEventListener(
      'input',
      debounce(60, () => void this.run()),
    );
    this.#details.addEventListener('toggle', () => this.#fillTable());
  }

  protected override async update(running: Running): Promise<void> {
    const text = this.#text.value;
    const start = performance.now();
    const encoding = await running.embedder.tokenize(text, { supersede: 'tokens' });
    const took = formatTime(performance.now() - start);
    countWork(running, 1, encoding.length);
    const limit = running.embedder.info.model.maxTokens;
    const over = encoding.length > limit ? ` The model reads the first ${limit} of them.` : '';
    const from = formatCount(text.length, 'character');
    this.tell(`${formatCount(encoding.length, 'token')} from ${from} in ${took}.${over}`);
    this.#shown = { text, encoding };
    this.#draw(text, encoding, limit);
    this.#fillTable();
  }

  /** @param limit tokens that the model reads, special ones included */
  #draw(text: string, encoding: Encoding, limit: number): void {
    // When a text is cut, the special tokens at its end stay.
    const closing = encoding.special_tokens_mask.length - 1 - lastPlain(encoding);
    const read = encoding.length > limit ? limit - closing : encoding.length;
    const parts: (Node | string)[] = [];
    const drawn = Math.min(encoding.length, mostDrawn);
    let place = 0;
    for (let i = 0; i < drawn; i += 1) {
      const [start, end] = encoding.offsets[i] ?? [0, 0];
      if (encoding.special_tokens_mask[i] === 1) {
        parts.push(make('span', 'token special', encoding.tokens[i] ?? ''));
        continue;
      }
      // Several tokens can come from one character (a Hangul syllable): it is drawn once.
      if (end <= place) continue;
      if (start > place) parts.push(text.slice(place, start));
      const token = drawToken(encoding, i, text.slice(Math.max(start, place), end));
      if (i >= read) token.classList.add('over');
      parts.push(token);
      place = end;
    }
    const rest = encoding.length - drawn;
    if (rest > 0) parts.push(` … and ${formatCount(rest, 'further token')}`);
    else if (place < text.length) parts.push(text.slice(place, place + mostDrawn));
    this.#view.replaceChildren(...parts);
  }

  #fillTable(): void {
    if (this.#shown === null || !this.#details.open) return;
    const { text, encoding } = this.#shown;
    const body = byId('tokens-table', HTMLTableElement).tBodies[0];
    const rows = Array.from({ length: Math.min(encoding.length, mostDrawn) }, (_, i) => {
      const [start, end] = encoding.offsets[i] ?? [0, 0];
      const special = encoding.special_tokens_mask[i] === 1;
      const row = make('tr');
      row.append(
        make('td', '', String(i)),
        make('td', '', encoding.tokens[i] ?? ''),
        make('td', '', String(encoding.ids[i] ?? '')),
        make('td', '', special ? '' : `${start}–${end}`),
        make('td', '', special ? '' : text.slice(start, end)),
      );
      return row;
    });
    body?.replaceChildren(...rows);
  }
}

/** Index of the last token that is not a special one; −1 if there is none. */
function lastPlain({ special_tokens_mask: special }: Encoding): number {
  return special.lastIndexOf(0);
}

function drawToken(encoding: Encoding, i: number, text: string): HTMLElement {
  const token = encoding.tokens[i] ?? '';
  const word = encoding.word_ids[i] ?? 0;
  const piece = i > 0 && encoding.word_ids[i - 1] === word ? ' piece' : '';
  const unknown = unknownTokens.has(token) ? ' unknown' : '';
  const span = make('span', `token hue-${word % hues}${piece}${unknown}`, text);
  const [start, end] = encoding.offsets[i] ?? [0, 0];
  span.title = `${token}, id ${encoding.ids[i] ?? ''}, place ${start}–${end}`;
  return span;
}
