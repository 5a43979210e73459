// Loads the model at argv[2] and prints what memory that took: wasm, and of JavaScript heap and buffers
// the most that was seen above what this program had before. With --expose-gc only what is held counts.

import { Embedder } from 'pocketbert';

const before = process.memoryUsage();
const most = { heap: 0, buffers: 0 };
let looks = 0;
const look = () => {
  if (globalThis.gc !== undefined && ++looks % 50 !== 0) return;
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  most.heap = Math.max(most.heap, heapUsed - before.heapUsed);
  most.buffers = Math.max(most.buffers, arrayBuffers - before.arrayBuffers);
};
const start = performance.now();
const embedder = await Embedder.create({ model: process.argv[2], onProgress: look });
const seconds = (performance.now() - start) / 1000;
const { wasm, weights } = await embedder.memory();
console.log(JSON.stringify({ ...most, wasm, weights, seconds }));
await embedder.destroy();
