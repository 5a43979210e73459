// The modules stay small, and the one for every browser holds no instruction that Safari refuses.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { kTop } from './tree.mjs';
import { countInstructions } from './wasm_opcodes.mjs';

const kVariants = ['simd', 'relaxed', 'relaxed-mt'];
const kModules = [...kVariants, 'import'];
/** What a page may cost: the product's word. */
const kBudget = { raw: 343_000, brotli: 137_000, script: 28_500 };
/** What some may cost besides: threads bring Emscripten's own with them; the import, which only folders
 *  and tokenizers load, has the path of words optimized for speed. */
const kMore = { 'relaxed-mt': { raw: 15_000, brotli: 7_000 }, import: { raw: 18_000, brotli: 5_000 } };

const dist = (name) => readFileSync(`${kTop}dist/${name}`);
const brotli = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

for (const variant of kModules) {
  describe(`pocketbert-${variant}`, () => {
    const wasm = () => dist(`pocketbert-${variant}.wasm`);

    const sizes = () => ({ raw: wasm().length, brotli: brotli(wasm()) });

    test('keeps the budget', (t) => {
      const { raw, brotli } = sizes();
      t.diagnostic(`${raw} bytes, ${brotli} with brotli`);
      const more = kMore[variant] ?? { raw: 0, brotli: 0 };
      const budget = { raw: kBudget.raw + more.raw, brotli: kBudget.brotli + more.brotli };
      assert.ok(raw <= budget.raw, `${raw} bytes, budget ${budget.raw}`);
      assert.ok(brotli <= budget.brotli, `${brotli} with brotli, budget ${budget.brotli}`);
    });

    test(
      variant.startsWith('relaxed') ? 'holds relaxed SIMD' : 'holds no relaxed instruction',
      () => {
        const counts = countInstructions(wasm());
        if (variant !== 'import') assert.ok(counts.simd > 500, `${counts.simd} SIMD instructions`);
        if (!variant.startsWith('relaxed')) assert.equal(counts.relaxed, 0);
        else assert.ok(counts.relaxed > 0);
      },
    );

    test('its script evaluates no text as code', () => {
      assert.doesNotMatch(
        dist(`pocketbert-${variant}.js`).toString(),
        /\bnew Function\b|\beval\s*\(/,
      );
    });
  });
}

/** Files of dist/ that these load before anything is asked of them: themselves and what they import. */
function loadedWith(names) {
  const loaded = new Set();
  for (const queue = [...names]; queue.length > 0; ) {
    const name = queue.pop();
    if (loaded.has(name)) continue;
    loaded.add(name);
    const text = dist(name).toString();
    const imports = text.matchAll(/\b(?:from|import)\s*"\.\/([\w.-]+\.js)"/g);
    queue.push(...[...imports].map((match) => match[1]));
  }
  return [...loaded];
}

/** Brotli bytes of all scripts that a page loads before it asks for anything, by file. */
function scriptSizes(variant) {
  const names = loadedWith(['index.js', 'worker.js', `pocketbert-${variant}.js`]);
  const parts = names.map((name) => [name, brotli(dist(name))]);
  const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  return { total, list: `${parts.map((part) => part.join(' ')).join(', ')}: ${total}` };
}

test(`wrapper, worker and glue keep the budget: ${kBudget.script} bytes with brotli`, (t) => {
  for (const { total, list } of kVariants.map(scriptSizes)) {
    t.diagnostic(list);
    assert.ok(total <= kBudget.script, list);
  }
});

describe('the reading of instructions', () => {
  const module = (...code) => {
    const body = [0, ...code, 0x0b];
    return new Uint8Array([
      0,
      97,
      115,
      109,
      1,
      0,
      0,
      0,
      1,
      5,
      1,
      96,
      0,
      1,
      123,
      3,
      2,
      1,
      0,
      10,
      body.length + 2,
      1,
      body.length,
      ...body,
    ]);
  };
  const splat = [0x41, 0, 0xfd, 15];

  test('sees a relaxed instruction', () => {
    const code = [...splat, ...splat, 0xfd, 0x80, 0x02]; // i8x16.relaxed_swizzle
    const bytes = module(...code);
    assert.deepEqual(countInstructions(bytes), { functions: 1, all: 6, simd: 2, relaxed: 1 });
  });

  test('passes over constants that look like one', () => {
    const lookalike = Array.from({ length: 16 }, (_, i) => [0xfd, 0x80, 0x02][i % 3]);
    const bytes = module(0xfd, 12, ...lookalike); // v128.const
    assert.ok(WebAssembly.validate(bytes));
    assert.deepEqual(countInstructions(bytes), { functions: 1, all: 2, simd: 1, relaxed: 0 });
  });

  test('refuses what it does not know', () => {
    assert.throws(() => countInstructions(module(0xfd, 0xff, 0x7f)), /unknown instruction/);
    assert.throws(() => countInstructions(new Uint8Array(20)), /not a WebAssembly module/);
  });
});
