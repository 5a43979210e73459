/** Loading into fake engines. */

import assert from 'node:assert/strict';
import { Session, type SessionOptions } from '../../../web/src/models/session.js';
import type { Source } from '../../../web/src/types.js';
import { fakeEngines, type Books } from './fake_engine.js';

type Options = Partial<Omit<SessionOptions, 'model' | 'loadEngine'>>;

/** Loads a model, checks that nothing is left behind, and gives what reached the engine. */
export async function load(
  model: Source,
  options: Options = {},
): Promise<{ books: Books; session: Session }> {
  const { books, loadEngine } = fakeEngines();
  try {
    const session = await Session.open({ tokenizerOnly: false, ...options, model, loadEngine });
    await session.retain().release();
    return { books, session };
  } finally {
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(books.alive, 0, 'an engine was left behind');
  }
}

export function sameBytes(
  found: Uint8Array | undefined,
  expected: Uint8Array | string | undefined,
): void {
  assert.ok(found !== undefined && expected instanceof Uint8Array);
  assert.ok(Buffer.from(found).equals(Buffer.from(expected)), 'the bytes that arrived differ');
}
