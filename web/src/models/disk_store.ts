/**
 * Files of the disk, in node. Pages do not load this file, and node's modules are asked of the process, so
 * that no bundler looks for them.
 */

import { messageOf, PocketBertError } from '../errors.js';
import type { FileStore, OpenFile } from './files.js';
import { missing, stem, type Origin } from './source.js';

const partBytes = 1 << 18;

function builtin() {
  if (typeof process.getBuiltinModule !== 'function') {
    throw new PocketBertError(
      'unsupported',
      'files of the disk can be read in node 20.16 and newer only',
      {
        hint: 'give bytes, a Blob or a URL',
      },
    );
  }
  return {
    fs: process.getBuiltinModule('node:fs').promises,
    path: process.getBuiltinModule('node:path'),
    url: process.getBuiltinModule('node:url'),
  };
}

/** Opens a file; undefined if there is none. */
async function openDisk(file: string): Promise<OpenFile | undefined> {
  const { fs } = builtin();
  try {
    if (!(await fs.stat(file)).isFile()) return undefined;
  } catch {
    return undefined;
  }
  const handle = await fs.open(file, 'r').catch((cause: unknown) => {
    throw new PocketBertError('format', `${file} could not be opened: ${String(cause)}`, { cause });
  });
  const size = (await handle.stat()).size;
  let offset = 0;
  let open = true;
  const close = (): void => {
    if (open) void handle.close();
    open = false;
  };
  return {
    label: file,
    size,
    expected: size,
    async read(spare = new ArrayBuffer(partBytes)) {
      if (!open) return undefined;
      const { bytesRead } = await handle.read(new Uint8Array(spare), 0, spare.byteLength, offset);
      offset += bytesRead;
      if (bytesRead > 0) return new Uint8Array(spare, 0, bytesRead);
      close();
      return undefined;
    },
    close,
  };
}

/** A directory of the disk. */
function diskStore(directory: string): FileStore {
  const { fs, path } = builtin();
  return {
    label: directory,
    name: path.basename(path.resolve(directory)),
    async list() {
      const paths: string[] = [];
      for (const entry of await fs.readdir(directory, { withFileTypes: true })) {
        if (!entry.isDirectory()) paths.push(entry.name);
        else
          for (const name of await fs.readdir(path.join(directory, entry.name)))
            paths.push(`${entry.name}/${name}`);
      }
      return paths;
    },
    open: (file) => openDisk(path.join(directory, file)),
  };
}

/** What lies at a path: `directory`, `file` or nothing. */
async function kindOnDisk(place: string): Promise<'directory' | 'file' | undefined> {
  try {
    return (await builtin().fs.stat(place)).isDirectory() ? 'directory' : 'file';
  } catch (thrown) {
    if (thrown instanceof PocketBertError) throw thrown;
    return undefined;
  }
}

/** The path of a `file:` address. */
function pathOf(address: URL): string {
  try {
    return builtin().url.fileURLToPath(address);
  } catch (cause) {
    if (cause instanceof PocketBertError) throw cause;
    throw new PocketBertError(
      'invalid_argument',
      `${address.href} is no address of a file: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** The file at a `file:` address; undefined if there is none. */
export function openFileAddress(address: URL): Promise<OpenFile | undefined> {
  return openDisk(pathOf(address));
}

/** The error for a place where nothing is. Unless it is written as a path, a model's name may be meant. */
function missingPlace(place: string) {
  return missing(place, 'invalid_argument', /^\.{0,2}[/\\]/.test(place) ? '' : undefined);
}

/** What is at a path or a `file:` address. */
export async function originOnDisk(source: string | URL): Promise<Origin> {
  const place = typeof source === 'string' ? source : pathOf(source);
  const kind = await kindOnDisk(place);
  if (kind === undefined) throw missingPlace(place);
  if (kind === 'directory') return { kind: 'folder', store: diskStore(place) };
  return {
    kind: 'file',
    name: stem(place.replaceAll('\\', '/')),
    async open() {
      const file = await openDisk(place);
      if (file === undefined) throw missingPlace(place);
      return file;
    },
  };
}
