/**
 * The host's queue: jobs in steps, interactive ones first. Between two steps the event loop gets a
 * turn, so that a cancellation or a more urgent call is seen.
 */

/** Work in steps; the shape of the engine's own runs. */
export interface Job<Result> {
  /** Units of work in all. */
  readonly total: number;
  /** Does the next part; tells how many units are done. */
  step(): number | Promise<number>;
  /** The result, once all units are done. */
  finish(): Result;
  /** Abandons the work; again, or after `finish`, is harmless. */
  destroy(): void;
}

export type Priority = 'interactive' | 'batch';

/** Work that has one step. */
export function once<Result>(work: () => Result | Promise<Result>): Job<Result> {
  let outcome: { readonly value: Result } | undefined;
  const keep = (value: Result): number => {
    outcome = { value };
    return 1;
  };
  return {
    total: 1,
    step() {
      const value = work();
      return value instanceof Promise ? value.then(keep) : keep(value);
    },
    finish() {
      if (outcome === undefined) throw new Error('a job was finished before its step');
      return outcome.value;
    },
    destroy() {},
  };
}

/** What the queue knows of a job. */
export interface Ticket {
  readonly id: number;
  readonly priority: Priority;
  /** Begins the work; called when it is its turn for the first time. */
  start(): Job<unknown>;
  done(value: unknown): void;
  /** Returns true if nothing can run any more. */
  failed(thrown: unknown): boolean;
  progress(done: number, total: number): void;
}

interface Entry {
  readonly ticket: Ticket;
  job: Job<unknown> | undefined;
}

export class JobQueue {
  readonly #entries: Entry[] = [];
  readonly #turn: () => Promise<void>;
  #running = false;
  #halted = false;

  /** @param turn resolves after the event loop had a turn */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn;
  }

  add(ticket: Ticket): void {
    if (this.#halted) return;
    this.#entries.push({ ticket, job: undefined });
    if (!this.#running) void this.#drain();
  }

  /** Forgets the job; one that is in the middle of a step ends after it. */
  cancel(id: number): void {
    const index = this.#entries.findIndex((entry) => entry.ticket.id === id);
    if (index >= 0) this.#entries.splice(index, 1)[0]?.job?.destroy();
  }

  /** Drops everything, without a word to the tickets. */
  halt(): void {
    this.#halted = true;
    this.#entries.length = 0;
  }

  async #drain(): Promise<void> {
    this.#running = true;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (await this.#advance(entry)) await this.#turn();
    }
    this.#running = false;
  }

  #next(): Entry | undefined {
    return (
      this.#entries.find((entry) => entry.ticket.priority === 'interactive') ?? this.#entries[0]
    );
  }

  /** One step; true if the event loop should have a turn before the next one. */
  async #advance(entry: Entry): Promise<boolean> {
    const { ticket } = entry;
    try {
      const job = (entry.job ??= ticket.start());
      let done = job.total;
      if (job.total > 0) {
        const step = job.step();
        done = typeof step === 'number' ? step : await step;
      }
      if (!this.#entries.includes(entry)) return false;
      if (done < job.total) {
        ticket.progress(done, job.total);
        return true;
      }
      const value = job.finish();
      this.#remove(entry);
      ticket.done(value);
    } catch (thrown) {
      if (!this.#entries.includes(entry)) return false;
      this.#remove(entry);
      if (ticket.failed(thrown)) this.halt();
    }
    return this.#entries.length > 0;
  }

  #remove(entry: Entry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1);
    entry.job?.destroy();
  }
}

/** A turn of the event loop that no timer clamps. */
export function createTurn(): { turn(): Promise<void>; close(): void } {
  if (typeof setImmediate === 'function') {
    return { turn: () => new Promise((resolve) => setImmediate(resolve)), close() {} };
  }
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return {
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        port2.postMessage(0);
      }),
    close: () => port1.close(),
  };
}
