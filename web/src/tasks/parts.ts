/**
 * Vectors of windows and of tokens, from what the engine gives. A file of its own, loaded with the first call
 * that wants it: few pages do.
 */

import type { EmbedOptions, EmbedPartsResult } from '../core/types.js';
import type { EmbedOptions as PublicEmbedOptions, Offset, TextWindow, TokenEmbeddings } from '../types.js';
import type { Facts } from './embeddings.js';
import type { Ask } from './model_user.js';

interface Args {
  readonly texts: string[];
  readonly options: EmbedOptions;
}

/** @param call asks the engine on behalf of the user */
export async function windowVectors(
  call: Ask,
  { texts, options: embed }: Args,
  { stride, windows: which }: Pick<PublicEmbedOptions, 'stride' | 'windows'>,
): Promise<Facts & { data: Float32Array; dims: [number, number] }> {
  const each = which === 'each';
  const options = { each, stride, embed };
  const result = await call('embedParts', { texts, options });
  const windows = windowsOf(result);
  const lengths = each ? windows.map(({ tokens }) => tokens) : lengthsOf(result, windows);
  const count = lengths.length;
  const data = new Float32Array(count * result.dimensions);
  let at = 0;
  for (const part of result.data) {
    data.set(part, at);
    at += part.length;
  }
  return {
    data,
    dims: [count, result.dimensions],
    tokens: Int32Array.from(lengths),
    truncated: lengths.map(() => false),
    windows,
  };
}

/** @param call asks the engine on behalf of the user */
export async function tokenVectors(
  call: Ask,
  { texts, options: embed }: Args,
): Promise<TokenEmbeddings[]> {
  const result = await call('embedParts', { texts, options: { tokens: true, embed } });
  const { counts, truncated, dimensions } = result;
  const offsets = result.parts.flatMap(placesOf).map(({ start, end }): Offset => [start, end]);
  const batches = result.data.values();
  let batch: Float32Array = new Float32Array(0);
  let used = 0;
  let from = 0;
  return Array.from(counts, (tokens, i) => {
    if (used === batch.length) {
      batch = batches.next().value ?? batch;
      used = 0;
    }
    return {
      data: batch.slice(used, (used += tokens * dimensions)),
      dims: [tokens, dimensions] as const,
      tokens,
      offsets: offsets.slice(from, (from += tokens)),
      truncated: truncated[i] === 1,
    };
  });
}

type Place = Omit<TextWindow, 'text'>;

function placesOf(parts: Uint32Array): Place[] {
  return Array.from({ length: parts.length / 3 }, (_, i) => {
    const [tokens = 0, start = 0, end = 0] = parts.subarray(3 * i);
    return { tokens, start, end };
  });
}

function windowsOf({ parts, counts }: EmbedPartsResult): TextWindow[] {
  const places = parts.flatMap(placesOf).values();
  return Array.from(counts).flatMap((count, text) =>
    Array.from({ length: count }, () => ({
      text,
      ...(places.next().value ?? { tokens: 0, start: 0, end: 0 }),
    })),
  );
}

/** Tokens of each text. */
function lengthsOf({ count }: EmbedPartsResult, windows: readonly TextWindow[]): number[] {
  const lengths: number[] = Array.from({ length: count }, () => 0);
  for (const { text, tokens } of windows) lengths[text] = (lengths[text] ?? 0) + tokens;
  return lengths;
}
