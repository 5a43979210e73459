// Kinds tokenize and fuzz: ids, tokens, offsets, masks and windows.

import { Tokenizer } from 'pocketbert';
import { compareEncoding } from './compare.mjs';
import { Skip, difference } from './outcome.mjs';
import { settle } from './settle.mjs';

const kUnlistedTokenizer = 'all-MiniLM-L6-v2';

/** Files of the tokenizer that a case names. */
async function tokenizerFiles({ tokenizer }, { suite, sources }) {
  if (typeof tokenizer !== 'string') return sources.tokenizerFiles(tokenizer.model);
  const content = suite.tokenizers[tokenizer.slice(1)];
  if (content.files === undefined) return encoded({ 'tokenizer.json': content });
  const contents = Object.entries(content.files).map(([path, { text, json }]) => [
    path,
    text ?? json,
  ]);
  return encoded(Object.fromEntries(contents));
}

function encoded(contents) {
  const bytes = (content) =>
    new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
  return Object.fromEntries(
    Object.entries(contents).map(([path, content]) => [path, bytes(content)]),
  );
}

/** The texts of any form of input. @returns {{ text: string, pair?: string }[]} */
function itemsOf({ text, pair, batch, text_parts: parts }) {
  if (batch !== undefined) return batch;
  if (parts !== undefined)
    return [{ text: parts.map(([part, times]) => part.repeat(times)).join('') }];
  return [pair === undefined ? { text } : { text, pair }];
}

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playTokenize(testCase, context) {
  const files = await tokenizerFiles(testCase, context);
  const items = itemsOf(testCase.input);
  const open = () =>
    context.sessions.open(Tokenizer, [context.suite.folder, testCase.tokenizer], async () => ({
      files,
    }));
  return settle(testCase.expect, {
    files,
    canary: context.canary,
    compare: compareTokens,
    attempt: async () => {
      const tokenizer = await open();
      const start = performance.now();
      const encodings = await tokenizer.encodeBatch(items, testCase.options);
      return { encodings, seconds: (performance.now() - start) / 1000 };
    },
  });
}

function compareTokens({ encodings, seconds }, expect) {
  if (expect.encodings !== undefined) return compareEncodings(encodings, expect.encodings);
  const [{ ids, offsets }] = encodings;
  const list = Array.from(ids);
  const parts = [
    ['number of tokens', list.length, expect.count],
    ['first ids', list.slice(0, expect.head.length), expect.head],
    ['last ids', list.slice(-expect.tail.length), expect.tail],
    ['last offsets', offsets.slice(-expect.tail_offsets.length), expect.tail_offsets],
  ];
  const differences = parts.flatMap(([what, found, expected]) =>
    JSON.stringify(found) === JSON.stringify(expected) ? [] : [difference(what, found, expected)],
  );
  if (!(seconds <= expect.max_seconds))
    differences.push(difference('seconds', seconds, `at most ${expect.max_seconds}`));
  return differences;
}

function compareEncodings(found, expected) {
  if (found.length !== expected.length)
    return [difference('number of encodings', found.length, expected.length)];
  return expected.flatMap((encoding, i) => compareEncoding(`encodings[${i}]`, found[i], encoding));
}

/** One fuzz line: `t` text, `p` pair, `ids`, `off` start and end by turns, `q` ids only. */
export async function playFuzz(testCase, { suite, sources, sessions, canary }) {
  if (suite.tokenizerText === '') throw new Skip('its tokenizer is not in the folder');
  const named = suite.tokenizerText === undefined;
  const files = named
    ? await sources.tokenizerFiles(kUnlistedTokenizer)
    : encoded({ 'tokenizer.json': suite.tokenizerText });
  const { t: text, p: pair, ids, off, q: idsOnly } = testCase;
  const offsets = idsOnly
    ? null
    : Array.from({ length: off.length / 2 }, (_, i) => [off[2 * i], off[2 * i + 1]]);
  return settle(
    { ids, offsets },
    {
      files,
      canary,
      compare: (found, expected) => compareEncoding('encoding', found, expected),
      attempt: async () => {
        const tokenizer = await sessions.open(Tokenizer, [suite.folder, suite.name], async () => ({
          files,
        }));
        return tokenizer.encode(text, pair === undefined ? {} : { pair });
      },
    },
  );
}
