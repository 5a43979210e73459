/** What tests of the public API share. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PocketBertError } from 'pocketbert';

export const fixtures = join(process.cwd(), 'tests/cases/hand/fixtures');
/** A tiny sentence encoder. */
export const enc = join(fixtures, 'enc');
/** A tiny classifier. */
export const cls = join(fixtures, 'cls');
/** A tiny model that labels tokens. */
export const ner = join(fixtures, 'ner');
/** A tiny model that answers questions. */
export const qa = join(fixtures, 'qa');

/** For `assert.rejects`: ours, of this code, and its message matches. */
export function code(expected: string, message = /./) {
  return (thrown: unknown): true => {
    assert.ok(thrown instanceof PocketBertError, String(thrown));
    assert.equal(thrown.code, expected, thrown.message);
    assert.match(thrown.message, message);
    if (expected === 'too_long') assert.match(thrown.hint, /\w{5}/);
    return true;
  };
}
