/** A model inside the module, and its tasks. */

import { BatchRun, type Task } from './batch_run.js';
import { Handle, type Instance } from './instance.js';
import { rawClassifyOptions, rawEmbedOptions } from './options.js';
import type { RawModule } from './raw_module.js';
import { WasmTokenizer } from './tokenizer.js';
import type {
  ClassifyOptions,
  ClassifyResult,
  EmbedOptions,
  EmbedResult,
  EngineModel,
  EngineRun,
  EngineTokenizer,
  HeadInfo,
  ModelInfo,
  TextItem,
} from './types.js';

type Reply<Name extends 'embed' | 'classify'> = Exclude<
  ReturnType<RawModule[Name]>,
  { errorCode: unknown }
>;
type RawEmbeddings = Reply<'embed'>;
type RawClassification = Reply<'classify'>;

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

  classify(items: readonly TextItem[], options?: ClassifyOptions): ClassifyResult {
    return this.#classifyRun(items, options).complete();
  }

  startClassify(items: readonly TextItem[], options?: ClassifyOptions): EngineRun<ClassifyResult> {
    return this.#classifyRun(items, options);
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
    return new BatchRun(
      this.#instance,
      texts.map((text) => ({ text })),
      task,
    );
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
