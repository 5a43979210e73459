/** Semantic search: every sentence has a vector; a passage is as good as its best sentence. */

import { Embedder } from 'pocketbert';

import { byId, debounce, formatRate, make } from '../element.js';
import type { Running } from '../engine.js';
import { describe } from '../model_bar.js';
import { cutIntoPassages, type Passage, type Span } from '../segments.js';
import { sampleCorpus, sampleQuery } from '../samples.js';

interface Index {
  readonly text: string;
  readonly passages: readonly Passage[];
  /** All sentences of all passages, in order, and the passage that each is of. */
  readonly sentences: readonly Span[];
  readonly owners: readonly number[];
  readonly vectors: readonly Float32Array[];
  readonly summary: string;
}

interface Hit {
  readonly passage: Passage;
  readonly best: Span;
  readonly score: number;
}

const shownPassages = 5;

export class SearchPanel {
  #running: Running | null = null;
  #index: Index | null = null;
  #indexing: AbortController | null = null;
  readonly #corpus = byId('search-corpus', HTMLTextAreaElement);
  readonly #query = byId('search-query', HTMLInputElement);
  readonly #status = byId('search-status', HTMLElement);
  readonly #results = byId('search-results', HTMLElement);

  constructor() {
    this.#corpus.value = sampleCorpus;
    this.#query.value = sampleQuery;
    this.#corpus.addEventListener('input', debounce(400, () => void this.#reindex()));
    this.#query.addEventListener('input', debounce(60, () => void this.#search()));
  }

  use(running: Running): void {
    this.#running = running;
    void this.#reindex();
  }

  async #reindex(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#indexing?.abort();
    const indexing = new AbortController();
    this.#indexing = indexing;
    const text = this.#corpus.value;
    const passages = cutIntoPassages(text);
    const sentences = passages.flatMap((passage) => passage.sentences);
    const owners = passages.flatMap((passage, index) => passage.sentences.map(() => index));
    if (sentences.length === 0) {
      this.#index = null;
      this.#status.textContent = 'Paste some text to search in.';
      this.#results.replaceChildren();
      return;
    }
    try {
      const start = performance.now();
      const vectors = await running.embedder.embed(
        sentences.map((span) => text.slice(span.start, span.end)),
        {
          kind: 'document',
          signal: indexing.signal,
          onProgress: ({ done, total }) => {
            this.#status.textContent = `Reading sentence ${done} of ${total}…`;
          },
        },
      );
      const tokens = vectors.tokens.reduce((sum, count) => sum + count, 0);
      const summary = `Read ${formatRate(sentences.length, tokens, performance.now() - start)}.`;
      this.#index = { text, passages, sentences, owners, vectors: [...vectors], summary };
      await this.#search();
    } catch (error) {
      if (!indexing.signal.aborted) this.#status.textContent = describe(error);
    }
  }

  async #search(): Promise<void> {
    const running = this.#running;
    const index = this.#index;
    const query = this.#query.value.trim();
    if (running === null || index === null) return;
    if (query === '') {
      this.#status.textContent = index.summary;
      this.#results.replaceChildren();
      return;
    }
    try {
      const start = performance.now();
      const vector = await running.embedder.embed(query, { kind: 'query', supersede: 'search' });
      const hits = rank(index, vector);
      const took = (performance.now() - start).toFixed(1);
      this.#status.textContent = `${index.summary} Searched in ${took} ms.`;
      this.#show(index, hits);
    } catch (error) {
      const superseded = error instanceof Error && 'code' in error && error.code === 'superseded';
      if (!superseded) this.#status.textContent = describe(error);
    }
  }

  #show(index: Index, hits: readonly Hit[]): void {
    this.#results.replaceChildren(
      ...hits.map(({ passage, best, score }) => {
        const item = make('li');
        const { text } = index;
        item.append(
          make('span', 'score', score.toFixed(3)),
          text.slice(passage.start, best.start),
          make('mark', '', text.slice(best.start, best.end)),
          text.slice(best.end, passage.end),
        );
        return item;
      }),
    );
  }
}

/** The best passages, each with its best sentence. */
function rank(index: Index, query: Float32Array): Hit[] {
  const best = new Map<number, { sentence: number; score: number }>();
  index.vectors.forEach((vector, sentence) => {
    const owner = index.owners[sentence];
    if (owner === undefined) return;
    const score = Embedder.similarity(query, vector);
    const known = best.get(owner);
    if (known === undefined || score > known.score) best.set(owner, { sentence, score });
  });
  return [...best]
    .sort(([, a], [, b]) => b.score - a.score)
    .slice(0, shownPassages)
    .flatMap(([owner, { sentence, score }]) => {
      const passage = index.passages[owner];
      const span = index.sentences[sentence];
      return passage === undefined || span === undefined ? [] : [{ passage, best: span, score }];
    });
}
