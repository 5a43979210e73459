/** What calls refuse before anything is asked of the engine: unknown options, wrong values, wrong arguments. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  Classifier,
  Embedder,
  pipeline,
  Tokenizer,
  type EmbedOptions,
  type StreamOptions,
} from 'pocketbert';
import { cls, code, enc } from './support/public_api.js';

/** What types would refuse. */
const any = <Value>(value: unknown): Value => value as Value;

let embedder: Embedder;
let classifier: Classifier;
let tokenizer: Tokenizer;
before(async () => {
  [embedder, classifier, tokenizer] = await Promise.all([
    Embedder.create({ model: enc }),
    Classifier.create({ model: cls }),
    Tokenizer.create({ model: enc }),
  ]);
});
after(() => Promise.all([embedder, classifier, tokenizer].map((user) => user.destroy())));

/** Calls by name, with these options. */
const calls: { readonly [name: string]: (options: object) => Promise<unknown> } = {
  embed: (options) => embedder.embed('boat', options),
  embedStream: async (options) => embedder.embedStream([], any<StreamOptions>(options)).next(),
  classify: (options) => classifier.classify('boat', options),
  encode: (options) => tokenizer.encode('boat', options),
  encodeBatch: (options) => tokenizer.encodeBatch(['boat'], options),
  decode: (options) => tokenizer.decode([1], options),
  decodeBatch: (options) => tokenizer.decodeBatch([[1]], options),
  countTokens: (options) => tokenizer.countTokens('boat', options),
  tokenToId: (options) => tokenizer.tokenToId('boat', options),
  idToToken: (options) => tokenizer.idToToken(1, options),
  tokenize: (options) => embedder.tokenize('boat', options),
  'Embedder.create': (options) => Embedder.create(any({ model: enc, ...options })),
  'Classifier.create': (options) => Classifier.create(any({ model: cls, ...options })),
  'Tokenizer.create': (options) => Tokenizer.create(any({ model: 'files' in options ? undefined : enc, ...options })),
  shared: (options) => Classifier.create(any({ model: classifier, ...options })),
  pipeline: (options) => pipeline('feature-extraction', enc, any(options)),
  extract: async (options) =>
    (await pipeline('feature-extraction', embedder))('boat', any({ pooling: 'mean', ...options })),
  classifyText: async (options) =>
    (await pipeline('text-classification', classifier))('boat', any(options)),
};

describe('unknown options are refused, with the nearest of the known ones first', () => {
  const unknown: readonly [call: string, options: object, nearest: string][] = [
    ['embed', { max_length: 4 }, 'maxLength'],
    ['embed', { prompt_name: 'query' }, 'promptName'],
    ['embed', { truncation: true }, 'truncate'],
    ['embed', { normalise: true }, 'normalize'],
    ['embed', { foo: 1 }, ''],
    ['embedStream', { max_length: 4 }, 'maxLength'],
    ['embedStream', { supersede: true }, ''],
    ['embedStream', { onProgress: () => {} }, ''],
    ['classify', { topK: 1 }, 'top_k'],
    ['classify', { function_to_apply: 'sigmoid' }, ''],
    ['encode', { addSpecialTokens: false }, 'add_special_tokens'],
    ['encode', { max_length: 4 }, ''],
    ['encode', { padding: { padding_side: 'left' } }, 'pad_to_multiple_of'],
    ['encode', { truncation: { maxLength: 4 } }, 'max_length'],
    ['encodeBatch', { pair: 'x' }, 'padding'],
    ['decode', { skipSpecialTokens: false }, 'skip_special_tokens'],
    ['decodeBatch', { skipSpecialTokens: false }, 'skip_special_tokens'],
    ['countTokens', { add_special_tokens: false }, ''],
    ['tokenToId', { signl: undefined, Signal: 5 }, 'signal'],
    ['idToToken', { prio: 1 }, 'priority'],
    ['tokenize', { stride: 1 }, ''],
    ['Embedder.create', { modell: 'x' }, 'model'],
    ['Embedder.create', { dtype: 'fp32' }, ''],
    ['Embedder.create', { files: {} }, 'fetch'],
    ['Classifier.create', { thread: 1 }, 'threads'],
    ['Tokenizer.create', { file: {} }, 'files'],
    ['shared', { variant: 'simd' }, ''],
    ['shared', { threads: 1 }, ''],
    ['shared', { integrity: 'x' }, ''],
    ['pipeline', { quantized: true }, ''],
    ['pipeline', { cache_dir: 'x' }, 'cache'],
    ['extract', { truncation: true }, ''],
    ['extract', { max_length: 5 }, ''],
    ['classifyText', { topk: 5 }, 'top_k'],
  ];
  for (const [name, options, nearest] of unknown) {
    test(`${name}(${JSON.stringify(options)})`, async () => {
      const call = calls[name];
      assert.ok(call);
      const message = nearest === '' ? /there is no \w+ in .*; there are \w+, / : RegExp(`there is no \\w+ in .*; there are ${nearest}\\b`);
      await assert.rejects(call(options), code('invalid_argument', message));
    });
  }

  test('what is undefined was not given', async () => {
    await embedder.embed('boat', any<EmbedOptions>({ max_length: undefined, kind: undefined }));
  });

  test('an option that the prototype holds is seen', async () => {
    const options = Object.create({ maxlength: 4 });
    await assert.rejects(embedder.embed('boat', options), code('invalid_argument', /maxLength/));
  });
});

describe('wrong values are refused, by the name that the user writes', () => {
  const whole = /expected a whole number from \d/;
  const flag = /expected a boolean/;
  const wrong: readonly [call: string, option: string, values: readonly unknown[], expected: RegExp][] = [
    ['embed', 'signal', [null, 5, {}, 'x', true], /expected an AbortSignal/],
    ['embed', 'priority', ['urgent', null, 1], /expected interactive or batch/],
    ['embed', 'supersede', [5, null, {}], /expected a boolean or a string/],
    ['embed', 'onProgress', [5, null, {}], /expected a function/],
    ['embed', 'truncate', ['middle', null, true, 'constructor'], /expected end or start or error/],
    ['embed', 'maxLength', [0, -1, 1.5, NaN, '4', null, 1e9, 33], /expected a whole number from 1 to 32$/],
    ['embed', 'dimensions', [0, 25, 0.5, '8', null, Infinity], /expected a whole number from 1 to 24$/],
    ['embed', 'pooling', ['median', 'constructor', null, 'weighted_mean'], /expected cls or mean/],
    ['embed', 'normalize', ['yes', 1, null, 'a boolean', 'boolean'], flag],
    ['embed', 'kind', ['question', null, 5], /expected query or document/],
    ['embed', 'promptName', ['nosuch', null, 5], /promptName is .*expected none/],
    ['embed', 'prompt', [5, null, () => 'long source'], /expected a string/],
    ['classify', 'top_k', [0, -1, 1.5, '1', true], /top_k is .*expected a whole number from 1 to \d+ or null/],
    ['classify', 'head', ['nobody', null, 5], /head is .*expected default/],
    ['classify', 'activation', ['relu', null, 'constructor'], /expected softmax or sigmoid or none/],
    ['encode', 'pair', [5, null, {}], /expected a string/],
    ['encode', 'add_special_tokens', [0, 'no', null], flag],
    ['encode', 'encode_special_tokens', [1, null], flag],
    ['encode', 'truncation', [true, null, 'longest', 5, []], /truncation is .*expected false or file or \{max_length/],
    ['encode', 'truncation.max_length', [undefined, -1, 1.5, '4', null], whole],
    ['encode', 'truncation.stride', [-1, '1', null], whole],
    ['encode', 'truncation.strategy', ['first', null, 'constructor'], /longest_first/],
    ['encode', 'truncation.direction', ['up', null], /expected left or right/],
    ['encode', 'padding', [null, 'max_length', 5, []], /padding is .*expected a boolean or longest or file or \{/],
    ['encode', 'padding.length', ['most', -1, null, true], /expected longest or a whole number/],
    ['encode', 'padding.direction', ['up', null], /expected left or right/],
    ['encode', 'padding.pad_to_multiple_of', [-1, 1.5, null], whole],
    ['encode', 'padding.pad_id', [-1, 'x', null], whole],
    ['encode', 'padding.pad_type_id', [-1, 256, null], /expected a whole number from 0 to 255/],
    ['encode', 'padding.pad_token', [5, null, 'nobody'], /expected a(n entry| string)/],
    ['decode', 'skip_special_tokens', ['no', 0, null], flag],
    ['decode', 'clean_up_tokenization_spaces', ['no', 0, null], flag],
    ['Embedder.create', 'integrity', [5, true, null, {}, []], /expected a string or \{path: hash\}/],
    ['Embedder.create', 'cache', ['yes', 5, null, true], /expected auto or none/],
    ['Embedder.create', 'offline', ['yes', 1, null], flag],
    ['Embedder.create', 'fetch', [5, null, {}], /expected a function/],
    ['Embedder.create', 'wasm', [5, null, true], /wasm is .*expected an address, bytes or a WebAssembly\.Module or \{simd, relaxed/],
    ['Embedder.create', 'wasm.import', [5, null, {}], /expected an address, bytes or a WebAssembly\.Module$/],
    ['Embedder.create', 'worker', ['no', 0, null], flag],
    ['Embedder.create', 'threads', ['2', 0, 1.5, null, 65], /threads is .*expected a whole number from 1 to 64/],
    ['Embedder.create', 'variant', ['fast', null, 'constructor'], /expected auto or simd or relaxed or relaxed-mt/],
    ['Embedder.create', 'maxBatchTokens', [null, 0, 1e9, '64'], /expected a whole number from 1 to 65536/],
    ['Embedder.create', 'precision', ['fp16', 8, null], /expected int8 or float32/],
    ['Embedder.create', 'weights', [5, null, {}], /expected a string/],
    ['Embedder.create', 'onProgress', [5, null], /expected a function/],
    ['Embedder.create', 'signal', [{}, null], /expected an AbortSignal/],
    ['Embedder.create', 'model', [null], /model is null/],
    ['Tokenizer.create', 'files', [5, null, []], /files is /],
    ['shared', 'precision', ['float32'], /precision is "float32", expected int8/],
    ['pipeline', 'host', [5, null], /host is .*expected a string/],
    ['pipeline', 'dtype', [8, null], /dtype is .*expected a string/],
    ['pipeline', 'progress_callback', [5, null], /expected a function/],
    ['extract', 'precision', ['foo', null], /precision is .*expected binary or ubinary/],
    ['extract', 'quantize', ['yes', null], flag],
    ['classifyText', 'top_k', [0, 'all'], whole],
  ];
  for (const [name, option, values, expected] of wrong) {
    test(`${name}: ${option}`, async () => {
      const call = calls[name];
      assert.ok(call);
      const [outer = '', inner] = option.split('.');
      for (const value of values) {
        const beside = inner === 'stride' || inner === 'strategy' || inner === 'direction' ? { max_length: 9 } : {};
        const inside = outer === 'truncation' ? { ...beside, [inner ?? '']: value } : { [inner ?? '']: value };
        const options = { [outer]: inner === undefined ? value : inside };
        await assert.rejects(call(options), (thrown) => {
          code('invalid_argument', expected)(thrown);
          assert.ok(String(thrown).includes(`${option} is `), String(thrown));
          assert.doesNotMatch(String(thrown), /long source/);
          return true;
        });
      }
    });
  }

  test('options that are no object', async () => {
    const bad: readonly (() => unknown)[] = [
      ...[null, 'default', 5, []].flatMap((options) => [
        () => Embedder.create(any(options)),
        () => Classifier.create(any(options)),
        () => Tokenizer.create(any(options)),
        () => embedder.embed('boat', any<EmbedOptions>(options)),
        () => classifier.classify('boat', any(options)),
        () => tokenizer.encode('boat', any(options)),
        () => tokenizer.encodeBatch(['boat'], any(options)),
        () => tokenizer.decode([1], any(options)),
        () => tokenizer.countTokens('boat', any(options)),
        () => tokenizer.tokenToId('boat', any(options)),
        () => tokenizer.idToToken(1, any(options)),
        () => pipeline('feature-extraction', enc, any(options)),
      ]),
    ];
    for (const call of bad) {
      await assert.rejects(async () => call(), code('invalid_argument', /the options is .*expected \{/));
    }
    const extract = await pipeline('feature-extraction', embedder);
    await assert.rejects(extract('hi', any(null)), code('invalid_argument'));
    const classify = await pipeline('text-classification', classifier);
    await assert.rejects(classify('hi', any(null)), code('invalid_argument'));
  });

  test('kind may be any prompt of the model, and what is none names them', async () => {
    const paths = readdirSync(enc, { recursive: true, encoding: 'utf8' });
    const files = paths.filter((path) => statSync(join(enc, path)).isFile());
    const folder = Object.fromEntries(files.map((path) => [path, readFileSync(join(enc, path))]));
    const prompts = JSON.stringify({ prompts: { query: 'one day ', night: 'at night ' } });
    const model = { ...folder, 'config_sentence_transformers.json': prompts };
    const prompted = await Embedder.create({ model });
    const night = await prompted.embed('boat', { kind: 'night' });
    assert.deepEqual([...night], [...(await embedder.embed('at night boat'))]);
    const document = await prompted.embed('boat', { kind: 'document' });
    assert.deepEqual([...document], [...(await embedder.embed('boat'))]);
    for (const call of [() => prompted.embed('boat', { kind: 'day' }), () => prompted.tokens('boat', { kind: 'day' })])
      await assert.rejects(
        call(),
        code('invalid_argument', /kind is "day", expected query or document or passage or corpus or night/),
      );
    await prompted.destroy();
  });

  test('a maxLength too small for the special tokens is named as it was written', async () => {
    const least = /^text 0: maxLength is 1, expected at least the 2 special tokens$/;
    for (const call of [
      () => embedder.embed('boat', { maxLength: 1 }),
      () => embedder.tokens('boat', { maxLength: 1 }),
      () => classifier.classify('boat', { maxLength: 1 }),
    ])
      await assert.rejects(call(), code('invalid_argument', least));
    await assert.rejects(
      tokenizer.encode('boat', { truncation: { max_length: 1 } }),
      code('invalid_argument', /^truncation\.max_length is 1/),
    );
  });

  test('of kind, promptName and prompt only one', async () => {
    const both = { kind: 'query', prompt: 'x' } as const;
    await assert.rejects(embedder.embed('boat', both), code('invalid_argument', /kind, promptName and prompt/));
  });

  test('a shared engine: an aborted signal counts, and progress ends with 1', async () => {
    await assert.rejects(calls['shared']?.({ signal: AbortSignal.abort() }) ?? Promise.resolve(), code('aborted'));
    const seen: number[] = [];
    const second = await Classifier.create({ model: classifier, onProgress: ({ fraction }) => void seen.push(fraction) });
    assert.deepEqual(seen, [1]);
    await second.destroy();
  });

  test('top_k null is all labels, everywhere', async () => {
    const all = classifier.info.model.heads[0]?.labels.length;
    assert.equal((await classifier.classify('boat', { top_k: null })).length, all);
    const classify = await pipeline('text-classification', classifier);
    assert.equal((await classify('boat', { top_k: null })).length, all);
  });
});

describe('wrong arguments are refused by name', () => {
  const holes = ['a', 'b', 'c'];
  delete holes[1];
  const wrong: readonly [name: string, call: () => unknown, message: RegExp][] = [
    ['holes only', () => embedder.embed(new Array(5)), /text 0 is undefined/],
    ['a hole', () => embedder.embed(holes), /text 1 is undefined/],
    ['a hole in classify', () => classifier.classify(holes), /text 1 is undefined/],
    ['a hole in encodeBatch', () => tokenizer.encodeBatch(holes), /text 1 is undefined/],
    ['a hole in countTokens', () => tokenizer.countTokens(holes), /text 1 is undefined/],
    ['no text', () => embedder.embed(any(undefined)), /text 0 is undefined/],
    ['null', () => embedder.embed(any(null)), /text 0 is null/],
    ['a number in a list', () => embedder.embed(any(['a', 'b', 5])), /text 2 is 5, expected a string/],
    ['a promise', () => embedder.embed(any(Promise.resolve('a'))), /text 0 is a Promise \(await it\)/],
    ['a pair to embed', () => embedder.embed(any({ text: 'a', pair: 'b' })), /text 0 is of type Object/],
    ['pairs to embed', () => embedder.embed(any([{ text: 'a', pair: 'b' }])), /text 0 is of type Object/],
    ['a stream of nothing', () => embedder.embedStream(any(null)), /the texts is null, expected something to iterate/],
    ['a stream of a promise', () => embedder.embedStream(any(Promise.resolve(['a']))), /the texts is a Promise/],
    ['a stream with a number', async () => embedder.embedStream(any(['a', 5])).next(), /text 1 is 5/],
    ['text_pair', () => classifier.classify(any([{ text: 'a', text_pair: 'b' }])), /no text_pair in text 0; there are text, pair/],
    ['a pair that is no string', () => classifier.classify(any({ text: 'a', pair: null })), /the text.pair is null/],
    ['a text that is missing', () => classifier.classify(any([{ pair: 'a' }])), /text 0.text is undefined/],
    ['a list in encode', () => tokenizer.encode(any(['a', 'b'])), /text 0 is of type Array/],
    ['a string in encodeBatch', () => tokenizer.encodeBatch(any('a')), /the texts is "a", expected a list/],
    ['ids: an Encoding', async () => tokenizer.decode(any(await tokenizer.encode('boat'))), /id 0 is undefined/],
    ['ids: a promise', () => tokenizer.decode(any(tokenizer.encode('boat'))), /ids is a Promise \(await it\)/],
    ['ids: undefined first', () => tokenizer.decode(any([undefined, 9])), /id 0 is undefined/],
    ['ids: a hole', () => tokenizer.decode(any([9, , 9])), /id 1 is undefined/],
    ['ids: null', () => tokenizer.decode(any(null)), /ids is null, expected a list/],
    ['ids: a number', () => tokenizer.decode(any(5)), /ids is 5/],
    ['ids: a string', () => tokenizer.decode(any('101')), /ids is "101"/],
    ['ids: too large', () => tokenizer.decode([2 ** 32 + 101]), /id 0 is 4294967397/],
    ['lists: null', () => tokenizer.decodeBatch(any(null)), /lists is null/],
    ['lists: a hole', () => tokenizer.decodeBatch(any([[1], , [1]])), /ids is undefined/],
    ['an id with a fraction', () => tokenizer.idToToken(101.7), /id 0 is 101.7/],
    ['an id that is text', () => tokenizer.idToToken(any('x')), /id 0 is "x"/],
    ['an id beyond 32 bits', () => tokenizer.idToToken(2 ** 32 + 101), /id 0 is 4294967397/],
    ['a token that is none', () => tokenizer.tokenToId(any(5)), /token is 5, expected a string/],
    ['a task that is none', () => pipeline(any(5)), /task is 5/],
    ['pairs in a pipeline', async () => (await pipeline('text-classification', classifier))(any({ text: 'a', text_pair: 'b' })), /no text_pair in text 0/],
  ];
  for (const [name, call, message] of wrong) {
    test(name, async () => {
      await assert.rejects(async () => call(), code('invalid_argument', message));
      await embedder.embed('boat');
    });
  }
});

describe('padding of a batch, in all its forms', () => {
  const texts = ['old', 'old boat'];
  for (const [padding, lengths] of [
    [undefined, [3, 4]],
    [false, [3, 4]],
    [true, [4, 4]],
    ['longest', [4, 4]],
    [{}, [4, 4]],
    [{ length: 'longest' }, [4, 4]],
    [{ length: 6 }, [6, 6]],
    [{ pad_to_multiple_of: 8 }, [8, 8]],
  ] as const) {
    test(JSON.stringify(padding) ?? 'undefined', async () => {
      const found = await tokenizer.encodeBatch(texts, { padding });
      assert.deepEqual(found.map(({ length }) => length), lengths);
    });
  }

  test('truncation false is none', async () => {
    assert.equal((await tokenizer.encode('old boat', { truncation: false })).length, 4);
  });
});

describe('a call that is refused takes no place', () => {
  for (const [name, faulty] of [
    ['no text', () => embedder.embed(any(null), { supersede: true })],
    ['a wrong option', () => embedder.embed('boat', { supersede: true, dimensions: 0 })],
    ['dimensions beyond the model', () => embedder.embed('boat', { supersede: true, dimensions: 99 })],
    ['an unknown prompt', () => embedder.embed('boat', { supersede: true, promptName: 'q' })],
    ['an aborted signal', () => embedder.embed('boat', { supersede: true, signal: AbortSignal.abort() })],
  ] as const) {
    test(name, async () => {
      const good = embedder.embed('boat', { supersede: true });
      await assert.rejects(faulty());
      await good;
    });
  }
});
