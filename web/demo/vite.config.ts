import { defineConfig } from 'vite';

/** The page as a user's bundler would build it: the package is found by its own name. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: '../../build/demo',
    emptyOutDir: true,
    target: 'es2022',
    // Wasm and weights stay files of their own: they are streamed, and CSP forbids data: fetches.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
});
