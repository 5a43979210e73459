/** A folder of the user's disk, opened with the page's file picker. */

import { toPocketBertError } from '../errors.js';
import { openBlob, type FileStore } from './files.js';

/** Folders below the model's own that are looked into: `1_Pooling/`, `heads/`. */
const depth = 2;

async function listInto(
  handle: FileSystemDirectoryHandle,
  prefix: string,
  paths: string[],
): Promise<void> {
  for await (const [name, entry] of handle.entries()) {
    if (entry.kind === 'file') paths.push(prefix + name);
    else if (prefix.split('/').length <= depth) {
      await listInto(await handle.getDirectoryHandle(name), `${prefix}${name}/`, paths);
    }
  }
}

function isAbsent(thrown: unknown): boolean {
  return (
    thrown instanceof DOMException && ['NotFoundError', 'TypeMismatchError'].includes(thrown.name)
  );
}

export function directoryStore(handle: FileSystemDirectoryHandle): FileStore {
  return {
    label: `folder ${handle.name}`,
    name: handle.name,
    async list() {
      const paths: string[] = [];
      await listInto(handle, '', paths);
      return paths;
    },
    async open(path) {
      const segments = path.split('/');
      const file = segments.pop() ?? '';
      try {
        let folder = handle;
        for (const segment of segments) folder = await folder.getDirectoryHandle(segment);
        return openBlob(
          await (await folder.getFileHandle(file)).getFile(),
          `${handle.name}/${path}`,
        );
      } catch (thrown) {
        if (isAbsent(thrown)) return undefined;
        throw toPocketBertError(thrown, 'format', `${handle.name}/${path} could not be opened`);
      }
    },
  };
}
