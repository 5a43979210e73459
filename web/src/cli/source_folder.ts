/** What lies at the path or address that a command was given. */

import { PocketBertError } from '../errors.js';
import { sniff, type OpenFile } from '../models/files.js';
import { readFolder, type Folder } from '../models/folder_files.js';
import { folderNotes } from '../models/folder_notes.js';
import { readHeader, type HeadedFile } from '../models/safetensors_header.js';
import { originOf } from '../models/source.js';

/** A single file, of which the header was read. */
export interface HeadedModel {
  readonly kind: 'file';
  readonly headed: HeadedFile;
}

async function headedModel(source: string, file: OpenFile): Promise<HeadedModel> {
  return { kind: 'file', headed: await readHeader(await sniff(file, source)) };
}

export interface Looking {
  /** Gets a sentence about what the user should know. */
  readonly say: (sentence: string) => void;
  /** Path of the weights in a folder, if they are not the usual ones. */
  readonly weights: string | undefined;
}

export async function sourceAt(source: string, { say, weights }: Looking): Promise<Folder | HeadedModel> {
  const notes: string[] = [];
  const reading = {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init),
    offline: false,
    signal: new AbortController().signal,
    note: (sentence: string) => void notes.push(sentence),
  };
  const origin = await originOf(source, reading);
  if (origin.kind === 'file') return headedModel(source, await origin.open());
  const found = await readFolder(origin.store, (file) => file, notes, weights);
  if (found.kind === 'file') return headedModel(source, await found.open());
  for (const note of [...notes, ...folderNotes(found)]) say(`note: ${note}`);
  return found;
}

/** The folder at `source`; a single file is refused, and told whether it is one of ours. */
export async function folderAt(source: string, looking: Looking): Promise<Folder> {
  const found = await sourceAt(source, looking);
  if (found.kind === 'folder') return found;
  found.headed.file.close();
  const isOurs = found.headed.metadata?.['format'] === 'pocketbert';
  const what = isOurs ? 'a converted PocketBERT model already' : 'a single file';
  throw new PocketBertError('invalid_argument', `${source} is ${what}; expected the folder or address of a Hugging Face model`, {
    hint: isOurs ? '' : 'give the folder that holds config.json, tokenizer.json and model.safetensors',
  });
}
