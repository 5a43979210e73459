/** What a one-file model is, told by its header alone. */

import { WasmByteBuffer } from './byte_buffer.js';
import { startImportInstance } from './import_instance.js';
import { wellFormed } from './options.js';
import type { ImportFacts } from './types.js';

/**
 * @param head the file from its start, at least its header
 * @param fileSize bytes of the whole file
 */
export async function describeFile(name: string, head: Uint8Array, fileSize: number): Promise<ImportFacts> {
  const instance = await startImportInstance({});
  try {
    const buffer = WasmByteBuffer.copyOf(instance, head);
    const text = instance.call((raw) => raw.describeFile(wellFormed(name), buffer.raw, fileSize));
    return JSON.parse(text) as ImportFacts;
  } finally {
    instance.destroy();
  }
}
