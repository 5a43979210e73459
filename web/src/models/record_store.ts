/** Files that the caller holds: by path, or as a dropped folder. */

import { PocketBertError } from '../errors.js';
import type { FilePart, FileRecord } from '../types.js';
import { openBlob, openBytes, type FileStore, type OpenFile } from './files.js';
import { hasDisk, later } from './platform.js';
import type { UrlReading } from './url_file.js';
import { openInFolder } from './url_store.js';

/** What a value is, for messages: its class, or its type. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name: unknown = Object(value).constructor?.name;
  const kind = typeof value === 'object' && typeof name === 'string' ? name : typeof value;
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

async function openPart(
  path: string,
  part: FilePart,
  reading: UrlReading,
): Promise<OpenFile | undefined> {
  if (typeof part === 'string') return openBytes(new TextEncoder().encode(part), path);
  if (part instanceof Blob) return openBlob(part, path);
  if (part instanceof Uint8Array) return openBytes(part, path);
  if (part instanceof ArrayBuffer) return openBytes(new Uint8Array(part), path);
  if (part instanceof URL) {
    if (part.protocol !== 'file:' || !hasDisk()) return openInFolder(part, path, reading);
    return (await later(import('./disk_store.js'))).openFileAddress(part);
  }
  throw new PocketBertError('invalid_argument', `${path} is ${kindOf(part)}; expected a Blob, bytes, text or a URL`);
}

/** The one folder that holds all these paths, with its slash; `''` if there is none. */
function topOf(paths: readonly string[]): string {
  const top = /^[^/]*\//.exec(paths[0] ?? '')?.[0] ?? '';
  return paths.every((path) => path.startsWith(top)) ? top : '';
}

/** A store over `{path: part}`; the paths may be those below one folder. */
export function recordStore(record: FileRecord, reading: UrlReading): FileStore {
  const parts = new Map<string, FilePart>();
  for (const [path, part] of Object.entries(record)) parts.set(path.replace(/^(\.?\/)+/, ''), part);
  const top = topOf([...parts.keys()]);
  return {
    label: 'the given files',
    name: top.slice(0, -1),
    list: async () => [...parts.keys()].map((path) => path.slice(top.length)),
    async open(path) {
      const part = parts.get(top + path);
      return part === undefined ? undefined : openPart(path, part, reading);
    },
  };
}

/** Dropped files by path. */
export function recordOfFiles(files: readonly unknown[]): FileRecord {
  const record: { [path: string]: FilePart } = {};
  [...files].forEach((file, index) => {
    if (!(file instanceof File)) {
      throw new PocketBertError(
        'invalid_argument',
        `item ${index} of the model source is ${kindOf(file)}, expected a File`,
        { hint: 'give a list of Files, or a record {path: file}' },
      );
    }
    const path = file.webkitRelativePath || file.name;
    if (path in record) {
      throw new PocketBertError('invalid_argument', `two of the given files are called ${path}`, {
        hint: 'give a record {path: file} with paths such as 1_Pooling/config.json',
      });
    }
    record[path] = file;
  });
  return record;
}
