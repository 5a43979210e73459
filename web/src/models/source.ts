/** From what the caller calls a model to where its files are. */

import { PocketBertError, type ErrorCode } from '../errors.js';
import type { Source } from '../types.js';
import { openBlob, openBytes, type FileStore, type OpenFile } from './files.js';
import { hasDisk, later, pageAddress } from './platform.js';
import { openUrl, type UrlReading } from './url_file.js';

/** A one-file model, or a folder. */
export type Origin =
  | { readonly kind: 'file'; readonly name: string; open(): Promise<OpenFile> }
  | { readonly kind: 'folder'; readonly store: FileStore };

const noHost =
  'PocketBERT has no default host: give the full address, such as https://HOST/OWNER/MODEL/resolve/main/';

/** The error for a place where nothing is: an address, unless code and hint say otherwise. */
export function missing(label: string, code: ErrorCode = 'network', hint = noHost): PocketBertError {
  return new PocketBertError(code, `${label} was not found`, { hint });
}

/** The name of the model in a file of this name or path. */
export function stem(name: string): string {
  return name.replace(/^.*\//, '').replace(/(\.pocketbert)?\.safetensors$/, '');
}

/** The same text without percent signs, where they are sound. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fileAt(url: URL, reading: UrlReading): Origin {
  const name = stem(decoded(url.pathname));
  return {
    kind: 'file',
    name,
    async open() {
      const file = await openUrl(url, '', reading);
      if (file === undefined) throw missing(url.href);
      return file;
    },
  };
}

async function inFolder(source: Source, reading: UrlReading): Promise<Origin> {
  const { storeOf } = await later(import('./folder.js'));
  return { kind: 'folder', store: storeOf(source, reading) };
}

async function fromDisk(source: string | URL): Promise<Origin> {
  if (hasDisk()) return (await later(import('./disk_store.js'))).originOnDisk(source);
  throw new PocketBertError('unsupported', `${source} is on the disk, which pages cannot read`);
}

function fromUrl(url: URL, reading: UrlReading): Origin | Promise<Origin> {
  if (url.protocol === 'file:') return fromDisk(url);
  const isFile =
    url.protocol === 'blob:' || url.protocol === 'data:' || url.pathname.endsWith('.safetensors');
  return isFile ? fileAt(url, reading) : inFolder(url, reading);
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
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
    const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
    return { kind: 'file', name: '', open: async () => openBytes(bytes, 'the given bytes') };
  }
  return inFolder(source, reading);
}
