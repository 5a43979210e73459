/** Files that the caller holds: by path, or as a dropped folder. */

import { PocketBertError } from '../errors.js';
import type { FilePart, FileRecord } from '../types.js';
import { openBlob, openBytes, type FileStore, type OpenFile } from './files.js';
import type { UrlReading } from './url_file.js';
import { openInFolder } from './url_store.js';

async function openPart(
  path: string,
  part: FilePart,
  reading: UrlReading,
): Promise<OpenFile | undefined> {
  if (typeof part === 'string') return openBytes(new TextEncoder().encode(part), path);
  if (part instanceof Blob) return openBlob(part, path);
  if (part instanceof Uint8Array) return openBytes(part, path);
  if (part instanceof ArrayBuffer) return openBytes(new Uint8Array(part), path);
  if (part instanceof URL) return openInFolder(part, path, reading);
  throw new PocketBertError('invalid_argument', `${path} is neither Blob, bytes, text nor URL`);
}

/** A store over `{path: part}`. */
export function recordStore(record: FileRecord, name: string, reading: UrlReading): FileStore {
  const parts = new Map<string, FilePart>();
  for (const [path, part] of Object.entries(record)) parts.set(path.replace(/^(\.?\/)+/, ''), part);
  return {
    label: 'the given files',
    name,
    list: async () => [...parts.keys()],
    async open(path) {
      const part = parts.get(path);
      return part === undefined ? undefined : openPart(path, part, reading);
    },
  };
}

/** Paths of dropped files relative to the one folder that holds them all, if there is one. */
export function recordOfFiles(files: readonly File[]): { record: FileRecord; name: string } {
  const paths = files.map((file) => file.webkitRelativePath || file.name);
  const top = paths[0]?.includes('/') ? paths[0].slice(0, paths[0].indexOf('/') + 1) : '';
  const strip = top !== '' && paths.every((path) => path.startsWith(top)) ? top.length : 0;
  const record: { [path: string]: FilePart } = {};
  files.forEach((file, index) => {
    const path = (paths[index] ?? file.name).slice(strip);
    if (path in record) {
      throw new PocketBertError('invalid_argument', `two of the given files are called ${path}`, {
        hint: 'give a record {path: file} with paths such as 1_Pooling/config.json',
      });
    }
    record[path] = file;
  });
  return { record, name: top.slice(0, -1) };
}
