/** Loading and calling: progress, aborts, order, traps, sharing, and that nothing is left behind. */

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { PocketBertError } from '../../web/src/errors.js';
import { ProgressMeter } from '../../web/src/models/progress.js';
import { Session, type SessionOptions } from '../../web/src/models/session.js';
import type { Progress } from '../../web/src/types.js';
import { failure } from './support/errors.js';
import { fakeEngines, type FakeSettings } from './support/fake_engine.js';
import { folder, oneFile } from './support/model_files.js';
import { serve, type FileServer } from './support/server.js';

type Options = Partial<Omit<SessionOptions, 'loadEngine'>>;

async function open(settings: FakeSettings = {}, options: Options = {}) {
  const { books, loadEngine } = fakeEngines(settings);
  const session = await Session.open({
    tokenizerOnly: false,
    model: folder(),
    ...options,
    loadEngine,
  });
  session.retain();
  books.log.length = 0;
  const embed = (texts: string[], call: Parameters<Session['call']>[2] = {}) =>
    session.call(
      'embed',
      { texts, options: {} },
      { priority: texts.length > 1 ? 'batch' : 'interactive', ...call },
    );
  return { books, session, embed };
}

function assertRising(seen: readonly Progress[]): void {
  assert.ok(seen.length > 0);
  for (const [i, { fraction, loaded, total }] of seen.entries()) {
    assert.ok(fraction >= 0 && fraction <= 1 && loaded <= total, JSON.stringify(seen[i]));
    const last = seen[i - 1];
    assert.ok(
      last === undefined || (fraction >= last.fraction && loaded >= last.loaded),
      `${i}: it fell`,
    );
  }
  assert.equal(seen.at(-1)?.fraction, 1);
  assert.equal(seen.at(-1)?.phase, 'ready');
}

describe('progress', () => {
  test('one rising fraction over all files', async () => {
    const seen: Progress[] = [];
    await open({}, { model: folder(9_000_000), onProgress: (progress) => seen.push(progress) });
    assertRising(seen);
    const phases = new Set(seen.map(({ phase }) => phase));
    assert.deepEqual([...phases].sort(), ['download', 'engine', 'prepare', 'ready']);
    const half = seen.filter(({ fraction }) => fraction > 0.3 && fraction < 0.7);
    assert.ok(half.length > 0, 'nothing was told in the middle of the weights');
    assert.ok(seen.some(({ file }) => file.endsWith('model.safetensors')));
  });

  test('a small file that comes first does not count as the whole', async () => {
    const seen: Progress[] = [];
    await open(
      { onLoad: () => wait(30) },
      { model: folder(9_000_000), onProgress: (progress) => seen.push(progress) },
    );
    const texts = seen.filter(({ file }) => file.endsWith('.json'));
    assert.ok(texts.length > 0 && texts.every(({ fraction }) => fraction < 0.1));
  });

  test('whatever the order of events', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('engine' as const) }),
      fc.record({
        kind: fc.constant('add' as const),
        file: fc.constantFrom('a', 'b'),
        total: fc.nat(1000),
      }),
      fc.record({
        kind: fc.constant('read' as const),
        file: fc.constantFrom('a', 'b'),
        loaded: fc.nat(1000),
      }),
      fc.record({ kind: fc.constant('known' as const) }),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const seen: Progress[] = [];
        const meter = new ProgressMeter((progress) => seen.push(progress));
        for (const one of events) {
          if (one.kind === 'engine') meter.engineReady();
          else if (one.kind === 'add') meter.add(one.file, one.total);
          else if (one.kind === 'read') meter.read(one.file, one.loaded);
          else meter.allKnown();
        }
        meter.prepare();
        meter.ready();
        assertRising(seen);
      }),
    );
  });

  for (const phase of ['engine', 'download', 'prepare', 'ready']) {
    test(`what the listener throws at ${phase} ends the load, itself`, async () => {
      const fault = new RangeError('the listener is broken');
      const { books, loadEngine } = fakeEngines();
      const onProgress = (progress: Progress): void => {
        if (progress.phase === phase) throw fault;
      };
      const options = { tokenizerOnly: false, model: folder(), loadEngine };
      await assert.rejects(Session.open({ ...options, onProgress }), (thrown) => thrown === fault);
      await wait(5);
      assert.equal(books.alive, 0, 'an engine was left behind');
      await (await Session.open(options)).retain().release();
    });
  }
});

describe('aborts while loading', () => {
  let server: FileServer;
  before(async () => {
    server = await serve({});
  });
  after(() => server.close());

  for (const moment of ['before', 'engine', 'headers', 'text', 'weights', 'ready'] as const) {
    test(`at ${moment}, and a second try works`, async () => {
      const control = new AbortController();
      const reason = new Error(`stopped at ${moment}`);
      const stop = (): void => control.abort(reason);
      const whole = folder(3_000_000);
      server.files.clear();
      for (const [path, content] of Object.entries(whole)) {
        server.files.set(`m/${path}`, (response) => {
          if (moment === 'headers' && path === 'model.safetensors') return void setTimeout(stop, 5);
          response.writeHead(200, { 'content-length': Buffer.byteLength(content) });
          const isNow = { text: path === 'config.json', weights: path === 'model.safetensors' };
          if (!(moment in isNow) || !isNow[moment as keyof typeof isNow])
            return void response.end(content);
          response.write(content.slice(0, content.length / 2), () => setTimeout(stop, 5));
        });
      }
      const { books, loadEngine } = fakeEngines({
        onLoad: () => (moment === 'engine' ? wait(20, stop()) : undefined),
      });
      if (moment === 'before') stop();
      const onProgress = ({ phase }: Progress): void =>
        void (phase === 'prepare' && moment === 'ready' && stop());
      const options = { tokenizerOnly: false, model: `${server.url}m/`, loadEngine };
      await assert.rejects(
        Session.open({ ...options, signal: control.signal, onProgress }),
        (thrown) => {
          assert.ok(thrown instanceof PocketBertError && thrown.code === 'aborted', String(thrown));
          assert.equal(thrown.cause, reason);
          return true;
        },
      );
      await wait(30);
      assert.equal(books.alive, 0, 'an engine was left behind');
      for (const [path, content] of Object.entries(whole)) server.files.set(`m/${path}`, content);
      const session = await Session.open(options);
      assert.equal(books.alive, 1);
      await session.retain().release();
      assert.equal(books.alive, 0);
    });
  }

  test('a failed engine and a failed file leave nothing, and can be tried again', async () => {
    const { books, loadEngine } = fakeEngines({
      onLoad: (load) => {
        if (load === 1) throw new PocketBertError('network', 'the wasm could not be fetched');
      },
    });
    const options = { tokenizerOnly: false, model: folder(), loadEngine };
    await assert.rejects(Session.open(options), failure('network', /wasm/));
    await assert.rejects(
      Session.open({ ...options, model: { 'config.json': '{}' } }),
      failure('format'),
    );
    await wait(5);
    assert.equal(books.alive, 0);
    const session = await Session.open(options);
    await session.retain().release();
  });
});

describe('calls', () => {
  test('many at once, each with its own answer', async () => {
    const { embed } = await open();
    const texts = Array.from({ length: 40 }, (_, i) => 'x'.repeat(i));
    const results = await Promise.all(texts.map((text, i) => embed(i % 2 ? [text] : [text, 'yy'])));
    results.forEach(({ data }, i) => assert.equal(data[0], i));
  });

  test('an interactive call goes before the rest of a batch', async () => {
    const urgent: Promise<unknown>[] = [];
    const { books, embed } = await open({
      onStep: (text) => void (text === 'b' && urgent.push(embed(['urgent']))),
    });
    await embed(['a', 'b', 'c', 'd', 'e', 'f']);
    await Promise.all(urgent);
    const order = books.log.map((line) => line.replace('step ', '')).join(' ');
    assert.match(order, /^a b (c )?urgent/);
  });

  test('progress of a list', async () => {
    const { embed } = await open({ textsPerStep: 2 });
    const seen: number[] = [];
    await embed(['a', 'b', 'c', 'd', 'e'], { onProgress: (done, total) => seen.push(done, total) });
    assert.deepEqual(seen, [2, 5, 4, 5]);
  });

  test('an abort ends a batch between two steps, and only that one', async () => {
    const control = new AbortController();
    const { books, embed } = await open({
      onStep: (text) => void (text === 'b' && control.abort(new Error('enough'))),
    });
    const other = embed(['other']);
    const batch = embed(['a', 'b', 'c', 'd'], { signal: control.signal });
    await assert.rejects(batch, failure('aborted'));
    await other;
    await embed(['later']);
    assert.ok(books.log.includes('dropped a'), books.log.join('; '));
    assert.ok(!books.log.includes('step c'));
    await assert.rejects(embed(['a'], { signal: AbortSignal.abort() }), failure('aborted'));
  });

  test('an empty list', async () => {
    const { embed } = await open();
    assert.equal((await embed([])).count, 0);
  });

  test('an error of one call harms only that one; its stack names the caller, its cause the engine', async () => {
    const { books, embed } = await open({
      onStep: (text) => {
        if (text === 'bad')
          throw new PocketBertError('too_long', 'too long by 3', { hint: 'cut it' });
      },
    });
    async function theCaller(): Promise<void> {
      await embed(['bad']);
    }
    const [first, second] = await Promise.allSettled([theCaller(), embed(['good'])]);
    assert.equal(second.status, 'fulfilled');
    assert.ok(first.status === 'rejected' && first.reason instanceof PocketBertError);
    assert.equal(first.reason.code, 'too_long');
    assert.equal(first.reason.hint, 'cut it');
    assert.match(first.reason.stack ?? '', /theCaller/);
    assert.match(String((first.reason.cause as Error).stack), /fake_engine|onStep/);
    assert.equal(books.loads, 1);
  });
});

test('create() runs short texts of rising length before it says that it is ready', async () => {
  const steps: string[] = [];
  const onProgress = ({ phase }: Progress): void => void (phase === 'ready' && steps.push(phase));
  await open({ onStep: (text) => void steps.push(text) }, { onProgress });
  assert.equal(steps.pop(), 'ready');
  assert.ok(steps.length >= 2, `${steps.length} texts`);
  assert.deepEqual(steps, steps.toSorted((a, b) => a.length - b.length));
});

describe('traps', () => {
  const trapOn = (word: string) => (text: string) => {
    if (text === word) throw new WebAssembly.RuntimeError('unreachable');
  };

  test('the call fails, the others are answered by a new engine, and so are later ones', async () => {
    const { books, embed } = await open({ onStep: trapOn('boom') });
    const all = await Promise.allSettled([embed(['boom']), embed(['a']), embed(['b', 'c'])]);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    );
    assert.ok(all[0]?.status === 'rejected');
    failure('trap', /unreachable/)(all[0].reason);
    assert.equal(books.loads, 2);
    assert.equal(books.alive, 1, 'the dead engine was not given back');
    await embed(['later']);
    assert.equal(books.loads, 2);
  });

  test('a call outlives the traps of any number of others', async () => {
    const { books, embed } = await open({ onStep: trapOn('boom') });
    const all = await Promise.allSettled([
      embed(['boom']),
      embed(['boom']),
      embed(['boom']),
      embed(['a', 'b']),
    ]);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.equal(books.loads, 4);
  });

  test('a restart that fails is that call’s error; the next call tries again', async () => {
    const { books, session, embed } = await open({
      onStep: trapOn('boom'),
      onLoad: (load) => {
        if (load === 2) throw new PocketBertError('network', 'no network now');
      },
    });
    await assert.rejects(embed(['boom']), failure('trap'));
    await assert.rejects(embed(['a']), failure('network', /no network now/));
    await embed(['a']);
    await session.release();
    assert.equal(books.alive, 0);
  });

  test('a source that is gone when an engine ended: calls say so until it is back', async () => {
    const bytes = oneFile();
    const whole = bytes.slice();
    const { loadEngine } = fakeEngines({ onStep: trapOn('boom') });
    const session = await Session.open({ tokenizerOnly: false, model: bytes, loadEngine });
    session.retain();
    const embed = (text: string) => session.call('embed', { texts: [text], options: {} });
    bytes.fill(0);
    await assert.rejects(embed('boom'), failure('trap', /unreachable/));
    for (let i = 0; i < 2; i++) {
      await assert.rejects(embed('a'), (thrown) => {
        failure('format', /the model could not be loaded again after a trap: .+/)(thrown);
        assert.ok(thrown instanceof PocketBertError);
        assert.match(thrown.hint, /its source is gone/);
        return true;
      });
    }
    bytes.set(whole);
    assert.equal((await embed('abc')).data[0], 3);
    await session.release();
  });

  test('a call that always traps is not repeated for ever', async () => {
    const { books, embed } = await open({ onStep: trapOn('boom') });
    for (let i = 0; i < 3; i++) await assert.rejects(embed(['boom']), failure('trap'));
    assert.equal(books.loads, 3);
  });
});

describe('the end', () => {
  test('calls that run are rejected as destroyed, and so are later ones', async () => {
    const ends: Promise<void>[] = [];
    const { books, session, embed } = await open({
      onStep: (text) => void (text === 'b' && ends.push(session.release())),
    });
    const settled = Promise.allSettled([
      embed(['a', 'b', 'c', 'd', 'e']),
      embed(['f', 'g', 'h', 'i', 'j', 'k']),
    ]);
    for (const result of await settled) {
      assert.ok(result.status === 'rejected');
      failure('destroyed')(result.reason);
    }
    await Promise.all(ends);
    await assert.rejects(embed(['a']), failure('destroyed'));
    assert.equal(books.alive, 0);
    await session.release();
  });

  test('a session lives as long as its last user', async () => {
    const { books, session, embed } = await open();
    session.retain();
    await session.release();
    await embed(['a']);
    await session.release();
    assert.equal(books.alive, 0);
    assert.throws(() => session.retain(), failure('destroyed'));
  });

  test('several engines side by side', async () => {
    const one = await open();
    const two = await open({}, { model: oneFile() });
    await one.session.release();
    assert.equal((await two.embed(['abc'])).data[0], 3);
    await two.session.release();
  });
});

test('what needs no model becomes fast before there is one, where int8 may come', async () => {
  const cases: [Options, boolean][] = [
    [{}, true],
    [{ precision: 'float32' }, false],
    [{ tokenizerOnly: true }, false],
  ];
  for (const [options, expected] of cases) {
    const { books, loadEngine } = fakeEngines({});
    await Session.open({ tokenizerOnly: false, model: folder(), ...options, loadEngine });
    assert.equal(books.log[0] === 'warm up', expected, JSON.stringify(options));
    assert.equal(books.log.includes('warm up'), expected);
  }
});
