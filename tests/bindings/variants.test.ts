import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseVariants, kVariants, probeHost, type Host } from '../../web/src/core/variants.js';
import { PocketBertError } from '../../web/src/errors.js';

const kBest: Host = {
  simd: true,
  relaxedSimd: true,
  sharedMemory: true,
  isolated: true,
  workers: true,
  cores: 8,
};

const names = (host: Host, variant?: string, threads?: number) =>
  chooseVariants(host, variant, threads).choices.map((choice) => choice.variant);

const errorOf = (body: () => unknown): PocketBertError => {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof PocketBertError, String(error));
    return error;
  }
  return assert.fail('expected an error');
};

test('a host that can do everything gets threads first, then the rest of the table', () => {
  const { choices, reasons } = chooseVariants(kBest);
  assert.deepEqual(choices, [
    { variant: 'relaxed-mt', threads: 4 },
    { variant: 'relaxed', threads: 1 },
    { variant: 'simd', threads: 1 },
  ]);
  assert.deepEqual(reasons, []);
});

test('each lacking ability leaves out the variants that need it, and says so', () => {
  const cases: [Partial<Host>, string[], RegExp][] = [
    [{ isolated: false }, ['relaxed', 'simd'], /relaxed-mt is not used: .*cross-origin isolated/],
    [{ sharedMemory: false }, ['relaxed', 'simd'], /relaxed-mt is not used: .*shared memory/],
    [{ workers: false }, ['relaxed', 'simd'], /relaxed-mt is not used: workers/],
    [{ cores: 1 }, ['relaxed', 'simd'], /relaxed-mt is not used: .*one core/],
    [{ relaxedSimd: false }, ['simd'], /relaxed is not used: .*relaxed SIMD/],
  ];
  for (const [lack, expected, reason] of cases) {
    const { choices, reasons } = chooseVariants({ ...kBest, ...lack });
    assert.deepEqual(choices.map((choice) => choice.variant), expected);
    assert.match(reasons.join('\n'), reason);
  }
});

test('one thread asked for: no threaded variant, and that is no fallback', () => {
  const { choices, reasons } = chooseVariants(kBest, 'auto', 1);
  assert.deepEqual(choices.map((choice) => choice.variant), ['relaxed', 'simd']);
  assert.deepEqual(reasons, []);
});

test('threads asked for are given, however many cores there are', () => {
  assert.equal(chooseVariants(kBest, 'auto', 6).choices[0]?.threads, 6);
  assert.equal(chooseVariants({ ...kBest, cores: 2 }).choices[0]?.threads, 2);
});

test('a variant by name is the only choice', () => {
  for (const { name } of kVariants) assert.deepEqual(names(kBest, name), [name]);
  assert.deepEqual(names({ ...kBest, cores: 1 }, 'relaxed-mt'), ['relaxed-mt']);
});

test('a variant by name that cannot run here is an error, not a fallback', () => {
  const error = errorOf(() => chooseVariants({ ...kBest, relaxedSimd: false }, 'relaxed'));
  assert.equal(error.code, 'unsupported');
  assert.match(error.message, /relaxed.*no relaxed SIMD/);
});

test('threads asked of a variant without are named in the reasons', () => {
  const { choices, reasons } = chooseVariants(kBest, 'simd', 4);
  assert.equal(choices[0]?.threads, 1);
  assert.match(reasons.join(), /4 threads are not used: variant simd has one/);
});

test('an unknown variant is refused by name', () => {
  assert.match(errorOf(() => chooseVariants(kBest, 'fast')).message, /"fast".*relaxed-mt, relaxed, simd/);
});

test('no SIMD at all: an error', () => {
  assert.equal(errorOf(() => chooseVariants({ ...kBest, simd: false })).code, 'unsupported');
});

test('the probe of this node', async () => {
  const host = await probeHost();
  assert.equal(host.simd, true);
  assert.equal(host.sharedMemory, true);
  assert.equal(host.isolated, true);
  assert.equal(host.workers, true);
  assert.ok(host.cores >= 1);
  assert.equal(typeof host.relaxedSimd, 'boolean');
});
