/** From what the caller calls a model to where its files are. */

import { PocketBertError } from '../errors.js';
import type { FileRecord, Source } from '../types.js';
import { directoryStore } from './directory_store.js';
import {
  openBlob,
  openBytes,
  refuseForeign,
  withFirst,
  type FileStore,
  type OpenFile,
} from './files.js';
import { hasDisk, pageAddress } from './platform.js';
import { recordOfFiles, recordStore } from './record_store.js';
import { openUrl, urlStore, type UrlReading } from './url_store.js';

/** A one-file model, or a folder. */
export type Origin =
  | { readonly kind: 'file'; readonly name: string; open(): Promise<OpenFile> }
  | { readonly kind: 'folder'; readonly store: FileStore };

const noHost =
  'PocketBERT has no default host: give the full address, such as https://HOST/OWNER/MODEL/resolve/main/';

function missing(label: string): PocketBertError {
  return new PocketBertError('network', `${label} was not found`, { hint: noHost });
}

function stem(name: string): string {
  return name.replace(/^.*\//, '').replace(/(\.pocketbert)?\.safetensors$/, '');
}

function fileAt(url: URL, reading: UrlReading): Origin {
  const path = decodeURIComponent(url.pathname);
  return {
    kind: 'file',
    name: stem(path),
    async open() {
      const file = await openUrl(url, `${stem(path)}.safetensors`, reading);
      if (file === undefined) throw missing(url.href);
      return file;
    },
  };
}

async function fromDisk(source: string | URL): Promise<Origin> {
  const { diskPath, diskStore, kindOnDisk, openDisk } = await import('./disk_store.js');
  const place = typeof source === 'string' ? source : diskPath(source);
  const kind = await kindOnDisk(place);
  if (kind === undefined) throw missing(place);
  if (kind === 'directory') return { kind: 'folder', store: diskStore(place) };
  return {
    kind: 'file',
    name: stem(place.replaceAll('\\', '/')),
    async open() {
      const file = await openDisk(place);
      if (file === undefined) throw missing(place);
      return file;
    },
  };
}

function fromUrl(url: URL, reading: UrlReading): Origin | Promise<Origin> {
  if (url.protocol === 'file:') return fromDisk(url);
  const isFile =
    url.protocol === 'blob:' || url.protocol === 'data:' || url.pathname.endsWith('.safetensors');
  return isFile ? fileAt(url, reading) : { kind: 'folder', store: urlStore(url, reading) };
}

function fromString(source: string, reading: UrlReading): Origin | Promise<Origin> {
  if (source === '')
    throw new PocketBertError('invalid_argument', 'the model source is an empty string');
  if (source === 'default') {
    return fromUrl(
      new URL('../models/default/default.pocketbert.safetensors', import.meta.url),
      reading,
    );
  }
  const hasScheme = /^[a-z][a-z0-9+.-]+:/i.test(source);
  if (!hasScheme && hasDisk()) return fromDisk(source);
  try {
    return fromUrl(new URL(source, pageAddress()), reading);
  } catch (cause) {
    throw new PocketBertError(
      'invalid_argument',
      `${JSON.stringify(source)} is no address of a model`,
      { hint: noHost, cause },
    );
  }
}

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
    typeof source === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(source))
  );
}

function fromBytes(bytes: Uint8Array): Origin {
  return { kind: 'file', name: '', open: async () => openBytes(bytes, 'the given bytes') };
}

/** Where the files of `source` are. Nothing is fetched yet. */
export async function originOf(source: Source, reading: UrlReading): Promise<Origin> {
  if (typeof source === 'string') return fromString(source, reading);
  if (source instanceof URL) return fromUrl(source, reading);
  if (source instanceof Blob) {
    const name = source instanceof File ? source.name : '';
    return {
      kind: 'file',
      name: stem(name),
      open: async () => openBlob(source, name || 'the given Blob'),
    };
  }
  if (source instanceof Uint8Array) return fromBytes(source);
  if (source instanceof ArrayBuffer) return fromBytes(new Uint8Array(source));
  if (isFileList(source)) {
    const { record, name } = recordOfFiles(source);
    return { kind: 'folder', store: recordStore(record, name, reading) };
  }
  if (isDirectory(source)) return { kind: 'folder', store: directoryStore(source) };
  if (isFileRecord(source)) return { kind: 'folder', store: recordStore(source, '', reading) };
  throw new PocketBertError('invalid_argument', `a ${typeof source} is no model source`, {
    hint: 'give a URL, a path, bytes, a Blob, a FileSystemDirectoryHandle, a list of Files or a record {path: file}',
  });
}

/** Refuses a file whose first bytes show that it is something else. */
export async function sniff(file: OpenFile, path: string): Promise<OpenFile> {
  const first = await file.read();
  if (first !== undefined) refuseForeign(file, path, first);
  return withFirst(file, first);
}
