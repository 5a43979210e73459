/** A model inside the module, and its tasks. */

import { BatchRun, type Task } from './batch_run.js';
import { embedPartsRun } from './embed_parts.js';
import { fillMaskTask } from './fill_mask.js';
import { Handle, type Instance } from './instance.js';
import {
  rawAnswerOptions,
  rawClassifyOptions,
  rawEmbedOptions,
  rawTagOptions,
} from './options.js';
import type { RawModule } from './raw_module.js';
import { packTexts, writeTexts } from './texts.js';
import { WasmTokenizer } from './tokenizer.js';
import type {
  AnswerOptions,
  AnswerResult,
  ClassifyOptions,
  ClassifyResult,
  EmbedOptions,
  EmbedPartsOptions,
  EmbedPartsResult,
  EmbedResult,
  EngineModel,
  EngineRun,
  EngineTokenizer,
  FillMaskOptions,
  FillMaskResult,
  HeadInfo,
  ModelInfo,
  TagOptions,
  TagResult,
  TextItem,
  ZeroShotOptions,
  ZeroShotResult,
} from './types.js';
import { zeroShotRun } from './zero_shot.js';

type Reply<Name extends 'embed' | 'classify' | 'tag' | 'answer'> = Exclude<
  ReturnType<RawModule[Name]>,
  { errorCode: unknown }
>;
type RawEmbeddings = Reply<'embed'>;
type RawClassification = Reply<'classify'>;
type RawTagging = Reply<'tag'>;
type RawAnswers = Reply<'answer'>;

/** Words of an entity; the last is the id of its first token. */
const kEntityWords = 6;

const itemsOf = (texts: readonly string[]): TextItem[] => texts.map((text) => ({ text }));

export class WasmModel implements EngineModel {
  readonly tokenizer: EngineTokenizer;
  readonly #instance: Instance;
  readonly #handle: Handle;
  #info: ModelInfo | undefined;

  constructor(instance: Instance, raw: number) {
    this.#instance = instance;
    this.#handle = new Handle(instance, 'model', raw);
    this.tokenizer = new WasmTokenizer(instance, this.#handle);
  }

  info(): ModelInfo {
    const model = this.#handle.raw;
    this.#info ??= JSON.parse(this.#instance.call((raw) => raw.describeModel(model))) as ModelInfo;
    return this.#info;
  }

  embed(texts: readonly string[], options?: EmbedOptions): EmbedResult {
    return this.#embedRun(texts, options).complete();
  }

  startEmbed(texts: readonly string[], options?: EmbedOptions): EngineRun<EmbedResult> {
    return this.#embedRun(texts, options);
  }

  startEmbedParts(
    texts: readonly string[],
    options: EmbedPartsOptions,
  ): EngineRun<EmbedPartsResult> {
    return embedPartsRun(this.#instance, this.#handle, texts, options);
  }

  classify(items: readonly TextItem[], options?: ClassifyOptions): ClassifyResult {
    return this.#classifyRun(items, options).complete();
  }

  startClassify(items: readonly TextItem[], options?: ClassifyOptions): EngineRun<ClassifyResult> {
    return this.#classifyRun(items, options);
  }

  startZeroShot(items: readonly TextItem[], options: ZeroShotOptions): EngineRun<ZeroShotResult> {
    return zeroShotRun(this.#instance, this.#handle, items, options);
  }

  startTag(texts: readonly string[], options: TagOptions = {}): EngineRun<TagResult> {
    const { ignore_labels: ignored = ['O'] } = options;
    const none = options.aggregation === 'none';
    const checked = this.#instance.call((raw) => rawTagOptions(raw, options));
    const task: Task<RawTagging, TagResult> = {
      compute: (block, first, firstNumber) => {
        const model = this.#handle.raw;
        const left = writeTexts(this.#instance, packTexts(itemsOf(ignored)));
        try {
          return this.#instance.call((raw) =>
            raw.tag(model, block, first, firstNumber, left.raw, checked),
          );
        } finally {
          left.free();
        }
      },
      begin: (count, { prefixes }) => ({
        count,
        counts: new Uint32Array(count),
        tokens: new Uint32Array(count),
        labels: this.info().tags,
        prefixes,
        entities: [],
        names: [],
      }),
      put: (result, at, { counts, tokens, entities }) => {
        result.counts.set(counts, at);
        result.tokens.set(tokens, at);
        result.entities.push(entities);
        const ids = none ? entities.filter((_, i) => i % kEntityWords === kEntityWords - 1) : [];
        for (const name of this.tokenizer.idsToTokens(ids)) result.names.push(name);
      },
    };
    return new BatchRun(this.#instance, itemsOf(texts), task);
  }

  startAnswer(items: readonly TextItem[], options: AnswerOptions = {}): EngineRun<AnswerResult> {
    const checked = rawAnswerOptions(options);
    const task: Task<RawAnswers, AnswerResult> = {
      compute: (block, first, firstNumber) => {
        const model = this.#handle.raw;
        return this.#instance.call((raw) => raw.answer(model, block, first, firstNumber, checked));
      },
      begin: (count) => ({
        count,
        counts: new Uint32Array(count),
        tokens: new Uint32Array(count),
        answers: [],
      }),
      put: (result, at, { counts, tokens, answers }) => {
        result.counts.set(counts, at);
        result.tokens.set(tokens, at);
        result.answers.push(answers);
      },
    };
    return new BatchRun(this.#instance, [...items], task);
  }

  startFillMask(texts: readonly string[], options: FillMaskOptions = {}): EngineRun<FillMaskResult> {
    const task = fillMaskTask(this.#instance, this.#handle, options);
    return new BatchRun(this.#instance, itemsOf(texts), task);
  }

  destroy(): void {
    this.#handle.free();
  }

  #embedRun(texts: readonly string[], options: EmbedOptions = {}) {
    const checked = this.#instance.call((raw) => rawEmbedOptions(raw, options));
    const task: Task<RawEmbeddings, EmbedResult> = {
      compute: (block, first, firstNumber) => {
        const model = this.#handle.raw;
        return this.#instance.call((raw) => raw.embed(model, block, first, firstNumber, checked));
      },
      begin: (count, { dimensions }) => ({
        data: new Float32Array(count * dimensions),
        count,
        dimensions,
        tokens: new Uint32Array(count),
        truncated: new Uint8Array(count),
      }),
      put: (result, at, batch) => {
        result.data.set(batch.data, at * batch.dimensions);
        result.tokens.set(batch.tokens, at);
        result.truncated.set(batch.truncated, at);
      },
    };
    return new BatchRun(this.#instance, itemsOf(texts), task);
  }

  #classifyRun(items: readonly TextItem[], options: ClassifyOptions = {}) {
    const checked = this.#instance.call((raw) => rawClassifyOptions(raw, options));
    const task: Task<RawClassification, ClassifyResult> = {
      compute: (block, first, firstNumber) => {
        const model = this.#handle.raw;
        return this.#instance.call((raw) => raw.classify(model, block, first, firstNumber, checked));
      },
      begin: (count, { labelsPerText }) => ({
        count,
        labels: this.#head(options.head).labels,
        topK: labelsPerText,
        indices: new Uint32Array(count * labelsPerText),
        scores: new Float32Array(count * labelsPerText),
        tokens: new Uint32Array(count),
        truncated: new Uint8Array(count),
      }),
      put: (result, at, batch) => {
        result.indices.set(batch.labels, at * batch.labelsPerText);
        result.scores.set(batch.scores, at * batch.labelsPerText);
        result.tokens.set(batch.tokens, at);
        result.truncated.set(batch.truncated, at);
      },
    };
    return new BatchRun(this.#instance, [...items], task);
  }

  /** The head that the module chose for this name. */
  #head(name: string = 'default'): HeadInfo {
    const { heads } = this.info();
    return (heads.find((head) => head.name === name) ?? heads[0]) as HeadInfo;
  }
}
