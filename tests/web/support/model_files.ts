/** Small files of the right form, made in place. */

/** A safetensors file: one U8 tensor a name, filled with rising bytes. */
export function safetensors(
  tensors: Record<string, number>,
  metadata: Record<string, string> = {},
): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, size] of Object.entries(tensors)) {
    header[name] = { dtype: 'U8', shape: [size], data_offsets: [end, end + size] };
    end += size;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true);
  file.set(json, 8);
  for (let i = 0; i < end; i++) file[8 + json.length + i] = (i * 31) % 251;
  return file;
}

/** A one-file model as far as the loader looks at it. */
export function oneFile(bytes = 5000): Uint8Array<ArrayBuffer> {
  return safetensors({ weights: bytes }, { format: 'pocketbert', format_version: '1' });
}

/** The texts of a plain BERT folder. */
export const texts = {
  'config.json': '{"model_type":"bert"}',
  'tokenizer.json': '{"model":{}}',
};

/** A plain BERT folder. */
export function folder(bytes = 5000): { [path: string]: Uint8Array<ArrayBuffer> | string } {
  return { ...texts, 'model.safetensors': safetensors({ 'a.weight': bytes }) };
}
