/**
 * An engine that only keeps books: it takes what the loader brings and answers in steps, so that the
 * order of calls, aborts and traps can be tested without waiting for arithmetic. A text's vector is
 * `[length of the text, number of the step]`.
 */

import type {
  ByteBuffer,
  EmbedResult,
  Engine,
  EngineImporter,
  EngineModel,
  EngineRun,
  EngineTokenizer,
  LoadEngine,
  ModelInfo,
  PackedBatch,
  PackedTexts,
  TokenizerInfo,
} from '../../../web/src/core/types.js';
import { PocketBertError } from '../../../web/src/errors.js';

/** What happened in all engines of one factory, in order. */
export interface Books {
  readonly log: string[];
  /** Engines that were loaded and not destroyed. */
  alive: number;
  loads: number;
  /** Bytes that importers and buffers received, by file. */
  readonly received: Map<string, Uint8Array>;
}

export interface FakeSettings {
  /** Called before each step of `embed` with its first text. */
  readonly onStep?: (text: string) => void;
  /** Texts in one step. */
  readonly textsPerStep?: number;
  /** Called when an engine is loaded; may wait. */
  readonly onLoad?: (load: number) => Promise<void> | void;
}

const tokenizerInfo: TokenizerInfo = {
  vocabularySize: 3,
  idLimit: 3,
  specialTokens: {},
  differences: [],
};

/** Bytes of the texts, which have no pairs. */
function lengthsOf({ ends }: PackedTexts): number[] {
  const at = Array.from(ends).filter((_, i) => i % 2 === 0);
  return at.map((end, i) => end - (at[i - 1] ?? 0));
}

class FakeTokenizer implements EngineTokenizer {
  info(): TokenizerInfo {
    return tokenizerInfo;
  }
  encode(texts: PackedTexts): PackedBatch {
    const lengths = lengthsOf(texts);
    const count = lengths.length;
    const items = lengths.map((_, i) => i);
    const none = items.map(() => 0);
    const ids = lengths.map((length) => length % 3);
    const offsets = lengths.flatMap((length) => [0, length]);
    const marks = items.map(() => 5);
    return Int32Array.of(count, ...items, ...none, ...items, count, ...ids, ...none, ...marks, ...offsets);
  }
  countTokens(texts: PackedTexts): Uint32Array {
    return Uint32Array.from(lengthsOf(texts));
  }
  decode(ids: ArrayLike<number>): string {
    return Array.from(ids).join(' ');
  }
  idsToTokens(ids: ArrayLike<number>): string[] {
    return Array.from(ids, (id) => `token ${id}`);
  }
  tokenToId(): undefined {
    return undefined;
  }
  destroy(): void {}
}

class FakeModel implements EngineModel {
  readonly tokenizer = new FakeTokenizer();
  readonly #engine: FakeEngine;
  readonly #source: string;

  constructor(engine: FakeEngine, source: string) {
    this.#engine = engine;
    this.#source = source;
  }

  info(): ModelInfo {
    return {
      source: this.#source,
      modelType: 'fake',
      architectures: ['FakeModel'],
      tasks: ['embed'],
      heads: [],
      tags: [],
      dimensions: 2,
      pooling: ['mean'],
      normalize: false,
      prompts: {},
      similarity: '',
      maxLength: 8,
      positions: 8,
      layers: 1,
      hiddenSize: 2,
      precision: 'int8',
      weightBytes: 1,
      scratchBytes: 1,
      tokenizer: tokenizerInfo,
    };
  }

  embed(texts: readonly string[]): EmbedResult {
    const run = this.startEmbed(texts);
    while (run.step() < run.total) continue;
    return run.finish();
  }

  startEmbed(texts: readonly string[]): EngineRun<EmbedResult> {
    this.#engine.check();
    const { books, settings } = this.#engine;
    const data = new Float32Array(texts.length * 2);
    let done = 0;
    let open = true;
    return {
      total: texts.length,
      step: () => {
        this.#engine.check();
        const text = texts[done] ?? '';
        books.log.push(`step ${text}`);
        this.#engine.guard(() => settings.onStep?.(text));
        for (let i = 0; i < (settings.textsPerStep ?? 1) && done < texts.length; i++, done++) {
          data[2 * done] = (texts[done] ?? '').length;
          data[2 * done + 1] = books.log.length;
        }
        return done;
      },
      finish: () => ({
        data,
        count: texts.length,
        dimensions: 2,
        tokens: Uint32Array.from(texts, (text) => text.length),
        truncated: new Uint8Array(texts.length),
      }),
      destroy: () => {
        if (open && done < texts.length) books.log.push(`dropped ${texts[0]}`);
        open = false;
      },
    };
  }

  classify(): never {
    throw new PocketBertError('unsupported', 'the fake engine does not classify');
  }
  startClassify(): never {
    return this.classify();
  }
  startZeroShot(): never {
    return this.classify();
  }
  startEmbedParts(): never {
    throw new PocketBertError('unsupported', 'the fake engine does not embed parts');
  }
  startTag(): never {
    throw new PocketBertError('unsupported', 'the fake engine does not tag');
  }
  startAnswer(): never {
    throw new PocketBertError('unsupported', 'the fake engine does not answer');
  }
  startFillMask(): never {
    throw new PocketBertError('unsupported', 'the fake engine does not fill masks');
  }
  destroy(): void {}
}

class FakeImporter implements EngineImporter {
  readonly #engine: FakeEngine;
  readonly #sizes = new Map<string, number>();

  constructor(engine: FakeEngine) {
    this.#engine = engine;
  }

  addHeader(file: string, bytes: Uint8Array, fileSize = 0): number {
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    if (bytes.length < 8 + length) return 8 + length;
    this.#sizes.set(file, fileSize);
    this.#engine.books.received.set(file, new Uint8Array(fileSize));
    return 0;
  }
  write(file: string, offset: number, chunk: Uint8Array): void {
    this.#engine.check();
    const whole = this.#engine.books.received.get(file);
    if (whole === undefined)
      throw new PocketBertError('invalid_argument', `${file} has no header yet`);
    whole.set(chunk, offset);
  }
  finish(): ByteBuffer {
    return this.#engine.allocate(1);
  }
  describe(): never {
    throw new PocketBertError('unsupported', 'the fake engine describes nothing');
  }
  destroy(): void {}
}

class FakeEngine implements Engine {
  readonly variant = 'simd';
  readonly threads = 1;
  readonly reasons = ['it is a fake'];
  readonly maxBatchTokens = 8;
  readonly books: Books;
  readonly settings: FakeSettings;
  alive = true;

  constructor(books: Books, settings: FakeSettings) {
    this.books = books;
    this.settings = settings;
  }

  check(): void {
    if (!this.alive) throw new PocketBertError('trap', 'the fake engine is dead');
  }
  /** What is thrown in here that is not ours is a trap. */
  guard(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      if (thrown instanceof PocketBertError) throw thrown;
      this.alive = false;
      throw new PocketBertError('trap', `the fake engine trapped: ${String(thrown)}`, {
        cause: thrown,
      });
    }
  }
  allocate(byteLength: number): ByteBuffer {
    const bytes = new Uint8Array(byteLength);
    this.books.received.set('one file', bytes);
    return { byteLength, bytes: () => bytes, free() {} };
  }
  openModel(_file: ByteBuffer | Uint8Array, options: { source?: string } = {}): EngineModel {
    this.books.log.push('open');
    return new FakeModel(this, options.source ?? '');
  }
  createImporter(texts: Readonly<Record<string, string>>): Promise<EngineImporter> {
    this.books.log.push(`import ${Object.keys(texts).sort().join(' ')}`);
    return Promise.resolve(new FakeImporter(this));
  }
  openTokenizer(): Promise<EngineTokenizer> {
    return Promise.resolve(new FakeTokenizer());
  }
  warmUp(): void {
    this.books.log.push('warm up');
  }
  memory(): { wasmBytes: number; usedBytes: number } {
    return { wasmBytes: 64, usedBytes: 32 };
  }
  destroy(): void {
    if (this.books.alive > 0) this.books.alive -= 1;
    this.alive = false;
  }
}

/** A `loadEngine` and the books that it keeps. */
export function fakeEngines(settings: FakeSettings = {}): { books: Books; loadEngine: LoadEngine } {
  const books: Books = { log: [], alive: 0, loads: 0, received: new Map() };
  return {
    books,
    async loadEngine() {
      books.loads += 1;
      await settings.onLoad?.(books.loads);
      books.alive += 1;
      return new FakeEngine(books, settings);
    },
  };
}
