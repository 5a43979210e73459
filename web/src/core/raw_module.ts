/** The wasm modules as Embind makes them: their types come from the generated declarations. */

import type { MainModule as ImportFunctions } from '#glue/pocketbert-import.js';
import type { MainModule } from '#glue/pocketbert-simd.js';
import type { VariantName } from './types.js';

/** All variants offer the same functions; the threaded one has its pool of workers besides. */
export type RawModule = MainModule & { PThread?: { terminateAllThreads(): void } };

/** Makes one-file models of Hugging Face folders; knows nothing of running them. */
export type ImportModule = ImportFunctions;

/** What both offer: memory, texts and tokenizers. */
export type SharedModule = Pick<MainModule, keyof MainModule & keyof ImportFunctions>;

export interface GlueOptions {
  /** Threads that compute, the caller's included (relaxed-mt). */
  threads: number;
  instantiateWasm: (
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
  print: (line: string) => void;
  printErr: (line: string) => void;
}

export type Glue<Module = RawModule> = (options: GlueOptions) => Promise<Module>;

interface ModuleFiles {
  glue: () => Promise<{ default: unknown }>;
  /** Written out, so that bundlers see which file is meant. */
  wasm: () => URL;
}

export const kVariantFiles: Record<VariantName, ModuleFiles> = {
  simd: {
    glue: () => import('#glue/pocketbert-simd.js'),
    wasm: () => new URL('./pocketbert-simd.wasm', import.meta.url),
  },
  relaxed: {
    glue: () => import('#glue/pocketbert-relaxed.js'),
    wasm: () => new URL('./pocketbert-relaxed.wasm', import.meta.url),
  },
  'relaxed-mt': {
    glue: () => import('#glue/pocketbert-relaxed-mt.js'),
    wasm: () => new URL('./pocketbert-relaxed-mt.wasm', import.meta.url),
  },
};

export const kImportFiles: ModuleFiles = {
  glue: () => import('#glue/pocketbert-import.js'),
  wasm: () => new URL('./pocketbert-import.wasm', import.meta.url),
};

export async function loadGlue(variant: VariantName): Promise<Glue> {
  const loaded = await kVariantFiles[variant].glue();
  return loaded.default as Glue;
}
