// In the page: one contestant behind the same few functions for all, as `window.bench`. The page's
// fragment is JSON: { adapter, options, first? }; with `first` the page measures its own start.

const config = JSON.parse(decodeURIComponent(location.hash.slice(1)));
let contestant;

/** Longest list that a contestant without batches of its own is given at once. */
const kChunk = 32;

async function embedAll(texts) {
  const vectors = [];
  for (let at = 0; at < texts.length; at += contestant.chunk ?? kChunk)
    vectors.push(
      ...(await contestant.embedBatch(texts.slice(at, at + (contestant.chunk ?? kChunk)))),
    );
  return vectors;
}

const kTasks = {
  /** One text, one call. */
  one: ([text]) => contestant.embed(text),
  /** All texts in one call. */
  batch: (texts) => contestant.embedBatch(texts),
  /** All texts, one call each. */
  singly: async (texts) => {
    for (const text of texts) await contestant.embed(text);
  },
  /** All texts, as many a call as the contestant is best given. */
  chunks: embedAll,
  /** The tokenizer alone. */
  tokens: (texts) => contestant.tokenize(texts),
};

async function timeOne(task, texts) {
  const start = performance.now();
  await kTasks[task](texts);
  return performance.now() - start;
}

window.bench = {
  /** Loads the contestant; resolves with what it tells of itself and how long that took, in ms. */
  async load() {
    const start = performance.now();
    const { create } = await import(`/${config.adapter}.js`);
    contestant = await create(config.options);
    return { info: contestant.info, created: performance.now() - start };
  },
  /** Milliseconds of each call: until `budget` ms are used up, `least` to `most` calls. */
  async time({ task, texts, budget, least, most }) {
    const times = [];
    const start = performance.now();
    while (times.length < least || (times.length < most && performance.now() - start < budget))
      times.push(await timeOne(task, texts));
    return times;
  },
  vectors: async (texts) => (await embedAll(texts)).map((vector) => Array.from(vector)),
  tokens: async (texts) => (await contestant.tokenize(texts)).map((ids) => Array.from(ids, Number)),
  /** Bytes of wasm heap, where the contestant tells. */
  heap: () => contestant.heap?.(),
};

/** From navigation to the first vector, then a few calls more. */
async function measureStart({ text, calls }) {
  const { created, info } = await window.bench.load();
  const times = [await timeOne('one', [text])];
  const firstVector = performance.now();
  while (times.length < calls) times.push(await timeOne('one', [text]));
  return { firstVector, created, info, times };
}

if (config.first) {
  window.bench.started = measureStart(config.first);
  window.bench.start = () => window.bench.started;
}
window.ready = true;
