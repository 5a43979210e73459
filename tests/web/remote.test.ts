/** Both sides of the protocol over a channel that copies and moves like a worker's. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unpackBatch } from '../../web/src/core/encoded_batch.js';
import { PocketBertError } from '../../web/src/errors.js';
import { HostLost, Remote } from '../../web/src/worker/client.js';
import type { OpenPort } from '../../web/src/worker/ports.js';
import { buffersOf } from '../../web/src/worker/protocol.js';
import { createLinger, createServer } from '../../web/src/worker/server.js';
import { partsOf } from '../../web/src/worker/slices.js';
import { failure } from './support/errors.js';
import { fakeEngines, type FakeSettings } from './support/fake_engine.js';

/** A channel that clones each message and empties what is handed over. */
function channel(settings: FakeSettings = {}): {
  openPort: OpenPort;
  closed: () => number;
  breakDown: () => void;
} {
  const { books, loadEngine } = fakeEngines(settings);
  let closed = 0;
  let breakDown = (): void => {};
  const openPort: OpenPort = (events) => {
    breakDown = () => events.failed(new PocketBertError('trap', 'the worker is gone'));
    const server = createServer(loadEngine, (message) => {
      const transfer = message.type === 'done' ? buffersOf(message.value) : [];
      const copy = structuredClone(message, { transfer });
      queueMicrotask(() => events.receive(copy));
    });
    return {
      send(message, transfer) {
        const copy = structuredClone(message, { transfer });
        queueMicrotask(() => server.receive(copy));
      },
      close() {
        closed += 1;
        server.close();
        assert.equal(books.alive, 0);
      },
    };
  };
  return { openPort, closed: () => closed, breakDown: () => breakDown() };
}

async function loaded(openPort: OpenPort): Promise<Remote> {
  const remote = new Remote(openPort);
  await remote.call('start', { options: {} });
  await remote.call('beginFile', { byteLength: 4 });
  await remote.call('openFile', { source: 'x' });
  return remote;
}

describe('remote', () => {
  test('a host reports as soon as it starts: from then on its silence tells', async () => {
    const { openPort } = channel();
    const heard: string[] = [];
    const remote = new Remote(openPort);
    await remote
      .call('start', { options: {} }, { onProgress: (done) => heard.push(String(done)) })
      .then(() => heard.push('started'));
    assert.deepEqual([heard[0], heard.at(-1)], ['0', 'started']);
    remote.close(new PocketBertError('destroyed', 'the end'));
  });

  test('arguments and results cross; memory is handed over, not copied', async () => {
    const { openPort } = channel();
    const remote = await loaded(openPort);
    const bytes = Uint8Array.of(1, 2, 3, 4);
    await remote.call('beginFile', { byteLength: 4 });
    await remote.call('writeFile', { offset: 0, bytes }, { transfer: [bytes.buffer] });
    assert.equal(bytes.byteLength, 0);
    const { data } = await remote.call('embed', { texts: ['abc', '\ud800'], options: {} });
    assert.deepEqual([data[0], data[2]], [3, 1]);
    const [batch] = await remote.call('encode', { parts: partsOf([{ text: 'ab' }]), options: {} });
    assert.deepEqual(unpackBatch(batch ?? new Int32Array()).ids, Int32Array.of(2));
  });

  test('errors cross with code, message, hint, cause and both stacks', async () => {
    const { openPort } = channel({
      onStep: () => {
        throw new PocketBertError('format', 'it is broken', {
          hint: 'mend it',
          cause: new Error('deep down'),
        });
      },
    });
    const remote = await loaded(openPort);
    await assert.rejects(remote.call('embed', { texts: ['a'], options: {} }), (thrown) => {
      failure('format', /it is broken/)(thrown);
      assert.ok(thrown instanceof PocketBertError && thrown.cause instanceof Error);
      assert.equal(thrown.hint, 'mend it');
      assert.equal(thrown.cause.message, 'deep down');
      assert.match(thrown.stack ?? '', /^PocketBertError: it is broken\n.*remote\.test/s);
      return true;
    });
  });

  test('what can not be sent is refused without harm', async () => {
    const { openPort } = channel();
    const remote = await loaded(openPort);
    const texts = [(() => 'a function') as unknown as string];
    await assert.rejects(
      remote.call('embed', { texts, options: {} }),
      failure('invalid_argument', /can not be sent/),
    );
    await remote.call('embed', { texts: ['a'], options: {} });
  });

  test('what a listener throws is that call\'s error, and ends nothing else', async () => {
    const { openPort, closed } = channel();
    const remote = await loaded(openPort);
    const fault = new RangeError('the listener is broken');
    const other = remote.call('embed', { texts: ['x', 'y'], options: {} });
    const onProgress = (): never => {
      throw fault;
    };
    const call = remote.call('embed', { texts: ['a', 'b', 'c'], options: {} }, { onProgress });
    await assert.rejects(call, (thrown) => thrown === fault);
    await other;
    await remote.call('embed', { texts: ['a'], options: {} });
    assert.equal(closed(), 0);
  });

  test('a worker that dies: every open call is told, and the port is closed once', async () => {
    const { openPort, closed, breakDown } = channel();
    const remote = await loaded(openPort);
    const calls = [remote.call('memory', {}), remote.call('embed', { texts: ['a'], options: {} })];
    breakDown();
    breakDown();
    for (const call of calls) await assert.rejects(call, failure('trap', /the worker is gone/));
    await assert.rejects(remote.call('memory', {}), HostLost);
    assert.equal(closed(), 1);
    assert.equal(remote.alive, false);
  });

  test('the buffers of a result are found once each, and only whole ones', () => {
    const whole = new Float32Array(4);
    const part = new Uint8Array(new ArrayBuffer(8), 2, 3);
    assert.deepEqual(buffersOf({ a: whole, b: [{ c: whole }], d: part, e: 'text', f: null }), [
      whole.buffer,
    ]);
  });
});

test('a worker stays awake for a moment after an answer, in one loop, and then rests', async () => {
  let turns = 0;
  let atOnce = 0;
  let most = 0;
  const linger = createLinger(async () => {
    turns++;
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce--;
  });
  const begin = performance.now();
  await Promise.all([linger(), linger(), linger()]);
  assert.ok(performance.now() - begin >= 1);
  assert.ok(turns >= 1);
  assert.equal(most, 1);
  const before = turns;
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(turns, before);
  await linger();
  assert.ok(turns > before);
});
