// @huggingface/transformers with onnxruntime-web's wasm backend, everything from this site.

import { env, pipeline } from '/peers/@huggingface/transformers/dist/transformers.min.js';

/**
 * @param {{ folder: string, model: string, dtype: string, threads: number, runtime: string }} options
 * `runtime`: which build of onnxruntime-web, by the end of its files' names
 */
export async function create({ folder, model, dtype, threads, runtime }) {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = folder;
  const files = `/peers/onnxruntime-web/dist/ort-wasm-simd-threaded${runtime}`;
  env.backends.onnx.wasm.wasmPaths = {
    mjs: new URL(`${files}.mjs`, location.href).href,
    wasm: new URL(`${files}.wasm`, location.href).href,
  };
  env.backends.onnx.wasm.numThreads = threads;
  const extractor = await pipeline('feature-extraction', model, { dtype, device: 'wasm' });
  const options = { pooling: 'mean', normalize: true };
  return {
    info: { threads: env.backends.onnx.wasm.numThreads },
    embed: async (text) => (await extractor(text, options)).data,
    async embedBatch(texts) {
      const { data, dims } = await extractor(texts, options);
      return texts.map((_, i) => data.subarray(i * dims[1], (i + 1) * dims[1]));
    },
  };
}
