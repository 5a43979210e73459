/** The beginning of a weight file, told to importers: a safetensors header, or the nodes of an ONNX graph. */

import { PocketBertError } from '../errors.js';
import { withFirst, type Bytes, type OpenFile } from './files.js';
import type { WeightFile } from './folder_files.js';
import { brokenHeader, join, readHeader, type HeadedFile } from './safetensors_header.js';

/** Takes a file's first bytes and its size; gives 0, or how many bytes of the beginning it needs. */
export type AddHeader = (head: Bytes, size: number | undefined) => Promise<number>;

/** A graph, or the file beside it that may hold its values. */
export const isGraph = (path: string): boolean => /\.onnx(_data)?$/.test(path);

/** How long a graph's beginning is shows only as it is read. */
async function addGraph(file: OpenFile, add: AddHeader): Promise<HeadedFile> {
  let head: Bytes = new Uint8Array(0);
  let wanted = 1;
  for (;;) {
    const bytes = await file.read();
    if (bytes !== undefined) head = join(head, bytes);
    if (bytes !== undefined && head.length < wanted) continue;
    wanted = await add(head, bytes === undefined ? head.length : file.size);
    if (wanted === 0) break;
    if (bytes !== undefined) continue;
    throw new PocketBertError(
      'format',
      `${file.label} ended after ${head.length} bytes, within its graph: it is truncated`,
    );
  }
  return { file: withFirst(file, head), head, size: file.size, metadata: {} };
}

/** Opens a weight file and tells its beginning. It reads from its first byte on, all the same. */
export async function openWeights(weights: WeightFile, add: AddHeader): Promise<HeadedFile> {
  const file = await weights.open();
  if (isGraph(weights.path)) return addGraph(file, add);
  const headed = await readHeader(file);
  const needed = await add(headed.head, headed.size ?? headed.head.length);
  if (needed > 0) throw brokenHeader(headed);
  return headed;
}
