// Computes everything whose bits are promised, in whatever host imports this: node or a page.

import { pairs, shuffledOrder, texts } from './texts.mjs';

/** What one engine is asked for; absent fields are left to the package. */
/** @typedef {{ variant: string, threads: number, maxBatchTokens?: number }} Setting */

/** Every variant, threads and step size that must make no difference. @type {Setting[]} */
export const settings = [
  { variant: 'simd', threads: 1 },
  { variant: 'relaxed', threads: 1 },
  { variant: 'relaxed-mt', threads: 1 },
  { variant: 'relaxed-mt', threads: 2 },
  { variant: 'simd', threads: 1, maxBatchTokens: 64 },
  { variant: 'simd', threads: 1, maxBatchTokens: 3000 },
];

/** Names of the parts, in the order in which they make up the whole. */
export const partNames = [
  'default.embed',
  'default.topics',
  'default.sentiment',
  'float32.embed',
  'float32.pairs',
];

export async function sha256(bytes) {
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** IEEE numbers, lowest byte first, whatever the machine. */
function bytesOf(numbers) {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (let i = 0; i < numbers.length; i++) {
    if (!Number.isFinite(numbers[i])) throw new Error(`number ${i} is ${numbers[i]}`);
    view.setFloat32(4 * i, numbers[i], true);
  }
  return new Uint8Array(view.buffer);
}

function joined(rows) {
  const all = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}

/** Scores in the order of the labels' names, so that a tie cannot change the bytes. */
function scoresOf(labels) {
  const byName = [...labels].sort((a, b) => (a.label < b.label ? -1 : 1));
  return bytesOf(byName.map(({ score }) => score));
}

/**
 * The same items through the same call in three ways; in one batch only where the batch is what
 * differs.
 * @param {readonly unknown[]} items
 * @param {(items: readonly unknown[]) => Promise<Uint8Array[]>} many bytes of each item's result
 * @param {((item: unknown) => Promise<Uint8Array>) | undefined} one
 * @returns {Promise<Record<string, Uint8Array[]>>} by the name of the way, in the order of the items
 */
async function threeWays(items, many, one) {
  if (one === undefined) return { 'in one batch': await many(items) };
  const shuffled = shuffledOrder(items.length);
  const alone = [];
  for (const item of items) alone.push(await one(item));
  const mixed = await many(shuffled.map((index) => items[index]));
  const putBack = [];
  shuffled.forEach((index, position) => (putBack[index] = mixed[position]));
  return { 'in one batch': await many(items), alone, shuffled: putBack };
}

function embedWays(embedder, items, batchOnly) {
  const many = async (list) => [...(await embedder.embed(list))].map(bytesOf);
  return threeWays(
    items,
    many,
    batchOnly ? undefined : async (text) => bytesOf(await embedder.embed(text)),
  );
}

function classifyWays(classifier, items, batchOnly, options = {}) {
  const many = async (list) => (await classifier.classify(list, options)).map(scoresOf);
  return threeWays(
    items,
    many,
    batchOnly ? undefined : async (item) => scoresOf(await classifier.classify(item, options)),
  );
}

/** Opens, uses and destroys. */
async function withObject(Class, options, use) {
  const object = await Class.create(options);
  try {
    return await use(object);
  } finally {
    await object.destroy();
  }
}

/** Each part's name and its results in every way. */
async function computeParts({ Embedder, Classifier }, fixtures, setting) {
  const batchOnly = setting.maxBatchTokens !== undefined;
  const packaged = { ...setting, model: 'default' };
  const float32 = (name) => ({ ...setting, model: fixtures[name], precision: 'float32' });
  // The heads stand on the vectors that are compared anyway: a third of the texts is enough for
  // them.
  const some = texts.filter((_, i) => i % 3 === 0);
  const heads = await withObject(Classifier, packaged, async (classifier) => ({
    'default.topics': await classifyWays(classifier, some, batchOnly, { head: 'topics' }),
    'default.sentiment': await classifyWays(classifier, some, batchOnly, { head: 'sentiment' }),
  }));
  return {
    'default.embed': await withObject(Embedder, packaged, (embedder) =>
      embedWays(embedder, texts, batchOnly),
    ),
    ...heads,
    'float32.embed': await withObject(Embedder, float32('enc'), (embedder) =>
      embedWays(embedder, texts, batchOnly),
    ),
    'float32.pairs': await withObject(Classifier, float32('cls'), (classifier) =>
      classifyWays(classifier, pairs, batchOnly),
    ),
  };
}

/** First item whose bytes differ between two lists of rows, or −1. */
function firstDifferent(rows, others) {
  return rows.findIndex(
    (row, i) => row.length !== others[i].length || row.some((byte, k) => byte !== others[i][k]),
  );
}

/**
 * @param {typeof import('pocketbert')} pocketbert
 * @param {{ enc: unknown, cls: unknown }} fixtures sources of the two float32 models
 * @param {Setting} setting
 * @returns {Promise<{ sha256: string, parts: Record<string, string>, differences: string[] }>}
 *   the hash of all parts and of each, taken in one batch; and where another way gave other bytes
 */
export async function measure(pocketbert, fixtures, setting) {
  const computed = await computeParts(pocketbert, fixtures, setting);
  const differences = [];
  const parts = {};
  const whole = [];
  for (const name of partNames) {
    const { 'in one batch': reference, ...others } = computed[name];
    for (const [way, rows] of Object.entries(others)) {
      const index = firstDifferent(reference, rows);
      if (index >= 0)
        differences.push(`${name}: item ${index} ${way} differs from the same in one batch`);
    }
    const bytes = joined(reference);
    parts[name] = await sha256(bytes);
    whole.push(bytes);
  }
  return { sha256: await sha256(joined(whole)), parts, differences };
}

/**
 * `measure` for each setting that this host can run.
 * @returns {Promise<{ setting: Setting, result?: object, refused?: string }[]>}
 */
export async function measureAll(pocketbert, fixtures, onProgress = () => {}) {
  const all = [];
  for (const setting of settings) {
    onProgress(JSON.stringify(setting));
    try {
      all.push({ setting, result: await measure(pocketbert, fixtures, setting) });
    } catch (thrown) {
      if (thrown?.code !== 'unsupported') throw thrown;
      all.push({ setting, refused: thrown.message });
    }
  }
  return all;
}
