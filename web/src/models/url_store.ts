/** Folders behind addresses: a file that is answered with a web page is absent. */

import { beginningOf, isWebPage, withFirst, type FileStore, type OpenFile } from './files.js';
import { decoded } from './source.js';
import { openUrl, type UrlReading } from './url_file.js';

/** Opens the file of a folder that is at `url`; undefined if there is none. */
export async function openInFolder(
  url: URL,
  path: string,
  reading: UrlReading,
): Promise<OpenFile | undefined> {
  const file = await openUrl(url, path, reading);
  // A page in the place of weights is no answer to a question that is asked in vain: it is refused.
  if (file === undefined || path.endsWith('.safetensors')) return file;
  const first = await file.read();
  if (first === undefined || !isWebPage(first)) return withFirst(file, first);
  file.close();
  reading.note(
    `${path} was answered with a web page (${file.type}, ${beginningOf(first)}) and taken for absent`,
  );
  return undefined;
}

/** A folder behind an address. */
export function urlStore(folder: URL, reading: UrlReading): FileStore {
  const base = new URL(folder.href);
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const name = decoded(base.pathname.split('/').filter(Boolean).at(-1) ?? base.host);
  return {
    label: base.href,
    name,
    list: async () => undefined,
    open(path) {
      const url = new URL(path.split('/').map(encodeURIComponent).join('/'), base);
      url.search = base.search;
      return openInFolder(url, path, reading);
    },
  };
}
