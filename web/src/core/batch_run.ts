/** A long call in steps: texts go into the module in blocks, results come back batch by batch. */

import { PocketBertError } from '../errors.js';
import type { Handle, Instance } from './instance.js';
import { packTexts, writeTexts } from './texts.js';
import type { EngineRun, TextItem } from './types.js';

/** What every task tells of each text of a batch. */
export interface RawBatch {
  tokens: Uint32Array;
  /** Share of the text after them that is done, below 1; of one that takes several batches. */
  begun?: number;
}

/** What differs between tasks. */
export interface Task<Batch extends RawBatch, Result> {
  /** Computes one batch of the block `texts` from `first` on; `firstNumber` is that text's number in
   *  the list. A batch of no text is a part of a long one. */
  compute(texts: number, first: number, firstNumber: number): Batch;
  /** The whole result of a list of `total` items, still empty; `batch` tells the sizes. */
  begin(total: number, batch: Batch): Result;
  /** Puts the batch's results at item `at`. */
  put(result: Result, at: number, batch: Batch): void;
}

/** Most of a list that is inside the module at once. */
const kBlockItems = 1024;
const kBlockUnits = 1 << 18;

export class BatchRun<Batch extends RawBatch, Result> implements EngineRun<Result> {
  readonly #instance: Instance;
  readonly #items: readonly TextItem[];
  readonly #task: Task<Batch, Result>;
  #result: Result | undefined;
  #block: { texts: Handle; begin: number; end: number } | undefined;
  #done = 0;
  #ended = false;

  constructor(instance: Instance, items: readonly TextItem[], task: Task<Batch, Result>) {
    this.#instance = instance;
    this.#items = items;
    this.#task = task;
  }

  get total(): number {
    return this.#items.length;
  }

  step(): number {
    this.#checkOpen();
    if (this.#result !== undefined && this.#done === this.total) return this.#done;
    try {
      const block = this.#blockAt(this.#done);
      const batch = this.#task.compute(block.texts.raw, this.#done - block.begin, this.#done);
      this.#result ??= this.#task.begin(this.total, batch);
      this.#task.put(this.#result, this.#done, batch);
      this.#done += batch.tokens.length;
      if (this.#done === block.end) this.#freeBlock();
      return this.#done + (batch.begun ?? 0);
    } catch (error) {
      this.destroy();
      // What the tokenizer calls so is `maxLength` in the options of all tasks.
      if (error instanceof PocketBertError)
        error.message = error.message.replace(/^(text \d+: )?truncation\.max_length/, '$1maxLength');
      throw error;
    }
  }

  finish(): Result {
    this.#checkOpen();
    // An empty list has one step too: it checks the options and tells the sizes.
    if (this.total === 0) this.step();
    if (this.#result === undefined || this.#done < this.total) {
      throw new PocketBertError(
        'invalid_argument',
        `finish() after ${String(this.#done)} of ${String(this.total)} texts`,
      );
    }
    const result = this.#result;
    this.destroy();
    return result;
  }

  destroy(): void {
    this.#ended = true;
    this.#result = undefined;
    this.#freeBlock();
  }

  /** All steps at once. */
  complete(): Result {
    try {
      while (this.step() < this.total);
      return this.finish();
    } finally {
      this.destroy();
    }
  }

  #checkOpen(): void {
    if (this.#ended) throw new PocketBertError('destroyed', 'this run has ended');
  }

  /** The block that holds item `number`, which is its first if it has to be made. */
  #blockAt(number: number) {
    if (this.#block !== undefined) return this.#block;
    let end = number;
    let units = 0;
    while (end < this.total && end - number < kBlockItems && units < kBlockUnits) {
      const item = this.#items[end++];
      units += (item?.text.length ?? 0) + (item?.pair?.length ?? 0);
    }
    const texts = writeTexts(this.#instance, packTexts(this.#items.slice(number, end)));
    this.#block = { texts, begin: number, end };
    return this.#block;
  }

  #freeBlock(): void {
    this.#block?.texts.free();
    this.#block = undefined;
  }
}
