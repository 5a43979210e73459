/** Words that fit in place of a mask. */

import { Filler, type Embedder, type Fill, type ModelInfo } from 'pocketbert';

import { byId, debounce, make, offerExamples } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatRate } from '../format.js';
import { statusLine, TaskPanel, type Lack } from './task_panel.js';

const samples = [
  'The old [MASK] crosses the strait four times a day.',
  'She put the [MASK] on the table and opened the [MASK].',
  'Paris is the capital of [MASK].',
];
/** How models write the place of a missing word; either is taken for the model's own. */
const spellings = ['[MASK]', '<mask>'];
const anySpelling = /\[MASK\]|<mask>/g;

const markup = `
<label for="fill-text">Text with [MASK] where a word is missing</label>
<textarea id="fill-text" rows="2" dir="auto" spellcheck="false"></textarea>
<div id="fill-examples" class="chips" role="group" aria-label="Example texts"></div>
<div class="choices">
  <button id="fill-insert" type="button">Insert [MASK]</button>
  <span class="pair"><label for="fill-count">Words for each</label> <select id="fill-count"><option>3</option><option selected>5</option><option>10</option></select></span>
</div>
${statusLine('fill')}
<div id="fill-masks" class="cards outcome" role="region" aria-label="Words that fit"></div>
<p class="hint">A word that is pressed takes its place in the text.</p>`;

export class FillPanel extends TaskPanel<Filler> {
  readonly #text = byId('fill-text', HTMLTextAreaElement);
  readonly #count = byId('fill-count', HTMLSelectElement);
  readonly #masks = byId('fill-masks', HTMLElement);
  /** The model's own mask token. */
  #mask: { readonly filler: Filler; readonly token: string } | null = null;

  constructor(root: HTMLElement) {
    super('fill', root, markup);
    this.#text.value = samples[0] ?? '';
    offerExamples(byId('fill-examples', HTMLElement), this.#text, samples);
    this.#text.addEventListener(
      'input',
      debounce(100, () => void this.run()),
    );
    this.#count.addEventListener('change', () => void this.run());
    byId('fill-insert', HTMLButtonElement).addEventListener('click', () => this.#insert());
  }

  protected override lackOf({ tasks }: ModelInfo): Lack | null {
    return tasks.includes('fill_mask')
      ? null
      : {
          cannot: 'does not guess missing words',
          load: 'a masked language model like bert-base-uncased',
        };
  }

  protected override open(model: Embedder): Promise<Filler> {
    return Filler.create({ model });
  }

  protected override async work(filler: Filler, running: Running): Promise<void> {
    const text = this.#text.value;
    const places = [...text.matchAll(anySpelling)].map((match) => match.index);
    if (places.length === 0) {
      this.#masks.replaceChildren();
      return this.tell('Write [MASK] where a word is to be found, or press the button.');
    }
    const token = await this.#maskOf(filler);
    const start = performance.now();
    const fills = await filler.fill(text.replace(anySpelling, token), {
      top_k: Number(this.#count.value),
      supersede: true,
    });
    const tokens = countWork(running, 1, fills.tokens);
    const cut = fills.truncated ? ' The text is too long for the model: cut.' : '';
    const what = formatCount(places.length, 'missing word');
    this.tell(`${formatRate(what, tokens, performance.now() - start)}.${cut}`);
    this.#draw(text, fills.masks);
  }

  /** Which spelling is one token of the model. */
  async #maskOf(filler: Filler): Promise<string> {
    if (this.#mask?.filler === filler) return this.#mask.token;
    const encodings = await Promise.all(spellings.map((one) => filler.tokenize(one)));
    const own = encodings.findIndex(({ tokens }, i) => tokens.includes(spellings[i] ?? ''));
    const token = spellings[Math.max(0, own)] ?? '';
    this.#mask = { filler, token };
    return token;
  }

  /** One card for each mask that was not cut off. */
  #draw(text: string, masks: readonly (readonly Fill[])[]): void {
    this.#masks.replaceChildren(
      ...masks.map((words, mask) => {
        const card = make('div', 'card');
        const title = masks.length === 1 ? '' : `Missing word ${mask + 1}`;
        if (title !== '') card.append(make('h2', '', title));
        const list = make('div', 'bars wide');
        list.setAttribute('role', 'group');
        list.setAttribute('aria-label', title === '' ? 'Words' : title);
        list.append(...words.map((word) => this.#button(text, mask, word)));
        card.append(list);
        return card;
      }),
    );
  }

  /** A bar that puts its word in the text. */
  #button(text: string, mask: number, { token_str: token, score }: Fill): HTMLElement {
    const button = make('button', 'bar');
    button.type = 'button';
    button.title = 'Put this word in the text';
    const track = make('span', 'track');
    const fill = make('span', 'fill');
    fill.style.setProperty('--share', String(score));
    track.append(fill);
    const name = make('span', 'name', token.trim());
    name.dir = 'auto';
    button.append(name, track, make('span', 'value', `${(100 * score).toFixed(1)} %`));
    button.addEventListener('click', () => this.#put(text, mask, token));
    return button;
  }

  /** Puts a word in the place of a mask, and selects it. */
  #put(text: string, mask: number, token: string): void {
    const place = [...text.matchAll(anySpelling)][mask];
    if (place === undefined || this.#text.value !== text) return;
    const isPiece = token.startsWith('##');
    const word = isPiece ? token.slice(2) : token.trim();
    const end = place.index + place[0].length;
    // A piece goes on with the word before it: the blank between them goes.
    const before = text.slice(0, place.index);
    const kept = isPiece ? before.trimEnd() : before;
    this.#change(kept + word + text.slice(end), kept.length, kept.length + word.length);
  }

  #insert(): void {
    const { value, selectionStart, selectionEnd } = this.#text;
    const mask = spellings[0] ?? '';
    const changed = value.slice(0, selectionStart) + mask + value.slice(selectionEnd);
    this.#change(changed, selectionStart + mask.length, selectionStart + mask.length);
  }

  #change(text: string, from: number, to: number): void {
    this.#text.value = text;
    this.#text.focus();
    this.#text.setSelectionRange(from, to);
    this.#text.dispatchEvent(new Event('input'));
  }
}
