// The package's declarations stand on their own: programs of the web and of node compile with them,
// also with `skipLibCheck: false` and the language of 2022.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kTop } from './tree.mjs';

const kFolder = join(kTop, 'build/types-test');
const kProgram = `import { Classifier, Embedder, ModelUser, pipeline, Tokenizer, type TextInput } from 'pocketbert';
const embedder = await Embedder.create({ wasm: new URL('https://example.org/x.wasm') });
const either: string | readonly string[] = JSON.parse('[]');
const inputs: TextInput | readonly TextInput[] = JSON.parse('[]');
export const found = [await embedder.embed(either), await embedder.countTokens(either)];
const classifier = await Classifier.create({ model: embedder });
export const labels = await classifier.classify(inputs, { top_k: null });
export const extract = await (await pipeline('feature-extraction', classifier))(either, { pooling: 'mean' });
export const user: ModelUser = await Tokenizer.create({ model: 'https://example.org/m/' });
// @ts-expect-error: objects come from create()
new Embedder();
// @ts-expect-error: no option of that name
await embedder.embed('text', { max_length: 5 });
`;

const settings = (lib, types) => ({
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    lib,
    types,
  },
  files: ['program.ts'],
});

describe('declarations', () => {
  before(() => {
    rmSync(kFolder, { recursive: true, force: true });
    mkdirSync(join(kFolder, 'node_modules'), { recursive: true });
    symlinkSync(kTop, join(kFolder, 'node_modules/pocketbert'));
    writeFileSync(join(kFolder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(kFolder, 'program.ts'), kProgram);
  });
  after(() => rmSync(kFolder, { recursive: true, force: true }));

  for (const [name, lib, types] of [
    ['a page', ['ES2022', 'DOM'], []],
    ['node, without the DOM', ['ES2022'], ['node']],
    ['both', ['ES2022', 'DOM'], ['node']],
  ]) {
    test(name, () => {
      writeFileSync(join(kFolder, 'tsconfig.json'), JSON.stringify(settings(lib, types)));
      const tsc = join(kTop, 'node_modules/.bin/tsc');
      try {
        execFileSync(tsc, ['-p', kFolder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      } catch (error) {
        assert.fail(error.stdout);
      }
    });
  }
});
