/** Compares files with the hashes that the caller asked for. */

import { PocketBertError } from '../errors.js';
import type { CreateOptions } from '../types.js';
import type { OpenFile } from './files.js';
import { later } from './platform.js';
import type { Sha256 } from './sha256.js';

/** 64 hexadecimal digits from either form. */
function hexOf(hash: string, path: string): string {
  if (/^[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase();
  const base64 = /^sha256-([A-Za-z0-9+/]{43}=)$/.exec(hash)?.[1];
  if (base64 === undefined) {
    throw new PocketBertError(
      'invalid_argument',
      `integrity of ${path || 'the model'} is ${JSON.stringify(hash)}; expected 64 hexadecimal digits or sha256- and base64`,
    );
  }
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(
    '',
  );
}

/** The hashes of one load. */
export class Integrity {
  readonly #hashes = new Map<string, string>();

  constructor(integrity: CreateOptions['integrity']) {
    const entries =
      typeof integrity === 'string' ? [['', integrity] as const] : Object.entries(integrity ?? {});
    for (const [path, hash] of entries) this.#hashes.set(path, hexOf(hash, path));
  }

  /** `file` itself, or one whose end is an error if its bytes are not the expected ones. */
  check(file: OpenFile, path: string, isOnlyFile = false): OpenFile {
    const key = this.#hashes.has(path) || !isOnlyFile ? path : '';
    const expected = this.#hashes.get(key);
    if (expected === undefined) return file;
    this.#hashes.delete(key);
    let sum: Sha256 | undefined;
    let checked = false;
    return {
      ...file,
      async read(spare) {
        const bytes = await file.read(spare);
        // Few ask for it, so it is a file of its own.
        sum ??= new (await later(import('./sha256.js'))).Sha256();
        if (bytes !== undefined) sum.update(bytes);
        else if (!checked) {
          checked = true;
          const found = sum.hex();
          if (found !== expected) {
            throw new PocketBertError(
              'integrity',
              `${file.label} has SHA-256 ${found}, expected ${expected}`,
              {
                hint: 'the file is another version, or was altered on its way: name an address that does not change, or give its new hash',
              },
            );
          }
        }
        return bytes;
      },
    };
  }

  /** @throws if a hash was given for a file that was not read */
  finish(): void {
    for (const path of this.#hashes.keys()) {
      const [about, hint] =
        path === ''
          ? [
              'one hash was given for a model of several files',
              'give one hash for each file: {path: hash}',
            ]
          : [
              `a hash was given for ${path}, which was not read`,
              'name files by their paths in the folder, and only those that the model has',
            ];
      throw new PocketBertError('integrity', about, { hint });
    }
  }
}
