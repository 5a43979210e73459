/** `Tagger` and `Reader` in node: shapes, options, errors, how calls end. Their numbers: tests/cases. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Embedder, pipeline, Reader, Tagger } from 'pocketbert';
import { code, enc, ner, qa } from './support/public_api.js';

/** What types would refuse. */
const any = <Value>(value: unknown): Value => value as Value;

const text = '🙂 Anna Smithson met Li in New York';
const context = '🌉 The bridge was built by Anna Stones, near the city.';
const question = 'who built the bridge';
const options = { max_seq_len: 48 } as const;

let tagger: Tagger;
let reader: Reader;
before(async () => {
  [tagger, reader] = await Promise.all([
    Tagger.create({ model: ner, precision: 'float32' }),
    Reader.create({ model: qa, precision: 'float32' }),
  ]);
});
after(() => Promise.all([tagger, reader].map((user) => user.destroy())));

describe('Tagger', () => {
  test('entities of a text, with the text that they are', async () => {
    const found = await tagger.tag(text);
    assert.deepEqual(
      found.map(({ text: own, entity_group: group }) => [own, group]),
      [
        ['Anna Smithson', 'PER'],
        ['Li', 'PER'],
        ['New York', 'LOC'],
      ],
    );
    for (const { start, end, text: own, score } of found) {
      assert.equal(text.slice(start, end), own);
      assert.ok(score > 0.9 && score <= 1);
    }
    assert.deepEqual(Object.keys(found[0] ?? {}).sort(), ['end', 'entity_group', 'score', 'start', 'text']);
  });

  test('tokens of a text', async () => {
    const found = await tagger.tag(text, { aggregation: 'none' });
    const smith = found.find(({ token }) => token === '##son');
    assert.deepEqual([smith?.entity, smith?.text], ['I-PER', 'son']);
    const all = await tagger.tag(text, { aggregation: 'none', ignore_labels: [] });
    assert.deepEqual(all.map(({ index }) => index), all.map((_, i) => i + 1));
    assert.equal(all.length, (await tagger.countTokens(text)) - 2);
  });

  test('a list of texts, one after the other and as in a list', async () => {
    const texts = [text, '', 'Lyon', text];
    const lists = await tagger.tag(texts);
    const alone = [];
    for (const one of texts) alone.push(await tagger.tag(one));
    assert.deepEqual(lists, alone);
    assert.deepEqual(lists.map(({ length }) => length), [3, 0, 1, 3]);
    assert.deepEqual(await tagger.tag([]), []);
  });

  test('a long text is read to its end', async () => {
    const sentence = 'Anna Smithson met Li in New York . ';
    const found = await tagger.tag(sentence.repeat(50), { maxLength: 20, stride: 8 });
    const starts = found.map(({ start }) => start);
    assert.deepEqual(starts, [...starts].sort((a, b) => a - b));
    assert.ok((found.at(-1)?.end ?? 0) > 49 * sentence.length);
  });

  test('facts, and an engine that is shared', async () => {
    const { tasks, tags } = tagger.info.model;
    assert.deepEqual(tasks, ['embed', 'tag']);
    assert.ok(tags.includes('B-PER') && tags.includes('O'));
    const embedder = await Embedder.create({ model: tagger });
    assert.equal((await embedder.embed(text)).length, embedder.info.model.dimensions);
    await embedder.destroy();
    assert.equal((await tagger.tag(text)).length, 3);
  });

  test('a model without such a head is refused by what it is', async () => {
    const refused = code('unsupported', /BertModel.*ForTokenClassification/);
    await assert.rejects(Tagger.create({ model: enc }), refused);
    await assert.rejects(Tagger.create({ model: reader }), code('unsupported', /ForTokenClassification/));
    assert.ok((await reader.answer(question, context, options)).answer);
  });
});

describe('Reader', () => {
  test('the answer is a stretch of the context', async () => {
    const found = await reader.answer(question, context, options);
    assert.deepEqual(Object.keys(found).sort(), ['answer', 'end', 'score', 'start']);
    assert.equal(found.answer, 'Anna Stones');
    assert.equal(context.slice(found.start, found.end), found.answer);
    const unaligned = await reader.answer(question, context, { ...options, align_to_words: false });
    assert.ok(found.answer.startsWith(unaligned.answer) && unaligned.answer !== found.answer);
  });

  test('top_k makes it a list', async () => {
    const list = await reader.answer(question, context, { ...options, top_k: 3 });
    assert.equal(list.length, 3);
    assert.deepEqual(list[0], await reader.answer(question, context, options));
    assert.equal((await reader.answer(question, context, { ...options, top_k: 1 })).length, 1);
  });

  test('a list of questions, as one after the other', async () => {
    const items = [
      { question, context },
      { question: 'where', context: 'the old mill near the river' },
    ];
    const both = await reader.answerBatch(items, options);
    const alone = [];
    for (const item of items) alone.push(await reader.answer(item.question, item.context, options));
    assert.deepEqual(both, alone);
    const lists = await reader.answerBatch(items, { ...options, top_k: 2 });
    assert.deepEqual(lists.map(({ length }) => length), [2, 2]);
    assert.deepEqual(await reader.answerBatch([]), []);
  });

  test('the empty answer', async () => {
    const impossible = { ...options, handle_impossible_answer: true } as const;
    const hopeless = 'near and with of for';
    const none = await reader.answer('who sold it', hopeless, impossible);
    assert.deepEqual([none.answer, none.start, none.end], ['', 0, 0]);
    const some = await reader.answer('who sold it', hopeless, { ...impossible, null_threshold: 1 });
    assert.notEqual(some.answer, '');
  });

  test('empty and too long ones are told', async () => {
    await assert.rejects(reader.answer('', context), code('invalid_argument', /the question is empty/));
    await assert.rejects(reader.answer(question, ''), code('invalid_argument', /the context is empty/));
    const long = 'who built the bridge '.repeat(40);
    await assert.rejects(reader.answer(long, context), code('too_long', /no room/));
    await assert.rejects(
      reader.answerBatch([{ question, context }, { question, context: '' }]),
      code('invalid_argument', /text 1: the context is empty/),
    );
    assert.equal((await reader.answer(question, ' ')).answer, '');
  });

  test('a model without such a head is refused', async () => {
    await assert.rejects(Reader.create({ model: ner }), code('unsupported', /ForQuestionAnswering/));
  });
});

describe('two threads give the same bits as one', () => {
  for (const precision of ['int8', 'float32'] as const) {
    test(precision, async () => {
      const results = [];
      for (const threads of [1, 2]) {
        const how = { variant: 'relaxed-mt', threads, precision } as const;
        const two = await Tagger.create({ model: ner, ...how });
        const reads = await Reader.create({ model: qa, ...how });
        results.push({
          tags: await two.tag([text, context], { aggregation: 'none', ignore_labels: [] }),
          answers: await reads.answer(question, context, { ...options, top_k: 9 }),
        });
        await Promise.all([two.destroy(), reads.destroy()]);
      }
      assert.deepEqual(results[0], results[1]);
    });
  }
});

describe('options and arguments', () => {
  const wrong: readonly [name: string, call: () => unknown, message: RegExp][] = [
    ['an unknown option', () => tagger.tag(text, any({ aggregation_strategy: 'max' })), /no aggregation_strategy .* are aggregation,/],
    ['aggregation', () => tagger.tag(text, any({ aggregation: 'last' })), /aggregation is "last", expected none or simple/],
    ['ignore_labels', () => tagger.tag(text, any({ ignore_labels: 'O' })), /expected a list of strings/],
    ['ignore_labels with a hole', () => tagger.tag(text, any({ ignore_labels: [, 'O'] })), /expected a list of strings/],
    ['maxLength', () => tagger.tag(text, { maxLength: 1e6 }), /maxLength is 1000000, expected a whole number from 1 to \d+/],
    ['stride', () => tagger.tag(text, { stride: -1 }), /stride is -1/],
    ['no text', () => tagger.tag(any(undefined)), /text 0 is undefined/],
    ['a pair', () => tagger.tag(any([{ text: 'a', pair: 'b' }])), /text 0 is of type Object/],
    ['a hole', () => tagger.tag(any(['a', , 'b'])), /text 1 is undefined/],
    ['an unknown option of answer', () => reader.answer(question, context, any({ topk: 2 })), /no topk .* are top_k,/],
    ['top_k', () => reader.answer(question, context, { top_k: 0 }), /top_k is 0, expected a whole number from 1 to 1000/],
    ['max_seq_len', () => reader.answer(question, context, { max_seq_len: 0 }), /max_seq_len is 0/],
    ['doc_stride', () => reader.answer(question, context, { doc_stride: 0.5 }), /doc_stride is 0.5/],
    ['max_answer_len', () => reader.answer(question, context, { max_answer_len: 0 }), /max_answer_len is 0/],
    ['null_threshold', () => reader.answer(question, context, { null_threshold: NaN }), /null_threshold is NaN, expected a number from -1 to 1/],
    ['align_to_words', () => reader.answer(question, context, any({ align_to_words: 1 })), /expected a boolean/],
    ['no context', () => reader.answer(question, any(undefined)), /the context is undefined, expected a string/],
    ['no question', () => reader.answer(any({ question }), context), /the question is of type Object/],
    ['answerBatch of a text', () => reader.answerBatch(any('who')), /the questions is "who", expected a list/],
    ['answerBatch of texts', () => reader.answerBatch(any(['who'])), /question 0 is "who", expected \{question, context\}/],
    ['answerBatch without context', () => reader.answerBatch(any([{ question }])), /question 0.context is undefined/],
  ];
  for (const [name, call, message] of wrong) {
    test(name, async () => {
      await assert.rejects(async () => call(), code('invalid_argument', message));
    });
  }

  test('a stride without room is the engine’s error, and harms nothing', async () => {
    const long = 'Anna met Li . '.repeat(30);
    await assert.rejects(tagger.tag(long, { maxLength: 8, stride: 6 }), code('invalid_argument', /stride is 6, expected below 6/));
    await assert.rejects(tagger.tag(long, { maxLength: 2 }), code('too_long'));
    assert.equal((await tagger.tag(text)).length, 3);
  });

  test('superseded, aborted, destroyed', async () => {
    const first = tagger.tag([text], { supersede: true });
    const second = tagger.tag([text], { supersede: true });
    await assert.rejects(first, code('superseded'));
    assert.equal((await second).length, 1);
    await assert.rejects(reader.answer(question, context, { signal: AbortSignal.abort() }), code('aborted'));
    const gone = await Tagger.create({ model: tagger });
    await gone.destroy();
    await assert.rejects(gone.tag(text), code('destroyed'));
  });

  test('progress ends with the number of texts', async () => {
    const seen: number[] = [];
    await tagger.tag([text, text, text], { onProgress: ({ done }) => void seen.push(done) });
    assert.equal(seen.at(-1), 3);
  });
});

describe('pipeline', () => {
  test('token-classification and ner', async () => {
    const classify = await pipeline('token-classification', tagger);
    const [first] = await classify('Anna Smithson');
    assert.deepEqual(Object.keys(first ?? {}).sort(), ['end', 'entity', 'index', 'score', 'start', 'word']);
    assert.deepEqual([first?.entity, first?.word, first?.index], ['B-PER', 'anna', 1]);
    const find = await pipeline('ner', tagger);
    const [lists] = await find([text], { aggregation_strategy: 'simple' });
    assert.deepEqual(lists?.map(({ entity_group: group, word }) => [group, word]).at(0), ['PER', 'Anna Smithson']);
    await assert.rejects(find(text, any({ aggregation: 'simple' })), code('invalid_argument', /aggregation_strategy/));
  });

  test('question-answering', async () => {
    const ask = await pipeline('question-answering', reader);
    const one = await ask(question, context, options);
    assert.ok(!Array.isArray(one) && one.answer === 'Anna Stones');
    const some = await ask(question, context, { ...options, top_k: 2 });
    assert.ok(Array.isArray(some) && some.length === 2);
    const both = await ask([question, question], [context, 'the mill'], options);
    assert.deepEqual([both.length, both[0]], [2, one]);
    await assert.rejects(ask([question], [context, context]), code('invalid_argument', /number of contexts/));
  });
});
