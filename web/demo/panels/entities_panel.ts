/** The text with what the model found in it: names, places, parts of speech. */

import {
  Tagger,
  type Aggregation,
  type CallOptions,
  type Embedder,
  type ModelInfo,
} from 'pocketbert';

import { byId, debounce, make } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatRate } from '../format.js';
import { drawMarked } from '../marked_text.js';
import type { Report } from '../slow_bar.js';
import { statusLine, TaskPanel, type Lack } from './task_panel.js';

const hues = 6;
/** More are counted, but not listed. */
const mostListed = 1000;

const sample =
  'Marie Curie was born in Warsaw and moved to Paris, where she worked at the Sorbonne. ' +
  'Zoë from 東京 sent 🦉 greetings to the World Health Organization in Geneva.';

const markup = `
<label for="entities-text">Text to read</label>
<textarea id="entities-text" rows="4" dir="auto" spellcheck="false"></textarea>
<div class="choices">
  <label for="entities-aggregation">Tokens are joined</label>
  <select id="entities-aggregation">
    <option value="simple">as their labels go on</option>
    <option value="first">to words, by the first token</option>
    <option value="average">to words, by the average</option>
    <option value="max">to words, by the surest token</option>
    <option value="none">not at all</option>
  </select>
</div>
${statusLine('entities')}
<div id="entities-view" class="tokens outcome" dir="auto" role="region" aria-label="The text with what was found in it"></div>
<details id="entities-details">
  <summary>All of them with places and scores</summary>
  <div class="table-scroll" tabindex="0" role="region" aria-label="Table of what was found">
    <table id="entities-table" class="list">
      <thead><tr><th scope="col">text</th><th scope="col">label</th><th scope="col" class="number">score</th><th scope="col">place in UTF-16</th></tr></thead>
      <tbody></tbody>
    </table>
  </div>
</details>`;

/** An entity or a token, in the whole text. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly label: string;
  readonly score: number;
}

export class EntitiesPanel extends TaskPanel<Tagger> {
  readonly #text = byId('entities-text', HTMLTextAreaElement);
  readonly #aggregation = byId('entities-aggregation', HTMLSelectElement);
  readonly #details = byId('entities-details', HTMLDetailsElement);
  #found: readonly Found[] = [];

  constructor(root: HTMLElement) {
    super('entities', root, markup);
    this.#text.value = sample;
    this.#text.addEventListener(
      'input',
      debounce(100, () => void this.run()),
    );
    this.#aggregation.addEventListener('change', () => void this.run());
    this.#details.addEventListener('toggle', () => this.#fillTable());
  }

  protected override lackOf({ tasks }: ModelInfo): Lack | null {
    return tasks.includes('tag')
      ? null
      : {
          cannot: 'does not label the words of a text, such as names and places',
          load: 'a token-classification model like bert-base-NER',
        };
  }

  protected override open(model: Embedder): Promise<Tagger> {
    return Tagger.create({ model });
  }

  protected override async work(tagger: Tagger, running: Running, report: Report): Promise<void> {
    const text = this.#text.value;
    const parts = paragraphsOf(text);
    const texts = parts.map((part) => part.text);
    const aggregation = aggregationOf(this.#aggregation.value);
    const start = performance.now();
    const calls: CallOptions = {
      supersede: 'tag',
      priority: 'interactive',
      onProgress: report,
    };
    const [lists, counts] = await Promise.all([
      aggregation === 'none'
        ? tagger.tag(texts, { ...calls, aggregation })
        : tagger.tag(texts, { ...calls, aggregation }),
      tagger.countTokens(texts, { supersede: 'count' }),
    ]);
    const took = performance.now() - start;
    this.#found = parts.flatMap(({ start: at }, i) =>
      (lists[i] ?? []).map(({ start: from, end, text: found, score, ...one }) => {
        const label = 'entity' in one ? one.entity : one.entity_group;
        return { start: at + from, end: at + end, text: found, label, score };
      }),
    );
    const tokens = countWork(
      running,
      texts.length,
      counts.reduce((sum, count) => sum + count, 0),
    );
    const found = formatCount(this.#found.length, aggregation === 'none' ? 'token' : 'place');
    this.tell(`${formatRate(`${found} marked`, tokens, took)}.`);
    this.#draw(text, running.embedder.info.model.tags);
    this.#fillTable();
  }

  #draw(text: string, tags: readonly string[]): void {
    const kinds = [...new Set(tags.map(kindOf))];
    const marks = this.#found.map(({ start, end, label, score }) => ({
      start,
      end,
      look: `entity hue-${Math.max(0, kinds.indexOf(kindOf(label))) % hues}`,
      note: `${label} ${(100 * score).toFixed(0)} %`,
    }));
    drawMarked(byId('entities-view', HTMLElement), text, marks);
  }

  #fillTable(): void {
    if (!this.#details.open) return;
    const rows = this.#found.slice(0, mostListed).map(({ start, end, text, label, score }) => {
      const row = make('tr');
      const source = make('td', '', text);
      source.dir = 'auto';
      row.append(
        source,
        make('td', '', label),
        make('td', 'number', `${(100 * score).toFixed(1)} %`),
        make('td', '', `${start}–${end}`),
      );
      return row;
    });
    byId('entities-table', HTMLTableElement).tBodies[0]?.replaceChildren(...rows);
  }
}

/** "B-PER" and "I-PER" → "PER". */
function kindOf(tag: string): string {
  return tag.replace(/^[BIES]-/, '');
}

function aggregationOf(value: string): Aggregation {
  const known: readonly Aggregation[] = ['none', 'first', 'average', 'max'];
  return known.find((name) => name === value) ?? 'simple';
}

/**
 * Pieces between blank lines, with their places: of a long text the progress can be told, and a
 * newer text does not wait for all of an older one. None if there is nothing to read.
 */
function paragraphsOf(text: string): { readonly text: string; readonly start: number }[] {
  return [...text.matchAll(/\S[^]*?(?=\n\s*\n|\s*$)/g)].map((match) => ({
    text: match[0],
    start: match.index,
  }));
}
