/** The module that makes one-file models of Hugging Face folders: loaded when a folder is opened. */

import { PocketBertError, throwIfAborted, toPocketBertError } from '../errors.js';
import type { Instance } from './instance.js';
import { kImportFiles, type Glue, type ImportModule } from './raw_module.js';
import { instantiate } from './start_module.js';
import type { EngineOptions } from './types.js';
import { compileSource, sourceFor, variantOf } from './wasm_source.js';

const kName = 'import';

export async function startImportInstance(options: EngineOptions): Promise<Instance<ImportModule>> {
  try {
    return await start(options);
  } catch (error) {
    const code = error instanceof RangeError ? 'out_of_memory' : 'unsupported';
    throw toPocketBertError(error, code, 'the module that imports folders cannot be started');
  }
}

async function start(options: EngineOptions): Promise<Instance<ImportModule>> {
  const glue = kImportFiles.glue();
  glue.catch(() => {});
  const module = await compileSource(sourceFor(options.wasm, kName) ?? kImportFiles.wasm(), options);
  const found = variantOf(module);
  if (found !== kName) {
    throw new PocketBertError('format', `the wasm given for folders is ${found}, expected ${kName}`);
  }
  const loaded = await glue;
  throwIfAborted(options.signal);
  return instantiate(loaded.default as Glue<ImportModule>, module);
}
