import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Instance } from '../../web/src/core/instance.js';
import { kImportFiles, loadGlue, type Glue, type ImportModule, type RawModule, type SharedModule } from '../../web/src/core/raw_module.js';
import type { Engine, EngineModel } from '../../web/src/core/types.js';
import { compileSource } from '../../web/src/core/wasm_source.js';
import type { ErrorCode } from '../../web/src/errors.js';
import { encode, failure, fixture, importFolder, load, openFixture, rejection, textsOf, wasmPath } from './support/setup.js';

const any = <Value>(value: unknown): Value => value as Value;

describe('every failure is a typed error, and the engine works on', () => {
  let engine: Engine;
  let model: EngineModel;
  let expected: Float32Array;
  before(async () => {
    engine = await load('simd');
    model = await openFixture(engine, 'enc');
    expected = model.embed(['boat']).data;
  });
  after(() => engine.destroy());

  const weights = (): Uint8Array => any(fixture('enc')['model.safetensors']);
  const texts = () => textsOf(fixture('enc'));
  const file = async () => (await importFolder(engine, fixture('enc'))).bytes().slice();
  const long = 'boat '.repeat(100);

  const failures: [name: string, code: ErrorCode, message: RegExp, body: () => unknown][] = [
    ['a text too long', 'too_long', /text 1: has 102 tokens, expected at most 32/, () => model.embed(['boat', long], { truncate: 'error' })],
    ['the number of a text in a long list', 'too_long', /text 2000: /, () => model.embed([...Array<string>(2000).fill('boat'), long], { truncate: 'error' })],
    ['a head that is not there', 'unsupported', /no classification head/, () => model.classify([{ text: 'boat' }])],
    ['dimensions beyond the vector', 'invalid_argument', /dimensions is 25, expected 1 to 24/, () => model.embed(['boat'], { dimensions: 25 })],
    ['maxLength beyond the model', 'invalid_argument', /maxLength is 33/, () => model.embed(['boat'], { maxLength: 33 })],
    ['an unknown prompt', 'invalid_argument', /promptName is "q"/, () => model.embed(['boat'], { promptName: 'q' })],
    ['options of an empty list', 'invalid_argument', /dimensions is 99/, () => model.embed([], { dimensions: 99 })],
    ['window options of an empty list', 'invalid_argument', /stride is 99/, () => model.startEmbedParts([], { each: true, stride: 99, embed: {} }).finish()],
    ['a stride that leaves no room', 'invalid_argument', /stride/, () => encode(model.tokenizer, [{ text: long }], { truncation: { max_length: 5, stride: 4 } })],
    ['no tokenizer files', 'format', /tokenizer\.json/, () => engine.openTokenizer({})],
    ['a broken tokenizer', 'format', /tokenizer\.json/, () => engine.openTokenizer({ 'tokenizer.json': '{"model":' })],
    ['a folder without config.json', 'format', /config\.json/, () => engine.createImporter({ 'vocab.txt': 'a' })],
    ['an import without weights', 'format', /embeddings/, async () => {
      const importer = await engine.createImporter(texts());
      try {
        importer.finish();
      } finally {
        importer.destroy();
      }
    }],
    ['an import that ends early', 'format', /model\.safetensors/, async () => {
      const importer = await engine.createImporter(texts());
      importer.addHeader('model.safetensors', weights(), weights().length);
      importer.write('model.safetensors', 0, weights().subarray(0, 30_000));
      importer.finish();
    }],
    ['a web page in place of a model', 'format', /not a safetensors file: .*web page/, () => engine.openModel(new TextEncoder().encode('<!DOCTYPE html><p>not found</p>'.repeat(9)))],
    ['an empty file', 'format', /safetensors/, () => engine.openModel(new Uint8Array())],
    ['half a file', 'format', /safetensors/, async () => engine.openModel((await file()).subarray(0, 40_000))],
    ['a plain safetensors file', 'format', /safetensors/, () => engine.openModel(weights())],
    ['a buffer of another kind', 'invalid_argument', /openModel/, () => engine.openModel(any({ byteLength: 5 }))],
    ['memory that cannot be had', 'out_of_memory', /no memory for \d+ bytes/, () => engine.allocate(2 ** 32 - 65536)],
  ];
  for (const [name, code, message, body] of failures) {
    test(name, async () => {
      // What throws at once and what rejects are the same failure here.
      const thrown = await rejection(code, Promise.resolve().then(body));
      assert.match(thrown.message, message);
      assert.equal(engine.alive, true);
      assert.deepEqual(model.embed(['boat']).data, expected);
    });
  }

  test('what was destroyed says so', async () => {
    const other = await openFixture(engine, 'enc');
    const run = other.startEmbed(['boat']);
    other.destroy();
    other.destroy();
    for (const body of [() => other.embed(['a']), () => other.info(), () => encode(other.tokenizer, [{ text: 'a' }]), () => run.step()]) {
      assert.match(failure('destroyed', body).message, /the model was destroyed/);
    }
    const buffer = engine.allocate(10);
    assert.equal(buffer.bytes().length, 10);
    buffer.free();
    buffer.free();
    failure('destroyed', () => buffer.bytes());
    const ended = model.startEmbed(['boat']);
    ended.destroy();
    failure('destroyed', () => ended.step());
  });

  test('a run that failed has ended, and one that is not done does not finish', () => {
    const run = model.startEmbed([long], { truncate: 'error' });
    failure('too_long', () => run.step());
    failure('destroyed', () => run.step());
    const open = model.startEmbed(['boat', 'day']);
    assert.match(failure('invalid_argument', () => open.finish()).message, /0 of 2/);
  });

  test('a destroyed engine says so, and its parts are harmless', async () => {
    const other = await load('simd');
    const buffer = other.allocate(10);
    const opened = await openFixture(other, 'enc');
    other.destroy();
    other.destroy();
    assert.equal(other.alive, false);
    failure('destroyed', () => opened.embed(['a']));
    failure('destroyed', () => other.allocate(1));
    opened.destroy();
    buffer.free();
  });
});

describe('traps', () => {
  const startFrom = async <Module extends SharedModule>(glue: Glue<Module>, wasm: string, log: string[]) => {
    const module = await compileSource(wasm, {});
    return glue({
      threads: 1,
      instantiateWasm: (imports, receive) => {
        void WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
        return {};
      },
      print: () => {},
      printErr: (line) => log.push(line),
    });
  };
  const start = async (log: string[]): Promise<RawModule> => startFrom(await loadGlue('simd'), wasmPath('simd'), log);
  const startImport = async (log: string[]): Promise<ImportModule> =>
    startFrom(any<Glue<ImportModule>>((await kImportFiles.glue()).default), 'dist/pocketbert-import.wasm', log);

  test('a failed check inside the module ends the instance, and the error tells which', async () => {
    const log: string[] = [];
    const instance = new Instance(await startImport(log), log);
    const { 'tokenizer.json': json = '' } = textsOf(fixture('enc'));
    const files = instance.call((raw) => raw.createTextBlock(20_000, 1));
    const path = new TextEncoder().encode('tokenizer.json');
    const content = new TextEncoder().encode(json);
    instance.call((raw) => {
      raw.textBytes(files).set(path);
      raw.textBytes(files).set(content, path.length);
      raw.textEnds(files).set([path.length, path.length + content.length]);
    });
    const tokenizer = instance.call((raw) => raw.openTokenizer(files));
    const broken = instance.call((raw) => raw.createTextBlock(4, 1));
    instance.call((raw) => raw.textEnds(broken).set([1000, 1000]));
    const error = failure('trap', () => instance.call((raw) => raw.countTokens(tokenizer, broken)));
    assert.match(error.message, /the engine stopped: .*text_block\.cc:\d+: check failed/);
    assert.equal(instance.alive, false);
    assert.equal(failure('trap', () => instance.call((raw) => raw.usedBytes())), error);
    instance.destroy();
  });

  test('a handle of another kind of object is refused by the same way', async () => {
    const log: string[] = [];
    const instance = new Instance(await start(log), log);
    const buffer = instance.call((raw) => raw.createByteBuffer(8));
    const error = failure('trap', () => instance.call((raw) => raw.textEnds(buffer)));
    assert.match(error.message, /the engine stopped: .*handles\.h:\d+: check failed/);
  });

  test('another engine of the same page is not touched', async () => {
    const engine = await load('simd');
    assert.equal((await openFixture(engine, 'enc')).embed(['boat']).count, 1);
    engine.destroy();
  });
});
