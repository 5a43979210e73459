/**
 * What can be asked of an engine: one function per question, each giving a job. One host is one
 * engine with at most one model (or tokenizer) in it. The protocol's types are derived from here.
 */

import type {
  AnswerOptions,
  AnswerResult,
  ByteBuffer,
  ClassifyOptions,
  ClassifyResult,
  DecodeOptions,
  EmbedOptions,
  EmbedPartsOptions,
  EmbedPartsResult,
  EmbedResult,
  EncodeOptions,
  Engine,
  EngineImporter,
  EngineMemory,
  EngineModel,
  EngineOptions,
  EngineTokenizer,
  FillMaskOptions,
  FillMaskResult,
  FolderTexts,
  ImportOptions,
  LoadEngine,
  ModelInfo,
  PackedTexts,
  TagOptions,
  TagResult,
  TextItem,
  TokenizerInfo,
  ZeroShotOptions,
  ZeroShotResult,
} from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { RequestRecord } from '../types.js';
import { once, type Job } from './jobs.js';
import { stepsOf } from './slices.js';

/** Facts about a started engine. */
export interface EngineFacts {
  readonly variant: Engine['variant'];
  readonly threads: number;
  readonly reasons: readonly string[];
  readonly maxBatchTokens: number;
}

/** Tells how far a job is, in units of its own. */
export type Report = (done: number, total: number) => void;

/** A host in its start reports every so many ms. */
const kBeatMs = 250;

interface StartArgs {
  readonly options: Omit<EngineOptions, 'signal' | 'fetch'>;
  readonly warm?: boolean;
}

interface State {
  stopped: boolean;
  engine: Engine | undefined;
  importer: EngineImporter | undefined;
  buffer: ByteBuffer | undefined;
  model: EngineModel | undefined;
  tokenizer: EngineTokenizer | undefined;
}

function present<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw new PocketBertError('trap', `the host has no ${name} yet`);
  return thing;
}

/** Functions that bring a model in. */
function loadingHandlers(state: State) {
  const engine = () => present(state.engine, 'engine');
  const open = (file: ByteBuffer, source: string): ModelInfo => {
    const model = engine().openModel(file, { source });
    state.model = model;
    state.tokenizer = model.tokenizer;
    return model.info();
  };
  return {
    /** Begins a one-file model of `byteLength` bytes. */
    beginFile: (args: { readonly byteLength: number }) =>
      once(() => {
        state.buffer = engine().allocate(args.byteLength);
      }),
    /** Gives the buffer of the bytes back, to be filled again. */
    writeFile: (args: { readonly offset: number; readonly bytes: Uint8Array<ArrayBuffer> }) =>
      once((): ArrayBuffer => {
        present(state.buffer, 'buffer').bytes().set(args.bytes, args.offset);
        return args.bytes.buffer;
      }),
    openFile: (args: { readonly source: string }) =>
      once(() => {
        const buffer = present(state.buffer, 'buffer');
        state.buffer = undefined;
        return open(buffer, args.source);
      }),
    /** Begins the import of a Hugging Face folder. */
    beginImport: (args: { readonly texts: FolderTexts; readonly options: ImportOptions }) =>
      once(async () => {
        state.importer = await engine().createImporter(args.texts, args.options);
      }),
    /** 0, or how many bytes from the beginning of the file are needed. */
    addHeader: (args: { file: string; bytes: Uint8Array; fileSize: number | undefined }) =>
      once(() =>
        present(state.importer, 'importer').addHeader(args.file, args.bytes, args.fileSize),
      ),
    /** Gives the buffer of the bytes back, to be filled again. */
    writeWeights: (args: { file: string; offset: number; bytes: Uint8Array<ArrayBuffer> }) =>
      once((): ArrayBuffer => {
        present(state.importer, 'importer').write(args.file, args.offset, args.bytes);
        return args.bytes.buffer;
      }),
    openImported: (args: { readonly source: string }) =>
      once(() => {
        const importer = present(state.importer, 'importer');
        state.importer = undefined;
        return open(importer.finish(), args.source);
      }),
    openTokenizer: (args: { readonly texts: FolderTexts }) =>
      once(async (): Promise<TokenizerInfo> => {
        const tokenizer = await engine().openTokenizer(args.texts);
        state.tokenizer = tokenizer;
        return tokenizer.info();
      }),
  };
}

/** Functions that use the tokenizer. */
function tokenizerHandlers(state: State) {
  const tokenizer = () => present(state.tokenizer, 'tokenizer');
  return {
    /** A batch for each part. */
    encode: (args: { readonly parts: readonly PackedTexts[]; readonly options: EncodeOptions }) =>
      stepsOf(args.parts, (texts) => tokenizer().encode(texts, args.options)),
    countTokens: (args: { readonly parts: readonly PackedTexts[] }) =>
      stepsOf(args.parts, (texts) => tokenizer().countTokens(texts)),
    decode: (args: { readonly ids: Int32Array; readonly options: DecodeOptions }) =>
      once(() => tokenizer().decode(args.ids, args.options)),
    /** The vocabulary's entries; the empty string for an id without one. */
    tokensOf: (args: { readonly ids: Int32Array }) =>
      once(() =>
        tokenizer()
          .idsToTokens(args.ids)
          .map((token) => token ?? ''),
      ),
    idOf: (args: { readonly token: string }) => once(() => tokenizer().tokenToId(args.token)),
  };
}

/** Functions that use the model. */
function modelHandlers(state: State) {
  const model = () => present(state.model, 'model');
  return {
    embed: (args: {
      readonly texts: readonly string[];
      readonly options: EmbedOptions;
    }): Job<EmbedResult> => model().startEmbed(args.texts, args.options),
    embedParts: (args: {
      readonly texts: readonly string[];
      readonly options: EmbedPartsOptions;
    }): Job<EmbedPartsResult> => model().startEmbedParts(args.texts, args.options),
    classify: (args: {
      readonly items: readonly TextItem[];
      readonly options: ClassifyOptions;
    }): Job<ClassifyResult> => model().startClassify(args.items, args.options),
    zeroShot: (args: {
      readonly items: readonly TextItem[];
      readonly options: ZeroShotOptions;
    }): Job<ZeroShotResult> => model().startZeroShot(args.items, args.options),
    tag: (args: {
      readonly texts: readonly string[];
      readonly options: TagOptions;
    }): Job<TagResult> => model().startTag(args.texts, args.options),
    /** Items: `text` is the question, `pair` the context. */
    answer: (args: {
      readonly items: readonly TextItem[];
      readonly options: AnswerOptions;
    }): Job<AnswerResult> => model().startAnswer(args.items, args.options),
    fillMask: (args: {
      readonly texts: readonly string[];
      readonly options: FillMaskOptions;
    }): Job<FillMaskResult> => model().startFillMask(args.texts, args.options),
  };
}

/** All functions of one host. */
export function createHandlers(loadEngine: LoadEngine) {
  const state: State = {
    stopped: false,
    engine: undefined,
    importer: undefined,
    buffer: undefined,
    model: undefined,
    tokenizer: undefined,
  };
  return {
    /** Reports while it works, see start_engine.ts.
     *  @param args `warm`: what needs no model is done before one is here */
    start: (args: StartArgs, report: Report) =>
      once(async (): Promise<EngineFacts> => {
        report(0, 1);
        const beats = setInterval(() => report(0, 1), kBeatMs);
        const engine = await loadEngine(args.options).finally(() => clearInterval(beats));
        // The next is one long step, so its time counts from here.
        report(0, 1);
        if (state.stopped) engine.destroy();
        else if (args.warm) engine.warmUp();
        state.engine = engine;
        const { variant, threads, reasons, maxBatchTokens } = engine;
        return { variant, threads, reasons, maxBatchTokens };
      }),
    memory: (_args: Record<string, never>) =>
      once((): EngineMemory => present(state.engine, 'engine').memory()),
    /** What this thread requested. */
    requests: (_args: Record<string, never>) =>
      once((): RequestRecord[] =>
        performance.getEntriesByType('resource').map((entry) => ({
          url: entry.name,
          time: performance.timeOrigin + entry.startTime,
          bytes: entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0,
        })),
      ),
    /** Gives everything back, also what is still on its way. */
    stop: (_args: Record<string, never>) =>
      once(() => {
        state.stopped = true;
        state.importer?.destroy();
        state.engine?.destroy();
      }),
    ...loadingHandlers(state),
    ...tokenizerHandlers(state),
    ...modelHandlers(state),
  };
}
