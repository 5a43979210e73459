// Same text, same bits, in node: whatever the batch, the order, the steps, the threads and the variant.

import { test } from 'node:test';
import { measureInNode } from './bits/golden.mjs';
import { assertGoldenBits } from './bits/verdict.mjs';

test('every variant in node gives the golden bits', { timeout: 600_000 }, async () => {
  await assertGoldenBits('node', await measureInNode(), ['simd', 'relaxed', 'relaxed-mt']);
});
