/** Sources that are none, and files that are broken at their beginning: what is said of them. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PocketBertError } from '../../web/src/errors.js';
import type { Source } from '../../web/src/types.js';
import { failure } from './support/errors.js';
import { load, sameBytes } from './support/loading.js';
import { folder, oneFile, safetensors, texts } from './support/model_files.js';
import { serve } from './support/server.js';

/** What a caller without types may give. */
function untyped(value: unknown): Source {
  return value as Source;
}

const page = '<!DOCTYPE html>\n<html><body>my app</body></html>';

describe('sources that are none', () => {
  class Model {}
  const refused: readonly [unknown, RegExp][] = [
    [['a'], /item 0 of the model source is a string, expected a File/],
    [[new File([], 'config.json'), undefined], /item 1 of the model source is undefined/],
    [[new Blob([])], /item 0 of the model source is a Blob/],
    [null, /null is no model source/],
    [5, /a number is no model source/],
    [new Map(), /a Map is no model source/],
    [new Model(), /a Model is no model source/],
    [new Int8Array(4), /an Int8Array is no model source/],
    [{ 'config.json': 5 }, /config\.json is a number; expected a Blob, bytes, text or a URL/],
    [{ 'config.json': new Map() }, /config\.json is a Map/],
    [new URL('file://host/x'), /file:\/\/host\/x is no address of a file/],
    ['file://host/x', /file:\/\/host\/x is no address of a file/],
    ['http://', /"http:\/\/" is no address of a model/],
  ];
  for (const [source, message] of refused) {
    test(`${typeof source === 'object' ? message.source : String(source)}`, async () => {
      await assert.rejects(load(untyped(source)), failure('invalid_argument', message));
    });
  }

  test('percent signs that mean nothing are part of a name', async () => {
    const whole = folder();
    const own: typeof fetch = async (input) => {
      const content = whole[String(input).split('/').at(-1) ?? ''];
      return content === undefined ? new Response('', { status: 404 }) : new Response(content);
    };
    const { session } = await load('https://host.test/a%zz/', { fetch: own });
    assert.equal(session.info.model.name, 'a%zz');
    await assert.rejects(
      load('https://host.test/%zz.safetensors', { fetch: own }),
      failure('network', /%zz/),
    );
  });

  test('a fetch that throws: its own error is the cause', async () => {
    const fault = new RangeError('the tunnel is closed');
    const own = (): never => {
      throw fault;
    };
    for (const source of ['https://host.test/m/', 'https://host.test/m.safetensors']) {
      await assert.rejects(load(source, { fetch: own }), (thrown) => {
        failure('network', /host\.test.*could not be fetched: the tunnel is closed/)(thrown);
        return thrown instanceof Error && thrown.cause === fault;
      });
    }
  });

  test('a fetch that gives no Response', async () => {
    for (const answer of [undefined, null, 'text', {}]) {
      const own = untypedFetch(async () => answer);
      await assert.rejects(
        load('https://host.test/m/', { fetch: own }),
        failure('network', /could not be fetched: fetch gave .+ instead of a Response/),
      );
    }
  });

  test('a file: address in a record', async () => {
    const root = mkdtempSync(join(tmpdir(), 'pocketbert-record-'));
    try {
      const weights = safetensors({ a: 100 });
      writeFileSync(join(root, 'w.safetensors'), weights);
      const { books } = await load({
        ...texts,
        'model.safetensors': pathToFileURL(join(root, 'w.safetensors')),
      });
      sameBytes(books.received.get('model.safetensors'), weights);
      await assert.rejects(
        load({ ...texts, 'model.safetensors': pathToFileURL(join(root, 'absent')) }),
        failure('format', /model\.safetensors was not found in the given files/),
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('a record of paths below one folder is that folder', async () => {
    const files = folder();
    const below = Object.fromEntries(Object.entries(files).map(([k, v]) => [`mini/${k}`, v]));
    for (const record of [below, { './mini/config.json': '', ...below }]) {
      const { books, session } = await load(record);
      sameBytes(books.received.get('model.safetensors'), files['model.safetensors']);
      assert.equal(session.info.model.name, 'mini');
    }
    await assert.rejects(load({ ...below, 'other/x.json': '{}' }), failure('format', /config\.json/));
  });

  test('offline takes what needs no network', async () => {
    await load(oneFile(), { offline: true });
    await load(folder(), { offline: true });
    await load(new Blob([oneFile()]), { offline: true });
    await assert.rejects(
      load({ ...texts, 'model.safetensors': new URL('https://host.test/m') }, { offline: true }),
      failure('network', /not at hand/),
    );
  });
});

/** A `fetch` that does not keep its promise. */
function untypedFetch(own: () => Promise<unknown>): typeof fetch {
  return own as typeof fetch;
}

/** The error of a load. */
async function errorOf(model: Source): Promise<PocketBertError> {
  try {
    await load(model);
  } catch (thrown) {
    assert.ok(thrown instanceof PocketBertError, String(thrown));
    return thrown;
  }
  throw new Error('expected a failure');
}

describe('files that are broken at their beginning', () => {
  test('the status of a one-file model is told', async () => {
    const server = await serve({ '*': (response) => response.writeHead(403).end() });
    try {
      await assert.rejects(
        load(`${server.url}m.pocketbert.safetensors`),
        failure('network', /m\.pocketbert\.safetensors was answered with status 403/),
      );
    } finally {
      await server.close();
    }
  });

  test('what was answered instead of the tokenizer is in the hint', async () => {
    const server = await serve({
      'm/config.json': '{}',
      'm/tokenizer.json': page,
      'm/model.safetensors': safetensors({ a: 8 }),
    });
    try {
      const error = await errorOf(`${server.url}m/`);
      assert.match(error.message, /tokenizer\.json was not found/);
      assert.match(error.hint, /tokenizer\.json was answered with a web page/);
    } finally {
      await server.close();
    }
  });

  test('sizes are those of the file', async () => {
    for (let size = 1; size < 8; size++) {
      const bytes = new Uint8Array(size).fill(97);
      for (const source of [bytes, new Blob([bytes])]) {
        const { code, message } = await errorOf(source);
        assert.equal(code, 'format');
        assert.ok(message.includes(`but ${size} bytes, "${'a'.repeat(size)}"`), message);
      }
    }
    const long = new Uint8Array(10_000_000).fill(97);
    const { message } = await errorOf(long);
    assert.match(message, /is not a safetensors file: no header of JSON at its beginning, but "a+"/);
    assert.doesNotMatch(message, /\d bytes/);
  });

  test('a file that is cut in its header is truncated', async () => {
    const whole = oneFile();
    const end = 8 + Number(new DataView(whole.buffer).getBigUint64(0, true));
    for (const size of [9, 40, end - 1]) {
      const cut = whole.slice(0, size);
      const { code, message } = await errorOf(cut);
      assert.equal(code, 'format');
      assert.ok(
        message.endsWith(`ended after ${size} bytes, within its header of ${end} bytes: it is truncated`),
        message,
      );
    }
  });
});

describe('what a folder says and is not done', () => {
  const notesOf = async (files: { readonly [path: string]: string }): Promise<readonly string[]> => {
    const { session } = await load({ ...folder(), ...files });
    return session.info.model.notes;
  };

  test('nothing is noted of what is done', async () => {
    assert.deepEqual(
      await notesOf({
        'config.json': '{"max_position_embeddings":512,"id2label":{"0":"a"},"label2id":{"a":0}}',
        'sentence_bert_config.json': '{"max_seq_length":512}',
        'config_sentence_transformers.json':
          '{"similarity_fn_name":"cosine","truncate_dim":null,"prompts":{}}',
      }),
      [],
    );
  });

  test('each is noted with its file', async () => {
    const notes = await notesOf({
      'config.json': '{"max_position_embeddings":512,"id2label":{"0":"a"},"label2id":{"b":0}}',
      'sentence_bert_config.json': '{"max_seq_length":999}',
      'config_sentence_transformers.json': '{"similarity_fn_name":"euclidean","truncate_dim":64}',
    });
    assert.equal(notes.length, 4);
    assert.match(notes[0] ?? '', /max_seq_length of sentence_bert_config\.json is 999.*512/);
    assert.match(notes[1] ?? '', /label2id and id2label of config\.json/);
    assert.match(notes[2] ?? '', /similarity_fn_name .* euclidean/);
    assert.match(notes[3] ?? '', /truncate_dim .* 64/);
  });

  test('in 0_Transformer, too; a module has a config.json of its own', async () => {
    const modules = [
      { path: '0_Transformer', type: 'sentence_transformers.models.Transformer' },
      { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
    ];
    const inside = Object.entries({
      ...folder(),
      'config.json': '{"max_position_embeddings":512}',
      'sentence_bert_config.json': '{"max_seq_length":999}',
    }).map(([path, content]) => [`0_Transformer/${path}`, content]);
    const { session } = await load({
      '1_Pooling/config.json': '{"max_position_embeddings":1}',
      'modules.json': JSON.stringify(modules),
      ...Object.fromEntries(inside),
    });
    assert.equal(session.info.model.notes.length, 1);
    assert.match(session.info.model.notes[0] ?? '', /999; the model has 512 positions/);
  });
});
