// ruvector-onnx-embeddings-wasm: ONNX on tract, compiled to wasm. The package's script is made for
// node (CommonJS, reads its wasm with `fs`); here it is given the wasm's bytes in place of the disk's.

const kPackage = '/peers/ruvector-onnx-embeddings-wasm/ruvector_onnx_embeddings_wasm';

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

async function load() {
  const [script, wasm] = await Promise.all([bytes(`${kPackage}.js`), bytes(`${kPackage}_bg.wasm`)]);
  const module = { exports: {} };
  const require = (name) =>
    name === 'fs' ? { readFileSync: () => wasm } : { TextDecoder, TextEncoder };
  const run = new Function(
    'module',
    'exports',
    'require',
    '__dirname',
    new TextDecoder().decode(script),
  );
  run(module, module.exports, require, '');
  return module.exports;
}

/** @param {{ folder: string, model: string, file: string, maxLength: number }} options */
export async function create({ folder, model, file, maxLength }) {
  const at = `${folder}${model}/`;
  const files = [load(), bytes(at + file), bytes(`${at}tokenizer.json`)];
  const [{ WasmEmbedder, WasmEmbedderConfig }, onnx, tokenizer] = await Promise.all(files);
  const config = new WasmEmbedderConfig().setMaxLength(maxLength).setNormalize(true).setPooling(0);
  const embedder = WasmEmbedder.withConfig(onnx, new TextDecoder().decode(tokenizer), config);
  const width = embedder.dimension();
  return {
    info: {},
    embed: async (text) => embedder.embedOne(text),
    async embedBatch(texts) {
      const data = embedder.embedBatch(texts);
      return texts.map((_, i) => data.subarray(i * width, (i + 1) * width));
    },
  };
}
