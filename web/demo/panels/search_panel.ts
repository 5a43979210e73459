/** Semantic search: every sentence has a vector; a passage is as good as its best sentence. */

import { byId, debounce, make, offerExamples } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatRate, formatSpeed, formatTime } from '../format.js';
import { sampleCorpus, sampleQueries } from '../samples.js';
import { SearchIndex, type Hit, type Reading } from '../search_index.js';
import { Panel } from './panel.js';

const shownPassages = 5;
/** A passage below this part of the best one's score is shown as a weak one. */
const weakPart = 0.6;
/** Reading fewer sentences than this is over before a bar could be read. */
const fewSentences = 64;

interface Query {
  readonly text: string;
  readonly vector: Float32Array;
  readonly took: number;
}

export class SearchPanel extends Panel {
  #index: SearchIndex | null = null;
  #indexing: AbortController | null = null;
  #query: Query | null = null;
  /** The query whose time was told last, for the present text. */
  #told: Query | null = null;
  readonly #corpus = byId('search-corpus', HTMLTextAreaElement);
  readonly #field = byId('search-query', HTMLInputElement);
  readonly #results = byId('search-results', HTMLElement);
  readonly #reading = byId('search-reading', HTMLElement);
  readonly #bar = byId('search-progress', HTMLProgressElement);
  readonly #barText = byId('search-progress-text', HTMLElement);

  constructor() {
    super(byId('search-status', HTMLElement));
    this.#corpus.value = sampleCorpus;
    this.#field.value = sampleQueries[0] ?? '';
    offerExamples(byId('search-examples', HTMLElement), this.#field, sampleQueries);
    this.#corpus.addEventListener('input', () => this.#indexing?.abort());
    this.#corpus.addEventListener(
      'input',
      debounce(400, () => void this.run()),
    );
    this.#field.addEventListener(
      'input',
      debounce(60, () => void this.run(() => this.#search())),
    );
  }

  /** Reads the text, as far as it is new, and searches what was read so far. */
  protected override async update(running: Running): Promise<void> {
    this.#indexing?.abort();
    const { signal } = (this.#indexing = new AbortController());
    try {
      const known = this.#index;
      const index = await SearchIndex.cut(this.#corpus.value, running, known, signal);
      if (signal.aborted || running !== this.running) return;
      this.#index = index;
      this.#query = known?.model === running ? this.#query : null;
      this.#told = null;
      await this.#search();
      const reading = await index.read({
        signal,
        onProgress: (now) => this.#showReading(now),
        onMore: () => this.#showHits(),
      });
      this.#showRead(index, reading);
    } finally {
      if (this.#indexing?.signal === signal) byId('search-progress-row', HTMLElement).hidden = true;
    }
  }

  async #search(): Promise<void> {
    const { running } = this;
    const text = this.#field.value.trim();
    if (running === null) return;
    if (text === '') this.#query = null;
    else if (text !== this.#query?.text) {
      const start = performance.now();
      const vector = await running.embedder.embed(text, { kind: 'query', supersede: 'search' });
      countWork(running, 1, vector.tokens);
      this.#query = { text, vector, took: performance.now() - start };
    }
    this.#showHits();
  }

  #showHits(): void {
    const index = this.#index;
    const query = this.#query;
    if (index === null || index.model !== this.running) return;
    if (query === null) {
      this.#results.replaceChildren();
      return this.tell('Type a question, or take one of the examples.');
    }
    const start = performance.now();
    const hits = index.rank(query.vector, shownPassages);
    const took = formatTime(query.took + performance.now() - start);
    this.#results.replaceChildren(
      ...hits.map((hit) => showHit(index.text, hit, hits[0]?.score ?? 0)),
    );
    const passages = formatCount(index.passageCount, 'passage');
    if (index.sentenceCount === 0) this.tell('There is no text to search yet.');
    else if (hits.length === 0) this.tell(`Reading ${passages}…`);
    else if (this.#told !== query) {
      // Not told again while more of the text is read: that would be read out every time.
      this.#told = query;
      this.tell(`Best ${hits.length} of ${passages}, found in ${took}.`);
    }
  }

  #showReading({ done, total, tokens, took }: Reading): void {
    byId('search-progress-row', HTMLElement).hidden = total < fewSentences;
    if (total >= fewSentences) this.#reading.textContent = '';
    this.#bar.value = done / total;
    const speed = tokens > 0 ? `, ${formatSpeed(tokens, took)}` : '';
    const left =
      done > 0 && took > 0 ? `, about ${formatTime((took / done) * (total - done))} left` : '';
    const part = `${done.toLocaleString('en')} of ${formatCount(total, 'sentence')}`;
    this.#barText.textContent = `${part}${speed}${left}. What was read can be searched.`;
  }

  #showRead(index: SearchIndex, { total, tokens, took }: Reading): void {
    const known = formatCount(index.sentenceCount - total, 'sentence');
    const cut =
      index.truncated > 0
        ? ` ${formatCount(index.truncated, 'sentence')} too long for the model: cut.`
        : '';
    const rest = index.sentenceCount > total && total > 0 ? ` ${known} were known already.` : '';
    this.#reading.textContent =
      total === 0
        ? `${formatCount(index.sentenceCount, 'sentence')}, nothing new to read.`
        : `Read ${formatRate(formatCount(total, 'sentence'), tokens, took)}.${rest}${cut}`;
  }
}

function showHit(text: string, { passage, best, score }: Hit, topScore: number): HTMLElement {
  const item = make('li', score < weakPart * topScore ? 'weak' : '');
  const number = make('span', 'score', score.toFixed(2));
  number.title = 'cosine similarity of the marked sentence and the question';
  item.append(
    number,
    text.slice(passage.start, best.start),
    make('mark', '', text.slice(best.start, best.end)),
    text.slice(best.end, passage.end),
  );
  return item;
}
