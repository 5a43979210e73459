/** Expectations about errors. */

import assert from 'node:assert/strict';
import { PocketBertError, type ErrorCode } from '../../../web/src/errors.js';

/** For `assert.rejects`: ours, of this code, and its message matches. */
export function failure(code: ErrorCode, message: RegExp = /./) {
  return (thrown: unknown): true => {
    assert.ok(
      thrown instanceof PocketBertError,
      `expected a PocketBertError, found ${String(thrown)}`,
    );
    assert.equal(thrown.code, code, `${thrown.code}: ${thrown.message}`);
    assert.match(thrown.message, message);
    if (code === 'integrity') assert.match(thrown.hint, /\w{4}/);
    return true;
  };
}
