// In the page: the public API as a user's page calls it. Each scenario returns what the test looks at.

import { Embedder, PocketBertError, Tokenizer } from '/dist/index.js';
import { report } from '/harness/page.js';

const model = '/cases/hand/fixtures/enc/';
const sentences = [
  'The old river boat was slow.',
  'Sail on!',
  '',
  'boat',
  'a\ud800b',
  'river '.repeat(300),
];

const hex = (vector) =>
  Array.from(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

async function codeOf(promise) {
  try {
    await promise;
    return 'no error';
  } catch (thrown) {
    return thrown instanceof PocketBertError ? thrown.code : String(thrown);
  }
}

/** Bits of the vectors, from the worker and from this thread, in whatever company. */
async function vectors() {
  const progress = [];
  const embedder = await Embedder.create({
    model,
    onProgress: ({ phase, fraction }) => progress.push([phase, fraction]),
  });
  const list = await embedder.embed(sentences);
  const alone = await Promise.all(sentences.map((text) => embedder.embed(text)));
  const { info } = embedder;
  const memory = await embedder.memory();
  for (let i = 0; i < 50; i++) await embedder.embed(sentences);
  const later = await embedder.memory();
  const requests = (await embedder.requests()).map(({ url }) => url);
  const onThisThread = await Embedder.create({ model, worker: false });
  const direct = await onThisThread.embed(sentences);
  const end = [
    await codeOf(
      Promise.race(
        [embedder.embed(Array(500).fill('river boat'))].concat(
          embedder.destroy().then(() => new Promise(() => {})),
        ),
      ),
    ),
    await codeOf(embedder.embed('x')),
  ];
  await onThisThread.destroy();
  return {
    info,
    progress,
    memory,
    later,
    requests,
    end,
    list: [...list].map(hex),
    alone: alone.map(hex),
    direct: [...direct].map(hex),
    truncated: list.truncated,
    directWorker: onThisThread.info.worker,
  };
}

/** Every source that a page has. */
async function sources() {
  const names = [
    'config.json',
    'tokenizer.json',
    'model.safetensors',
    'modules.json',
    '1_Pooling/config.json',
    'sentence_bert_config.json',
    'tokenizer_config.json',
  ];
  const blobs = {};
  for (const name of names) blobs[name] = await (await fetch(model + name)).blob();
  const bytes = {};
  for (const name of names) bytes[name] = new Uint8Array(await blobs[name].arrayBuffer());
  const files = names.map((name) =>
    Object.defineProperty(new File([blobs[name]], name.replace(/.*\//, '')), 'webkitRelativePath', {
      value: `enc/${name}`,
    }),
  );
  const given = {
    address: new URL(model, location.href),
    relative: '/cases/hand/fixtures/enc',
    blobs,
    bytes,
    files,
  };
  const vectors = {};
  for (const [kind, source] of Object.entries(given)) {
    const embedder = await Embedder.create({ model: source });
    vectors[kind] = hex(await embedder.embed('boat'));
    await embedder.destroy();
  }
  return { vectors, kept: bytes['model.safetensors'].length };
}

/** Errors by code; the page goes on working. */
async function errors() {
  const control = new AbortController();
  const slow = Embedder.create({ model, signal: control.signal });
  control.abort();
  const created = await codeOf(slow);
  const missing = await codeOf(Embedder.create({ model: '/nothing/here/' }));
  const page = await codeOf(
    Embedder.create({
      model: {
        'config.json': '{}',
        'tokenizer.json': '{}',
        'model.safetensors': '<!doctype html>',
      },
    }),
  );
  const bytes = await codeOf(Embedder.create({ model: new Uint8Array(100) }));
  const wasm = await codeOf(Embedder.create({ model, wasm: '/nothing.wasm' }));
  const embedder = await Embedder.create({ model });
  const long = await codeOf(embedder.embed('river '.repeat(500), { truncate: 'error' }));
  const many = Array(3000).fill('the old river boat was slow');
  const stop = new AbortController();
  const aborted = codeOf(
    embedder.embed(many, { signal: stop.signal, onProgress: () => stop.abort() }),
  );
  const superseded = codeOf(embedder.embed('r', { supersede: true }));
  const last = embedder.embed('ri', { supersede: true });
  const codes = {
    created,
    missing,
    page,
    bytes,
    wasm,
    long,
    aborted: await aborted,
    superseded: await superseded,
  };
  const works = (await last).length;
  await embedder.destroy();
  return { codes, works };
}

/** While a list is embedded in the worker this thread stays free, and single texts go first. */
async function manners() {
  const embedder = await Embedder.create({ model });
  const many = Array.from({ length: 4000 }, (_, i) => `the old river boat was slow ${i}`);
  let longest = 0;
  let last = performance.now();
  const clock = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  let batchEnd = 0;
  const batch = embedder.embed(many).then(() => (batchEnd = performance.now()));
  await embedder.embed('urgent');
  const urgentEnd = performance.now();
  await batch;
  clearInterval(clock);
  await embedder.destroy();
  return { longest, urgentFirst: urgentEnd < batchEnd };
}

/** Several engines, and one shared. */
async function engines() {
  const [one, two] = await Promise.all([
    Embedder.create({ model }),
    Embedder.create({ model, variant: 'simd' }),
  ]);
  const tokenizer = await Tokenizer.create({ model: one });
  await one.destroy();
  const { tokens } = await tokenizer.encode('boat');
  const vector = hex(await two.embed('boat'));
  await Promise.all([tokenizer.destroy(), two.destroy()]);
  return { tokens, vector, variant: two.info.variant };
}

const scenarios = { vectors, sources, errors, manners, engines };
const violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  violations.push(`${event.effectiveDirective} ${event.blockedURI}`),
);

report(async () => {
  const result = {};
  for (const [name, scenario] of Object.entries(scenarios)) {
    const start = performance.now();
    result[name] = await scenario();
    result[name].milliseconds = performance.now() - start;
  }
  return { ...result, violations };
});
