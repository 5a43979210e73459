/** Starting an engine through workers that fall silent. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { PocketBertError } from '../../web/src/errors.js';
import type { OpenPort, PortEvents } from '../../web/src/worker/ports.js';
import { startEngine } from '../../web/src/worker/start_engine.js';

const kFacts = { variant: 'relaxed-mt', threads: 2, reasons: [], maxBatchTokens: 512 } as const;
const kSecond = 1000;

/** A worker in its start: what it sends is up to the test. */
interface Worker {
  id: number;
  closed: boolean;
  beat(): void;
  answer(): void;
  fail(): void;
}

function workers(): { openPort: OpenPort; opened: Worker[] } {
  const opened: Worker[] = [];
  const open = (events: PortEvents): Worker => {
    const worker: Worker = {
      id: 0,
      closed: false,
      beat: () => events.receive({ type: 'progress', id: worker.id, done: 0, total: 1 }),
      answer: () => events.receive({ type: 'done', id: worker.id, value: kFacts }),
      fail: () => events.failed(new PocketBertError('trap', 'the worker failed')),
    };
    opened.push(worker);
    return worker;
  };
  const openPort: OpenPort = (events) => {
    const worker = open(events);
    return {
      send(message) {
        if (message.type === 'call') worker.id = message.id;
      },
      close() {
        worker.closed = true;
      },
    };
  };
  return { openPort, opened };
}

function started(signal = new AbortController().signal) {
  const { openPort, opened } = workers();
  const engine = startEngine(openPort, { options: {} }, signal);
  engine.catch(() => {});
  const worker = (k: number): Worker => opened[k] ?? assert.fail(`no worker ${String(k)}`);
  return { engine, opened, worker };
}

/** Passes the time; what is waiting to run then has run. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('an engine that starts', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  test('a worker that was heard and fell silent is closed and replaced', async () => {
    const { engine, opened, worker } = started();
    worker(0).beat();
    await pass(60 * kSecond);
    assert.equal(opened.length, 2);
    assert.equal(worker(0).closed, true);
    worker(1).beat();
    worker(1).answer();
    const { facts, replaced } = await engine;
    assert.deepEqual(facts, kFacts);
    assert.equal(replaced, 1);
    await pass(60 * kSecond);
    assert.equal(worker(1).closed, false);
  });

  test('one that goes on reporting is waited for', async () => {
    const { engine, opened, worker } = started();
    for (let k = 0; k < 60; k += 1) {
      worker(0).beat();
      await pass(2 * kSecond);
    }
    worker(0).answer();
    assert.equal((await engine).replaced, 0);
    assert.equal(opened.length, 1);
  });

  test('one that was not heard yet is waited for: its script may be slow to come', async () => {
    const { engine, opened, worker } = started();
    await pass(600 * kSecond);
    assert.equal(opened.length, 1);
    worker(0).answer();
    assert.equal((await engine).replaced, 0);
  });

  test('the third is waited for', async () => {
    const { engine, opened, worker } = started();
    for (let k = 0; k < 3; k += 1) {
      worker(k).beat();
      await pass(60 * kSecond);
    }
    assert.equal(opened.length, 3);
    assert.deepEqual(
      opened.map(({ closed }) => closed),
      [true, true, false],
    );
    worker(2).answer();
    assert.equal((await engine).replaced, 2);
  });

  test('a failure is no silence', async () => {
    const { engine, opened, worker } = started();
    worker(0).beat();
    worker(0).fail();
    await assert.rejects(engine, { code: 'trap', message: 'the worker failed' });
    await pass(60 * kSecond);
    assert.equal(opened.length, 1);
  });

  test('an abort ends the one that is starting', async () => {
    const control = new AbortController();
    const { engine, opened, worker } = started(control.signal);
    worker(0).beat();
    await pass(60 * kSecond);
    control.abort(new Error('no longer'));
    await assert.rejects(engine);
    assert.deepEqual(
      opened.map(({ closed }) => closed),
      [true, true],
    );
  });
});
