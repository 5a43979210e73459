/**
 * What only the folders of models need: where their files are, which of them make up the model, and
 * their way into the engine. It is a file of its own: who loads a one-file model does not load it.
 */

import { PocketBertError } from '../errors.js';
import type { FileRecord, Source } from '../types.js';
import { directoryStore } from './directory_store.js';
import type { FileStore } from './files.js';
import {
  filesKeptOpen,
  readFolder,
  readTokenizerFolder,
  type Folder,
  type OneFile,
  type Watch,
  type WeightFile,
} from './folder_files.js';
import { sendAll, type Loaded, type LoadContext, type LoadSettings, type Send } from './load.js';
import { kindOf, recordOfFiles, recordStore } from './record_store.js';
import { readHeader, type HeadedFile } from './safetensors_header.js';
import { folderNotes } from './folder_notes.js';
import type { UrlReading } from './url_file.js';
import { urlStore } from './url_store.js';
import { openWeights } from './weight_header.js';

function isFileList(source: Source): source is readonly File[] {
  return Array.isArray(source);
}

function isDirectory(source: Source): source is FileSystemDirectoryHandle {
  return (
    typeof FileSystemDirectoryHandle === 'function' && source instanceof FileSystemDirectoryHandle
  );
}

function isFileRecord(source: Source): source is FileRecord {
  return (
    typeof source === 'object' &&
    source !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(source))
  );
}

/** The files of a source that is no single file. Nothing is fetched yet. */
export function storeOf(source: Source, reading: UrlReading): FileStore {
  if (source instanceof URL) return urlStore(source, reading);
  if (isFileList(source)) return recordStore(recordOfFiles(source), reading);
  if (isDirectory(source)) return directoryStore(source);
  if (isFileRecord(source)) return recordStore(source, reading);
  throw new PocketBertError('invalid_argument', `${kindOf(source)} is no model source`, {
    hint: 'give a URL, a path, bytes, a Blob, a FileSystemDirectoryHandle, a list of Files or a record {path: file}',
  });
}

async function importFolder(
  folder: Folder,
  settings: LoadSettings,
  context: LoadContext,
): Promise<Loaded> {
  const { signal, meter } = context;
  context.notes.push(...folderNotes(folder));
  const remote = await context.remote;
  const options = { precision: settings.precision ?? 'int8', source: folder.name };
  await remote.call('beginImport', { texts: folder.texts, options }, { signal });
  const opened = new Map<WeightFile, HeadedFile>();
  try {
    for (const weights of folder.weights) {
      const headed = await openWeights(weights, (bytes, fileSize) =>
        remote.call('addHeader', { file: weights.path, bytes, fileSize }, { signal }),
      );
      meter.add(headed.file.label, headed.size ?? 0);
      if (opened.size < filesKeptOpen) opened.set(weights, headed);
      else headed.file.close();
    }
    meter.allKnown();
    for (const weights of folder.weights) {
      const headed = opened.get(weights) ?? (await readHeader(await weights.open()));
      opened.set(weights, headed);
      const file = weights.path;
      const send: Send = (offset, bytes) =>
        remote.call('writeWeights', { file, offset, bytes }, { signal, transfer: [bytes.buffer] });
      await sendAll(headed, send, signal);
      opened.delete(weights);
    }
  } finally {
    for (const { file } of opened.values()) file.close();
  }
  meter.prepare();
  const model = await remote.call('openImported', { source: folder.name }, { signal });
  return { name: folder.name, model, tokenizer: model.tokenizer };
}

async function openTokenizer(folder: Folder, context: LoadContext): Promise<Loaded> {
  const remote = await context.remote;
  context.meter.prepare();
  const tokenizer = await remote.call(
    'openTokenizer',
    { texts: folder.texts },
    { signal: context.signal },
  );
  return { name: folder.name, model: undefined, tokenizer };
}

/** Loads the model or tokenizer in a folder; gives a one-file model back that is alone in it. */
export async function loadFolder(
  store: FileStore,
  settings: LoadSettings,
  context: LoadContext,
  watch: Watch,
): Promise<Loaded | OneFile> {
  const found = settings.tokenizerOnly
    ? await readTokenizerFolder(store, watch, context.notes)
    : await readFolder(store, watch, context.notes, settings.weights);
  if (found.kind === 'file') return found;
  return settings.tokenizerOnly
    ? openTokenizer(found, context)
    : importFolder(found, settings, context);
}
