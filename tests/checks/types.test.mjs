// The package's declarations stand on their own: programs of the web and of node compile with them,
// also with `skipLibCheck: false` and the language of 2022.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kTop } from './tree.mjs';

const kFolder = join(kTop, 'build/types-test');
const kProgram = `import { Classifier, Embedder, ModelUser, pipeline, Tokenizer } from 'pocketbert';
import type { Answer, Fill, Label, TextInput, TokenClassificationResult, ZeroShotClassification } from 'pocketbert';
/** Neither wider nor narrower than T. */
interface Exactly<T> { readonly there: (value: T) => T; }
function exactly<T>(value: T): Exactly<T> { return { there: () => value }; }
const embedder = await Embedder.create({ wasm: new URL('https://example.org/x.wasm') });
const either: string | readonly string[] = JSON.parse('[]');
const inputs: TextInput | readonly TextInput[] = JSON.parse('[]');
export const found = [await embedder.embed(either), await embedder.countTokens(either)];
const classifier = await Classifier.create({ model: embedder });
export const labels = await classifier.classify(inputs, { top_k: null });
export const extract = await (await pipeline('feature-extraction', classifier))(either, { pooling: 'mean' });
export const user: ModelUser = await Tokenizer.create({ model: 'https://example.org/m/' });
const one = 'text';
const some: string[] = [one];
const count: number = some.length;
const classify = await pipeline('text-classification', classifier);
export const best: Exactly<Label[]> = exactly(await classify(one, { top_k: 2 }));
export const bests: Exactly<Label[]> = exactly(await classify(some));
export const firsts: Exactly<Label[]> = exactly(await classify(some, { top_k: 1 }));
export const rows: Exactly<Label[][]> = exactly(await classify(some, { top_k: 2 }));
export const allRows: Exactly<Label[][]> = exactly(await classify(some, { top_k: null }));
export const counted: Exactly<Label[] | Label[][]> = exactly(await classify(some, { top_k: count }));
export const eitherRows: Exactly<Label[] | Label[][]> = exactly(await classify(either));
const answer = await pipeline('question-answering');
export const found1: Exactly<Answer> = exactly(await answer(one, one));
export const found2: Exactly<Answer[]> = exactly(await answer(some, some, { doc_stride: 1 }));
export const found3: Exactly<Answer[]> = exactly(await answer(one, one, { top_k: 3 }));
export const found4: Exactly<Answer[][]> = exactly(await answer(some, some, { top_k: 3 }));
export const found5: Exactly<Answer | Answer[]> = exactly(await answer(one, one, { top_k: count }));
const fill = await pipeline('fill-mask');
export const word: string | undefined = (await fill(one))[0]?.token_str;
export const words: string | undefined = (await fill(some, { top_k: 2 }))[0]?.[0]?.token_str;
export const masks: string | undefined = (await fill<Fill[]>(one))[0]?.[0]?.token_str;
const tag = await pipeline('token-classification');
export const tags: Exactly<TokenClassificationResult[]> = exactly(await tag(one));
export const lists: Exactly<TokenClassificationResult[][]> = exactly(await tag(some));
const choose = await pipeline('zero-shot-classification');
export const choice: Exactly<ZeroShotClassification> = exactly(await choose(one, some));
export const choices: Exactly<ZeroShotClassification[]> = exactly(await choose(some, one));
// @ts-expect-error: the words of one mask are no lists
(await fill(one))[0]?.[0];
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
