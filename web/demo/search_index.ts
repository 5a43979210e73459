/** A text's sentences with their vectors, which may still be on their way. */

import { Embedder } from 'pocketbert';

import { countWork, type Running } from './engine.js';
import { cutIntoPassages, type Passage, type Span } from './segments.js';

export interface Hit {
  readonly passage: Passage;
  readonly best: Span;
  /** Cosine similarity of the best sentence. */
  readonly score: number;
}

/** How far reading is. */
export interface Reading {
  readonly done: number;
  readonly total: number;
  /** Of the sentences read so far, and the milliseconds that they took. */
  readonly tokens: number;
  readonly took: number;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (reading: Reading) => void;
  /** Called when more sentences can be found. */
  readonly onMore: () => void;
}

/** Sentences that are read before what was read can be searched. */
const chunkLength = 128;

/** All places of one sentence, and its vector as soon as it was read. */
interface Entry {
  readonly places: { readonly passage: Passage; readonly span: Span }[];
  vector: Float32Array | undefined;
}

export class SearchIndex {
  readonly text: string;
  readonly model: Running;
  readonly passageCount: number;
  readonly sentenceCount: number;
  /** Sentences that the model cut because they were too long for it. */
  truncated = 0;
  readonly #entries = new Map<string, Entry>();

  private constructor(text: string, passages: readonly Passage[], model: Running) {
    this.text = text;
    this.model = model;
    this.passageCount = passages.length;
    this.sentenceCount = passages.reduce((sum, { sentences }) => sum + sentences.length, 0);
    for (const passage of passages) {
      for (const span of passage.sentences) {
        const sentence = text.slice(span.start, span.end);
        const entry = this.#entries.get(sentence) ?? { places: [], vector: undefined };
        entry.places.push({ passage, span });
        this.#entries.set(sentence, entry);
      }
    }
  }

  /**
   * Cuts `text`. Vectors of sentences that `known` has are taken over: the same text has the same
   * vector, whatever stands around it.
   */
  static async cut(
    text: string,
    model: Running,
    known: SearchIndex | null,
    signal: AbortSignal,
  ): Promise<SearchIndex> {
    const index = new SearchIndex(text, await cutIntoPassages(text, signal), model);
    if (known?.model !== model) return index;
    for (const [sentence, entry] of index.#entries) {
      entry.vector = known.#entries.get(sentence)?.vector;
    }
    return index;
  }

  /** Sentences without a vector. */
  get unread(): string[] {
    return [...this.#entries].flatMap(([sentence, { vector }]) =>
      vector === undefined ? [sentence] : [],
    );
  }

  /** Reads all that is unread, in the order of the text. */
  async read({ signal, onProgress, onMore }: ReadOptions): Promise<Reading> {
    const unread = this.unread;
    const total = unread.length;
    const start = performance.now();
    let reading: Reading = { done: 0, total, tokens: 0, took: 0 };
    for (let from = 0; from < total; from += chunkLength) {
      const chunk = unread.slice(from, from + chunkLength);
      const vectors = await this.model.embedder.embed(chunk, {
        kind: 'document',
        signal,
        onProgress: ({ done }) => onProgress({ ...reading, done: from + done }),
      });
      chunk.forEach((sentence, row) => this.#keep(sentence, vectors.at(row)));
      this.truncated += vectors.truncated.filter((cut) => cut).length;
      const tokens = vectors.tokens.reduce((sum, count) => sum + count, 0);
      countWork(this.model, chunk.length, tokens);
      const took = performance.now() - start;
      reading = { done: from + chunk.length, total, tokens: reading.tokens + tokens, took };
      onProgress(reading);
      onMore();
    }
    return reading;
  }

  #keep(sentence: string, vector: Float32Array): void {
    const entry = this.#entries.get(sentence);
    if (entry !== undefined) entry.vector = vector;
  }

  /** The best `count` passages among those that were read, each with its best sentence. */
  rank(query: Float32Array, count: number): Hit[] {
    const best = new Map<Passage, Hit>();
    for (const { vector, places } of this.#entries.values()) {
      if (vector === undefined) continue;
      const score = Embedder.similarity(query, vector);
      for (const { passage, span } of places) {
        if (score > (best.get(passage)?.score ?? -2))
          best.set(passage, { passage, best: span, score });
      }
    }
    const hits = [...best.values()].sort((a, b) => b.score - a.score);
    return this.#distinct(hits, count);
  }

  /** The first `count` whose passages have different texts. */
  #distinct(hits: readonly Hit[], count: number): Hit[] {
    const seen = new Set<string>();
    const kept: Hit[] = [];
    for (const hit of hits) {
      const text = this.text.slice(hit.passage.start, hit.passage.end);
      if (!seen.has(text)) kept.push(hit);
      seen.add(text);
      if (kept.length === count) break;
    }
    return kept;
  }
}
