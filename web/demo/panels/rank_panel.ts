/** Lines by how well they answer a query, as a cross-encoder judges each. */

import { Ranker, type Embedder, type HeadInfo, type ModelInfo, type Ranked } from 'pocketbert';

import { byId, debounce, make } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatRate } from '../format.js';
import { sampleCorpus, sampleQueries } from '../samples.js';
import type { Report } from '../slow_bar.js';
import { statusLine, TaskPanel, type Lack } from './task_panel.js';

/** Of more lines only the best are drawn. */
const mostDrawn = 50;

const markup = `
<div class="columns">
  <div>
    <label for="rank-query">Query</label>
    <input id="rank-query" type="search" dir="auto" autocomplete="off" />
    <label for="rank-lines" class="next">Texts to rank, one a line</label>
    <textarea id="rank-lines" rows="14" dir="auto" spellcheck="false"></textarea>
  </div>
  <div>
    <p class="label">Best first</p>
    ${statusLine('rank')}
    <ol id="rank-list" class="results outcome" aria-label="Texts, best first"></ol>
  </div>
</div>`;

/** A head with one output: how well the second text answers the first. */
function relevanceHead({ heads }: ModelInfo): HeadInfo | undefined {
  return heads.find(({ labels }) => labels.length === 1);
}

export class RankPanel extends TaskPanel<Ranker> {
  readonly #query = byId('rank-query', HTMLInputElement);
  readonly #lines = byId('rank-lines', HTMLTextAreaElement);
  readonly #list = byId('rank-list', HTMLElement);

  constructor(root: HTMLElement) {
    super('rank', root, markup);
    this.#query.value = sampleQueries[0] ?? '';
    this.#lines.value = sampleCorpus.replaceAll('\n\n', '\n');
    const update = debounce(150, () => void this.run());
    for (const field of [this.#query, this.#lines]) field.addEventListener('input', update);
  }

  protected override lackOf(model: ModelInfo): Lack | null {
    return relevanceHead(model) !== undefined
      ? null
      : {
          cannot: 'does not judge how well a text answers a query',
          load: 'a cross-encoder like ms-marco-MiniLM-L6-v2',
        };
  }

  protected override open(model: Embedder): Promise<Ranker> {
    return Ranker.create({ model });
  }

  protected override async work(ranker: Ranker, running: Running, report: Report): Promise<void> {
    const query = this.#query.value.trim();
    const lines = this.#lines.value.split('\n').filter((line) => line.trim() !== '');
    if (query === '' || lines.length === 0) {
      this.#list.replaceChildren();
      return this.tell(query === '' ? 'Type a query.' : 'There is no text to rank yet.');
    }
    const start = performance.now();
    const stream = new Stream((results) => this.#draw(lines, results));
    try {
      const [ranking, counts] = await Promise.all([
        ranker.rank(query, lines, {
          head: relevanceHead(running.embedder.info.model)?.name,
          supersede: 'rank',
          onProgress: report,
          onResult: (result) => stream.add(result),
        }),
        ranker.countTokens(
          lines.map((text) => ({ text: query, pair: text })),
          { supersede: 'count' },
        ),
      ]);
      const tokens = counts.reduce((sum, count) => sum + count, 0);
      countWork(running, lines.length, tokens);
      const cut = ranking.truncated.length;
      const note = cut > 0 ? ` ${formatCount(cut, 'text')} too long for the model: cut.` : '';
      const what = formatCount(lines.length, 'text');
      this.tell(`${formatRate(what, tokens, performance.now() - start)}.${note}`);
      this.#draw(lines, ranking);
    } finally {
      stream.end();
    }
  }

  #draw(lines: readonly string[], results: readonly Ranked[]): void {
    this.#list.replaceChildren(
      ...results.slice(0, mostDrawn).map(({ corpus_id: line, score }) => {
        const item = make('li');
        item.dir = 'auto';
        const number = make('span', 'score', score.toFixed(3));
        number.title = 'how well it answers the query, 0 to 1';
        const bar = make('span', 'share');
        bar.style.setProperty('--share', String(score));
        item.append(number, lines[line] ?? '', bar);
        return item;
      }),
    );
  }
}

/** Results as they come, drawn in order once a frame, from the second frame on. */
class Stream {
  readonly #draw: (sorted: readonly Ranked[]) => void;
  readonly #results: Ranked[] = [];
  #frame = 0;

  constructor(draw: (sorted: readonly Ranked[]) => void) {
    this.#draw = draw;
  }

  add(result: Ranked): void {
    this.#results.push(result);
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw(this.#results.sort((a, b) => b.score - a.score || a.corpus_id - b.corpus_id));
    });
  }

  /** Draws no more. */
  end(): void {
    cancelAnimationFrame(this.#frame);
  }
}
