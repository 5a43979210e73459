/** Files and folders that are dropped on the page. */

import type { Source } from 'pocketbert';

import { byId } from './element.js';

export type UseFiles = (name: string, source: Source) => void;

/** Watches the whole page; text that is dragged into a field is left alone. */
export function acceptDrops(use: UseFiles): void {
  const veil = byId('drop-veil', HTMLElement);
  addEventListener('dragover', (event) => {
    if (!(event.dataTransfer?.types.includes('Files') ?? false)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) veil.hidden = true;
  });
  addEventListener('drop', (event) => {
    veil.hidden = true;
    if (!(event.dataTransfer?.types.includes('Files') ?? false)) return;
    event.preventDefault();
    void readDrop(event.dataTransfer, use);
  });
}

/** "folder/MiniLM.int8.pocketbert.safetensors" → "MiniLM.int8": a model's name by its path. */
export function nameOf(path: string): string {
  const last = path.split('/').filter(Boolean).pop() ?? path;
  return last.replace(/(\.pocketbert)?\.safetensors$/, '');
}

/** A one-file model, or the files of a folder. */
export function useFiles(list: FileList | null | undefined, use: UseFiles): void {
  const files = [...(list ?? [])];
  const [first] = files;
  if (first === undefined) return;
  if (files.length === 1 && first.name.endsWith('.safetensors'))
    return use(nameOf(first.name), first);
  const folder = first.webkitRelativePath.split('/')[0] ?? '';
  const name = files.length === 1 ? nameOf(first.name) : 'Your files';
  use(folder === '' ? name : folder, files);
}

// Chromium has these objects, but not their classes by name: `instanceof` is of no use.
function isFolder(entry: FileSystemEntry | null): entry is FileSystemDirectoryEntry {
  return entry?.isDirectory ?? false;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

async function readDrop(data: DataTransfer | null, use: UseFiles): Promise<void> {
  // Entries have to be taken before the first wait: the list is emptied when the event is over.
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const files = data?.files;
  const folder = entries.find(isFolder);
  if (folder === undefined) return useFiles(files, use);
  const record: Record<string, File> = {};
  await readFolder(folder, '', record);
  use(folder.name, record);
}

/** All files below a dropped folder, by their paths inside it. */
async function readFolder(
  folder: FileSystemDirectoryEntry,
  path: string,
  into: Record<string, File>,
): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (isFolder(entry)) {
        await readFolder(entry, `${path}${entry.name}/`, into);
      } else if (isFile(entry)) {
        into[path + entry.name] = await new Promise<File>((resolve, reject) =>
          entry.file(resolve, reject),
        );
      }
    }
  }
}
