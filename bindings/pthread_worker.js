// Emscripten JS library, compiled into the glue of the threaded variant only.
//
// Emscripten starts its thread workers with an options object that it keeps in a variable. Bundlers
// (Vite, webpack, Rollup) recognize a worker only when address and options are written out in the
// `new Worker` expression itself, so this replaces that one method of Emscripten's thread pool. The
// worker is the glue file again: it sees its name (in node: its workerData) and runs as a thread.
//
// In node Emscripten would make node's class `Worker` global for good; the build takes that line out,
// and the class is there only while it is used. (Written as a bundler of pages expects it.)
//
// Each thread, the main one too, would wait for messages with Atomics.waitAsync: V8 keeps such a
// promise, and the whole memory with it, as long as the process runs. Without that wait the threads
// are told by postMessage.
//
// The condition: while emcc writes the TypeScript declarations it runs this without ES modules.

#if EXPORT_ES6
LibraryManager.library.$PThread.allocateUnusedWorker = function () {
  var own = globalThis.Worker;
  if (ENVIRONMENT_IS_NODE) globalThis.Worker = worker_threads.Worker;
  try {
    PThread.unusedWorkers.push(
      new Worker(new URL('./pocketbert-relaxed-mt.js', import.meta.url), {
        type: 'module',
        name: 'em-pthread',
        workerData: 'em-pthread',
      }),
    );
  } finally {
    if (ENVIRONMENT_IS_NODE && own) globalThis.Worker = own;
    else if (ENVIRONMENT_IS_NODE) delete globalThis.Worker;
  }
};
LibraryManager.library._emscripten_thread_mailbox_await = function () {};
#endif
