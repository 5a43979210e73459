/** One pass over the weights of a Hugging Face folder, into as many importers as are wanted. */

import type { Engine, EngineImporter, ImportOptions } from '../core/types.js';
import type { Folder, WeightFile } from '../models/folder_files.js';
import { readHeader, type HeadedFile } from '../models/safetensors_header.js';
import { openWeights } from '../models/weight_header.js';

/** Weight files that stay open between the reading of their headers and of their data. */
const filesKeptOpen = 3;

export interface ImportProgress {
  /** Bytes of the weight files that are through. */
  readonly loaded: number;
  readonly total: number;
}

/** Tells the importer the headers of all weight files, and nothing else of them; returns their bytes, if known. */
export async function addHeaders(folder: Folder, importer: EngineImporter): Promise<number | undefined> {
  let total: number | undefined = 0;
  for (const weights of folder.weights) {
    const { file, size } = await openWeights(weights, async (head, bytes) =>
      importer.addHeader(weights.path, head, bytes),
    );
    file.close();
    total = size === undefined || total === undefined ? undefined : total + size;
  }
  return total;
}

/** Streams all weights; calls `onProgress` with every part. */
async function stream(
  folder: Folder,
  importers: readonly EngineImporter[],
  onProgress: (progress: ImportProgress) => void,
): Promise<void> {
  const opened = new Map<WeightFile, HeadedFile>();
  let total = 0;
  let loaded = 0;
  try {
    for (const weights of folder.weights) {
      // All importers answer alike.
      const headed = await openWeights(weights, async (head, size) =>
        Math.max(...importers.map((importer) => importer.addHeader(weights.path, head, size))),
      );
      total += headed.size ?? 0;
      if (opened.size < filesKeptOpen) opened.set(weights, headed);
      else headed.file.close();
    }
    for (const weights of folder.weights) {
      const { file } = opened.get(weights) ?? (await readHeader(await weights.open()));
      let offset = 0;
      for (let bytes = await file.read(); bytes !== undefined; bytes = await file.read(bytes.buffer)) {
        for (const importer of importers) importer.write(weights.path, offset, bytes);
        offset += bytes.length;
        loaded += bytes.length;
        onProgress({ loaded, total });
      }
      opened.delete(weights);
    }
  } finally {
    for (const { file } of opened.values()) file.close();
  }
}

/** An engine and how it is to keep the weights. */
export interface ImportTarget {
  readonly engine: Engine;
  readonly precision: ImportOptions['precision'];
}

/** The folder as a one-file model, once for each target, in their order. */
export async function importFolder(
  folder: Folder,
  targets: readonly ImportTarget[],
  onProgress: (progress: ImportProgress) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const importers: EngineImporter[] = [];
  try {
    for (const { engine, precision } of targets) {
      importers.push(await engine.createImporter(folder.texts, { precision, source: folder.name }));
    }
    await stream(folder, importers, onProgress);
    return importers.map((importer) => {
      const buffer = importer.finish();
      const bytes = buffer.bytes().slice();
      buffer.free();
      return bytes;
    });
  } finally {
    for (const importer of importers) importer.destroy();
  }
}
