/**
 * What `pipeline()` does. It stands on the public classes and is a file of its own: a page that does not
 * call `pipeline()` does not load it.
 */

import { PocketBertError, refuse, show } from '../errors.js';
import type {
  CallOptions,
  CreateOptions,
  Fill,
  Fills,
  Label,
  Pooling,
  Progress,
  Source,
} from '../types.js';
import type { Classifier } from './classifier.js';
import type { Embedder } from './embedder.js';
import type { Filler } from './filler.js';
import type { ModelUser } from './model_user.js';
import { withFacts } from './pipeline_facts.js';
import { questionAnswering, tokenClassification } from './pipeline_spans.js';
import type { callTable, check, checkValue, createTable, TableOf, whole } from './options.js';
import type {
  FeatureExtractionOptions,
  FeatureExtractionPipeline,
  FillMaskOptions,
  FillMaskPipeline,
  FillMaskResult,
  Pipeline,
  PipelineOptions,
  PooledOptions,
  Tensor,
  TextClassificationOptions,
  TextClassificationPipeline,
  TokensTensor,
  UnpooledOptions,
  ZeroShotClassification,
  ZeroShotClassificationOptions,
  ZeroShotClassificationPipeline,
} from './pipeline_types.js';
import type { Reader } from './reader.js';
import type { Tagger } from './tagger.js';
import { MatrixTensor, StackedTensor } from './tensor.js';

/**
 * What the pipelines stand on. It is handed over and not imported, so that bundlers leave it out of the
 * worker, which imports index.js but makes no pipelines.
 */
export interface Kit {
  readonly Classifier: typeof Classifier;
  readonly Embedder: typeof Embedder;
  readonly Filler: typeof Filler;
  readonly ModelUser: typeof ModelUser;
  readonly Reader: typeof Reader;
  readonly Tagger: typeof Tagger;
  readonly callTable: typeof callTable;
  readonly check: typeof check;
  readonly checkValue: typeof checkValue;
  readonly createTable: typeof createTable;
  readonly whole: typeof whole;
}

/** Options of `pipeline()`, beside those of `create()`. */
const pipelineTable = {
  dtype: 'a string',
  device: 'a string',
  progress_callback: 'a function',
  local_files_only: 'a boolean',
  host: 'a string',
  revision: 'a string',
} satisfies TableOf<Omit<PipelineOptions, keyof CreateOptions>>;

const extractTable = {
  pooling: 'a string',
  normalize: 'a boolean',
  quantize: 'a boolean',
  precision: 'binary|ubinary',
} satisfies TableOf<Omit<FeatureExtractionOptions, keyof CallOptions>>;

const labelTable = ({ whole: wholeNumber }: Kit) =>
  ({
    top_k: `${wholeNumber(1)}|null`,
    head: 'a string',
  }) satisfies TableOf<Omit<TextClassificationOptions, keyof CallOptions>>;

const zeroShotTable = {
  hypothesis_template: 'a string',
  multi_label: 'a boolean',
} satisfies TableOf<Omit<ZeroShotClassificationOptions, keyof CallOptions>>;

/** Tasks by name; each builds its pipeline. */
const tasks = {
  'feature-extraction': featureExtraction,
  'text-classification': textClassification,
  'sentiment-analysis': textClassification,
  'zero-shot-classification': zeroShotClassification,
  'token-classification': tokenClassification,
  ner: tokenClassification,
  'question-answering': questionAnswering,
  'fill-mask': fillMask,
} as const;

export async function createPipeline(
  kit: Kit,
  task: string,
  model: Source | ModelUser,
  options: PipelineOptions,
): Promise<Pipeline> {
  const { model: _, ...ofCreate } = kit.createTable;
  kit.checkValue('task', task, 'a string');
  kit.check(options, { ...ofCreate, ...pipelineTable });
  if (!isTask(task)) {
    throw new PocketBertError('unsupported', `there is no pipeline for ${show(task)}`, {
      hint: `there are ${Object.keys(tasks).join(', ')}`,
    });
  }
  return tasks[task](kit, task, createOptions(kit, task, model, options));
}

function isTask(task: string): task is keyof typeof tasks {
  return Object.hasOwn(tasks, task);
}

const precisions: { readonly [dtype: string]: CreateOptions['precision'] } = {
  auto: undefined,
  fp32: 'float32',
  q8: 'int8',
  int8: 'int8',
  uint8: 'int8',
};
const devices = ['auto', 'wasm', 'cpu'];

/** @param loaded the precision of a shared engine */
function precisionOf(
  { dtype = 'auto', precision }: PipelineOptions,
  loaded: CreateOptions['precision'],
): CreateOptions['precision'] {
  if (!Object.hasOwn(precisions, dtype)) {
    throw new PocketBertError(
      'unsupported',
      `dtype is ${show(dtype)}; there are ${Object.keys(precisions).join(', ')}`,
    );
  }
  const named = precisions[dtype];
  const fixed = precision ?? loaded;
  if (named !== undefined && fixed !== undefined && named !== fixed) {
    const why = precision === undefined ? 'as the shared engine has' : 'as precision says';
    refuse('dtype', dtype, `one for ${fixed}, ${why}`);
  }
  return named ?? precision;
}

/** What `offline` is, by its two names. */
function offlineOf(
  { offline, local_files_only: localOnly }: PipelineOptions,
  isShared: boolean,
): boolean | undefined {
  if (localOnly === undefined) return offline;
  if (isShared) {
    throw new PocketBertError(
      'invalid_argument',
      'there is no local_files_only in the options beside a shared engine, whose files are loaded',
    );
  }
  if (offline !== undefined && offline !== localOnly) {
    refuse('local_files_only', localOnly, `${offline}, as offline is`);
  }
  return localOnly;
}

function sourceOf(
  model: Source | ModelUser,
  { host, revision }: PipelineOptions,
): Source | ModelUser {
  if (host === '') refuse('host', host, 'an address');
  if (revision === '') refuse('revision', revision, 'a branch, tag or commit');
  if (host === undefined || typeof model !== 'string' || !/^[\w.-]+\/[\w.-]+$/.test(model))
    return model;
  return `${host.replace(/\/+$/, '')}/${model}/resolve/${encodeURIComponent(revision ?? 'main')}/`;
}

function createOptions(
  kit: Kit,
  task: string,
  model: Source | ModelUser,
  options: PipelineOptions,
): CreateOptions {
  const {
    device = 'auto',
    progress_callback: callback,
    local_files_only: localOnly,
    dtype,
    host,
    revision,
    ...create
  } = options;
  if (!devices.includes(device)) {
    throw new PocketBertError(
      'unsupported',
      `device is ${show(device)}; there are ${devices.join(', ')}`,
    );
  }
  const name = typeof model === 'string' ? model : '';
  const onProgress = (progress: Progress): void => {
    options.onProgress?.(progress);
    const { phase, fraction, loaded, total, file } = progress;
    const status = phase === 'ready' ? 'ready' : 'progress';
    callback?.({ status, task, model: name, file, progress: fraction * 100, loaded, total });
  };
  const shared = model instanceof kit.ModelUser ? model : undefined;
  return {
    ...create,
    model: sourceOf(model, options),
    precision: precisionOf(options, shared?.info.model.precision),
    offline: offlineOf(options, shared !== undefined),
    onProgress,
  };
}

/** Pooling names of transformers.js, by ours. */
const poolings: { readonly [name: string]: Pooling } = {
  mean: 'mean',
  cls: 'cls',
  first_token: 'cls',
  last_token: 'lasttoken',
  eos: 'lasttoken',
};

function poolingOf(pooling: string): Pooling {
  const found = Object.hasOwn(poolings, pooling) ? poolings[pooling] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(poolings).join(', ');
  throw new PocketBertError(
    'unsupported',
    `pooling is ${show(pooling)}; there are none, ${names}`,
  );
}

function isList(texts: string | readonly string[]): texts is readonly string[] {
  return Array.isArray(texts);
}

async function featureExtraction(
  kit: Kit,
  task: string,
  options: CreateOptions,
): Promise<FeatureExtractionPipeline> {
  const embedder = await kit.Embedder.create(options);
  type Texts = string | readonly string[];
  function extract(texts: Texts, call?: UnpooledOptions): Promise<TokensTensor>;
  function extract(texts: Texts, call: PooledOptions): Promise<Tensor>;
  function extract(texts: Texts, call?: FeatureExtractionOptions): Promise<Tensor | TokensTensor>;
  async function extract(
    texts: Texts,
    call: FeatureExtractionOptions = {},
  ): Promise<Tensor | TokensTensor> {
    kit.check(call, { ...kit.callTable, ...extractTable });
    const {
      pooling = 'none',
      normalize = false,
      quantize = false,
      precision = 'binary',
      ...rest
    } = call;
    const list = isList(texts) ? texts : [texts];
    const priority = rest.priority ?? (isList(texts) ? 'batch' : 'interactive');
    if (pooling === 'none') {
      if (quantize) throw new PocketBertError('unsupported', 'quantize needs a pooling: it packs vectors');
      const states = await embedder.tokens(list, { ...rest, priority, normalize });
      return new StackedTensor(states, states[0]?.dims[1] ?? 0);
    }
    const vectors = await embedder.embed(list, {
      ...rest,
      priority,
      pooling: poolingOf(pooling),
      normalize,
      precision: quantize ? precision : 'float32',
    });
    return new MatrixTensor(vectors.data, vectors.dims);
  }
  return withFacts(extract, task, embedder);
}

async function textClassification(
  kit: Kit,
  task: string,
  options: CreateOptions,
): Promise<TextClassificationPipeline> {
  const classifier = await kit.Classifier.create(options);
  // Of several heads, sentiment-analysis means the one of that name.
  const named = classifier.info.model.heads.some(({ name }) => name === 'sentiment');
  const head = task === 'sentiment-analysis' && named ? 'sentiment' : undefined;
  function classify(texts: string, call?: TextClassificationOptions): Promise<Label[]>;
  function classify(
    texts: string | readonly string[],
    call?: TextClassificationOptions,
  ): Promise<Label[] | Label[][]>;
  async function classify(
    texts: string | readonly string[],
    call: TextClassificationOptions = {},
  ): Promise<Label[] | Label[][]> {
    kit.check(call, { ...kit.callTable, ...labelTable(kit) });
    const { top_k: best = 1, ...rest } = call;
    const priority = rest.priority ?? (isList(texts) ? 'batch' : 'interactive');
    const list = isList(texts) ? texts : [texts];
    const labels = await classifier.classify(list, { head, ...rest, top_k: best, priority });
    const plain = labels.map((found) => [...found]);
    if (best === 1) return plain.flat();
    return isList(texts) ? plain : (plain[0] ?? []);
  }
  return withFacts(classify, task, classifier);
}

async function zeroShotClassification(
  kit: Kit,
  task: string,
  options: CreateOptions,
): Promise<ZeroShotClassificationPipeline> {
  const classifier = await kit.Classifier.create(options);
  type Names = string | readonly string[];
  function classify(
    texts: string,
    names: Names,
    call?: ZeroShotClassificationOptions,
  ): Promise<ZeroShotClassification>;
  function classify(
    texts: readonly string[],
    names: Names,
    call?: ZeroShotClassificationOptions,
  ): Promise<ZeroShotClassification[]>;
  function classify(
    texts: string | readonly string[],
    names: Names,
    call?: ZeroShotClassificationOptions,
  ): Promise<ZeroShotClassification | ZeroShotClassification[]>;
  async function classify(
    texts: string | readonly string[],
    names: Names,
    call: ZeroShotClassificationOptions = {},
  ): Promise<ZeroShotClassification | ZeroShotClassification[]> {
    kit.check(call, { ...kit.callTable, ...zeroShotTable });
    const list = isList(texts) ? texts : [texts];
    const priority = call.priority ?? (isList(texts) ? 'batch' : 'interactive');
    const labels = isList(names) ? names : [names];
    const found = await classifier.zeroShot(list, labels, { ...call, priority });
    const results = found.map((best, i) => ({
      sequence: list[i] ?? '',
      labels: best.map(({ label }) => label),
      scores: best.map(({ score }) => score),
      ...(best.notes.length > 0 && { notes: best.notes }),
    }));
    const [only] = results;
    return isList(texts) || only === undefined ? results : only;
  }
  return withFacts(classify, task, classifier);
}

async function fillMask(
  kit: Kit,
  task: string,
  options: CreateOptions,
): Promise<FillMaskPipeline> {
  const filler = await kit.Filler.create(options);
  type Result = FillMaskResult | FillMaskResult<Fill[]>;
  const plain = (found: Fills): Result => {
    const { notes } = found;
    return Object.assign<Fill[] | Fill[][], { notes: readonly string[] }>(found.slice(), { notes });
  };
  function fill<Of extends Fill | Fill[] = Fill>(
    texts: string,
    call?: FillMaskOptions,
  ): Promise<FillMaskResult<Of>>;
  function fill<Of extends Fill | Fill[] = Fill>(
    texts: readonly string[],
    call?: FillMaskOptions,
  ): Promise<FillMaskResult<Of>[]>;
  function fill(
    texts: string | readonly string[],
    call?: FillMaskOptions,
  ): Promise<FillMaskResult | FillMaskResult[]>;
  async function fill(
    texts: string | readonly string[],
    call?: FillMaskOptions,
  ): Promise<Result | Result[]> {
    return isList(texts)
      ? (await filler.fill(texts, call)).map(plain)
      : plain(await filler.fill(texts, call));
  }
  return withFacts(fill, task, filler);
}
