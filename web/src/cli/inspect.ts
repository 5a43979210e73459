/** What a model is and whether PocketBERT can use it, without its weights. */

import { describeFile } from '../core/describe_file.js';
import { loadEngine } from '../core/engine.js';
import type { ImportFacts } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { Folder } from '../models/folder_files.js';
import { brokenHeader, type HeadedFile } from '../models/safetensors_header.js';
import { addHeaders } from './import_folder.js';
import { sourceAt, type Looking } from './source_folder.js';

export interface Inspection {
  readonly kind: 'folder' | 'one file';
  readonly facts: ImportFacts;
  /** Bytes of the weight files, or of the one file; undefined for a graph at an address that tells no size. */
  readonly sourceBytes: number | undefined;
}

/** Why a model cannot be used, as its import would tell. */
export interface Refusal {
  readonly kind: 'refused';
  readonly error: PocketBertError;
}

/** Why there is no verdict: what the source names could not be looked at. */
export interface Failure {
  readonly kind: 'failed';
  readonly error: PocketBertError;
}

/** What only another model file would change. Anything else, such as a lost network, says nothing of it. */
const refusals: readonly string[] = ['format', 'unsupported'];

async function inspectFolder(folder: Folder): Promise<Inspection> {
  const engine = await loadEngine();
  try {
    const importer = await engine.createImporter(folder.texts, { precision: 'int8', source: folder.name });
    try {
      const sourceBytes = await addHeaders(folder, importer);
      return { kind: 'folder', facts: importer.describe(), sourceBytes };
    } finally {
      importer.destroy();
    }
  } finally {
    engine.destroy();
  }
}

async function inspectFile(headed: HeadedFile): Promise<Inspection> {
  const { file, head, size, metadata } = headed;
  file.close();
  if (metadata === undefined) throw brokenHeader(headed);
  const sourceBytes = size ?? head.length;
  return { kind: 'one file', facts: await describeFile(file.label, head, sourceBytes), sourceBytes };
}

/** Looks at what lies at `source`: texts and headers are read, weights are not. */
export async function inspect(source: string, looking: Looking): Promise<Inspection | Refusal | Failure> {
  try {
    const found = await sourceAt(source, looking);
    return await (found.kind === 'folder' ? inspectFolder(found) : inspectFile(found.headed));
  } catch (thrown) {
    if (!(thrown instanceof PocketBertError)) throw thrown;
    return { kind: refusals.includes(thrown.code) ? 'refused' : 'failed', error: thrown };
  }
}
