/** `embedStream`: endless input, in node, with the real engine and a tiny model. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Embedder, PocketBertError } from 'pocketbert';
import { enc } from './support/public_api.js';

const wait = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
const isError = (code: string) => (thrown: unknown) =>
  thrown instanceof PocketBertError && thrown.code === code;
const textOf = (number: number): string => 'boat '.repeat(number % 23) + String(number);

describe('embedStream', () => {
  let embedder: Embedder;
  before(async () => void (embedder = await Embedder.create({ model: enc })));
  after(() => embedder.destroy());

  test('gives what embed gives, in order, for lists and for what comes later', async () => {
    const texts = Array.from({ length: 300 }, (_, number) => textOf(number));
    const expected = await embedder.embed(texts, { maxLength: 12 });
    async function* later() {
      for (const text of texts) {
        if (text.length % 40 === 0) await wait(1);
        yield text;
      }
    }
    for (const source of [texts, new Set(texts).values(), later()]) {
      let at = 0;
      for await (const vector of embedder.embedStream(source, { maxLength: 12 })) {
        assert.deepEqual(vector.slice(), expected.at(at));
        assert.equal(vector.tokens, expected.tokens[at]);
        assert.equal(vector.truncated, expected.truncated[at]);
        at += 1;
      }
      assert.equal(at, texts.length);
    }
    for await (const _ of embedder.embedStream([])) assert.fail('a vector of nothing');
    for await (const { tokens } of embedder.embedStream('boat')) assert.equal(tokens, 3);
  });

  test('reads ahead two batches at most, and closes its source', async () => {
    let read = 0;
    let closed = false;
    function* endless() {
      try {
        for (;;) yield textOf(read++);
      } finally {
        closed = true;
      }
    }
    let got = 0;
    for await (const _ of embedder.embedStream(endless())) {
      got += 1;
      assert.ok(read <= got + 3 * 64, `${read} read for ${got}`);
      if (got === 1000) break;
    }
    assert.ok(closed);
    await embedder.embed('boat');
  });

  test('does not wait for a batch to be full', async () => {
    let asked = 0;
    let next = (_: string): void => {};
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          asked += 1;
          return new Promise<IteratorResult<string>>((resolve) => {
            next = (value) => resolve({ value, done: false });
          });
        },
      }),
    };
    const stream = embedder.embedStream(source);
    for (const text of ['boat', 'mill', 'day']) {
      const answer = stream.next();
      await wait(5);
      next(text);
      const vector = (await answer).value;
      assert.deepEqual([...(vector ?? [])], [...(await embedder.embed(text))]);
    }
    assert.ok(asked >= 3);
  });

  test('the signal ends it, also while it waits for its source', async () => {
    const control = new AbortController();
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const answer = embedder.embedStream(never, { signal: control.signal }).next();
    await wait(5);
    control.abort();
    await assert.rejects(answer, isError('aborted'));
  });

  test('errors of the source and of a text come out', async () => {
    function* broken() {
      yield 'boat';
      throw new RangeError('the disk is gone');
    }
    await assert.rejects(embedder.embedStream(broken()).next(), /the disk is gone/);
    const long = embedder.embedStream(['boat '.repeat(99)], { truncate: 'error' });
    await assert.rejects(long.next(), isError('too_long'));
  });

  test('memory stays flat', async () => {
    const texts = function* (count: number) {
      for (let number = 0; number < count; number++) yield textOf(number % 500);
    };
    for await (const _ of embedder.embedStream(texts(500)));
    const { wasm, used } = await embedder.memory();
    for await (const _ of embedder.embedStream(texts(5000)));
    const now = await embedder.memory();
    assert.equal(now.wasm, wasm);
    // The allocator's blocks differ by a few bytes; a leak would be 5,000 times something.
    assert.ok(Math.abs(now.used - used) < 1024, `${String(used)} bytes, later ${String(now.used)}`);
  });
});
