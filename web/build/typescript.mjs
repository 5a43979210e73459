// Lets node run TypeScript sources as they are: `node --import ./web/build/typescript.mjs …`.
// Types are removed by esbuild; a relative import of `x.js` finds `x.ts`. Types are checked
// elsewhere (tsc).

import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

export function resolve(specifier, context, next) {
  if (
    /^\.{1,2}\//.test(specifier) &&
    specifier.endsWith('.js') &&
    context.parentURL?.startsWith('file:')
  ) {
    const source = new URL(`${specifier.slice(0, -3)}.ts`, context.parentURL);
    if (!existsSync(new URL(specifier, context.parentURL)) && existsSync(source)) {
      return { url: source.href, format: 'module', shortCircuit: true };
    }
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformSync } = await import('esbuild');
  const path = fileURLToPath(url);
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'es2022',
    sourcefile: path,
    sourcemap: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}

// The hooks run on a thread of their own, which loads this file again.
if (isMainThread && !process.env.POCKETBERT_HOOKS) register(import.meta.url);
