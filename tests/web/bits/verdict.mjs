// What must hold of a measurement: every expected setting ran, and every one that ran gave the
// golden bits.

import assert from 'node:assert/strict';
import { readGolden } from './golden.mjs';
import { partNames, settings } from './measure.mjs';

/**
 * @param {string} host whose measurement it is
 * @param {{ setting: object, result?: object, refused?: string }[]} measured from `measureAll`
 * @param {readonly string[]} variants those that this host must run; the others it must refuse
 */
export async function assertGoldenBits(host, measured, variants) {
  const golden = await readGolden();
  assert.deepEqual(
    measured.map(({ setting }) => setting),
    settings,
    host,
  );
  for (const { setting, result, refused } of measured) {
    const where = `${host} ${JSON.stringify(setting)}`;
    if (!variants.includes(setting.variant)) {
      assert.ok(refused, `${where} ran; expected it to be refused`);
      continue;
    }
    assert.equal(refused, undefined, where);
    assert.deepEqual(result.differences, [], where);
    for (const name of partNames)
      assert.equal(result.parts[name], golden.parts[name], `${where}: ${name}`);
    assert.equal(result.sha256, golden.sha256, where);
  }
}
