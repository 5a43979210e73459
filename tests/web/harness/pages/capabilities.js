// What the browser can do, asked with modules of a few bytes.
import { report } from '/harness/page.js';

const head = [0, 97, 115, 109, 1, 0, 0, 0];
// (func (result v128) i32.const 0 i8x16.splat)
const simd = [...head, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];
// (func (result v128) … i32x4.relaxed_dot_i8x16_i7x16_add of three splats)
const relaxed = [
  ...head,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  19,
  1,
  17,
  0,
  65,
  0,
  253,
  15,
  65,
  0,
  253,
  15,
  65,
  0,
  253,
  15,
  253,
  147,
  2,
  11,
];

function sharedMemory() {
  try {
    return (
      new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer instanceof
      SharedArrayBuffer
    );
  } catch {
    return false;
  }
}

async function moduleWorker() {
  const worker = new Worker(new URL('./echo_worker.js', import.meta.url), { type: 'module' });
  const answer = await new Promise((done, failed) => {
    worker.onmessage = (event) => done(event.data);
    worker.onerror = (event) => failed(new Error(event.message));
    worker.postMessage('hello');
  });
  worker.terminate();
  return answer;
}

await report(async () => ({
  simd: WebAssembly.validate(new Uint8Array(simd)),
  relaxed: WebAssembly.validate(new Uint8Array(relaxed)),
  isolated: crossOriginIsolated,
  sharedMemory: sharedMemory(),
  worker: await moduleWorker(),
  agent: navigator.userAgent,
}));
