/** Engines over the built modules, and the tiny models of tests/cases/hand. Tests run in the root folder. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unpackBatch } from '../../../web/src/core/encoded_batch.js';
import { loadEngine } from '../../../web/src/core/engine.js';
import { packTexts } from '../../../web/src/core/texts.js';
import type {
  EncodedBatch,
  EncodeOptions,
  Engine,
  EngineModel,
  EngineOptions,
  EngineTokenizer,
  ImportOptions,
  TextItem,
  VariantName,
} from '../../../web/src/core/types.js';
import { kVariants, probeHost } from '../../../web/src/core/variants.js';
import { PocketBertError, type ErrorCode } from '../../../web/src/errors.js';

const kHand = 'tests/cases/hand';

export const wasmPath = (variant: VariantName): string => `dist/pocketbert-${variant}.wasm`;
export const kImportWasm = 'dist/pocketbert-import.wasm';

/** Variants that this node can run. */
export async function runnableVariants(): Promise<VariantName[]> {
  const host = await probeHost();
  return kVariants
    .filter((row) => host.relaxedSimd || !row.needs.includes('relaxedSimd'))
    .map((row) => row.name);
}

export function load(variant: VariantName, options: EngineOptions = {}): Promise<Engine> {
  const wasm = { [variant]: wasmPath(variant), import: kImportWasm };
  return loadEngine({ variant, wasm, ...options });
}

/** Files by path. */
export type Folder = Record<string, Uint8Array | string>;

export function readFolder(path: string, prefix = ''): Folder {
  const folder: Folder = {};
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const full = join(path, entry.name);
    if (entry.isDirectory()) Object.assign(folder, readFolder(full, `${prefix}${entry.name}/`));
    else folder[prefix + entry.name] = isWeights(entry.name) ? new Uint8Array(readFileSync(full)) : readFileSync(full, 'utf8');
  }
  return folder;
}

const isWeights = (path: string): boolean => path.endsWith('.safetensors');

export function fixture(name: string): Folder {
  const path = `${kHand}/fixtures/${name}`;
  assert.ok(existsSync(path), `${path} is not there; tests run in the root folder`);
  return readFolder(path);
}

export function textsOf(folder: Folder): Record<string, string> {
  return Object.fromEntries(
    Object.entries(folder).filter((file): file is [string, string] => typeof file[1] === 'string'),
  );
}

export function encode(tokenizer: EngineTokenizer, items: readonly TextItem[], options?: EncodeOptions): EncodedBatch {
  return unpackBatch(tokenizer.encode(packTexts(items), options));
}

/** Imports a folder, its weight files in chunks of `chunkBytes`. */
export async function importFolder(
  engine: Engine,
  folder: Folder,
  options: ImportOptions = { precision: 'float32' },
  chunkBytes = 1 << 20,
) {
  const importer = await engine.createImporter(textsOf(folder), options);
  try {
    const weights = Object.entries(folder).filter(
      (file): file is [string, Uint8Array] => file[1] instanceof Uint8Array,
    );
    for (const [path, bytes] of weights) {
      const needed = importer.addHeader(path, bytes.subarray(0, 8), bytes.length);
      if (needed > 0) assert.equal(importer.addHeader(path, bytes.subarray(0, needed), bytes.length), 0);
    }
    for (const [path, bytes] of weights) {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        importer.write(path, at, bytes.subarray(at, at + chunkBytes));
      }
    }
    return importer.finish();
  } finally {
    importer.destroy();
  }
}

export async function openFixture(engine: Engine, name: string, options?: ImportOptions): Promise<EngineModel> {
  return engine.openModel(await importFolder(engine, fixture(name), options), { source: name });
}

/** The error that `body` throws, which must be ours and of this code. */
export function failure(code: ErrorCode, body: () => unknown): PocketBertError {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof PocketBertError, `not a PocketBertError: ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`expected an error of code ${code}`);
}

/** The same for a promise. */
export async function rejection(code: ErrorCode, promise: Promise<unknown>): Promise<PocketBertError> {
  try {
    await promise;
  } catch (error) {
    return failure(code, () => {
      throw error;
    });
  }
  return assert.fail(`expected an error of code ${code}`);
}
