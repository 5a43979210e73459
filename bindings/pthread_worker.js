// Emscripten JS library, compiled into the glue of the threaded variant only.
//
// Emscripten starts its thread workers with an options object that it keeps in a variable. Bundlers
// (Vite, webpack, Rollup) recognize a worker only when address and options are written out in the
// `new Worker` expression itself, so this replaces that one method of Emscripten's thread pool. The
// worker is the glue file again: it sees its name (in node: its workerData) and runs as a thread.
//
// The condition: while emcc writes the TypeScript declarations it runs this without ES modules.

#if EXPORT_ES6
LibraryManager.library.$PThread.allocateUnusedWorker = function () {
  PThread.unusedWorkers.push(
    new Worker(new URL('./pocketbert-relaxed-mt.js', import.meta.url), {
      type: 'module',
      name: 'em-pthread',
      workerData: 'em-pthread',
    }),
  );
};
#endif
