/** What an object tells of itself, from what the engine tells. */

import type { PoolingName } from '../core/types.js';
import type { Info, ModelInfo, Pooling } from '../types.js';
import type { EngineFacts } from '../worker/host.js';
import { isRecord, parseJson } from './files.js';
import type { Loaded } from './load.js';

/** The engine's pooling names, by those of sentence-transformers. */
export const poolingNames: { readonly [K in Pooling]: PoolingName } = {
  cls: 'cls',
  mean: 'mean',
  max: 'max',
  mean_sqrt_len_tokens: 'mean_sqrt_len',
  weightedmean: 'weighted_mean',
  lasttoken: 'last_token',
};

/** True for a name of sentence-transformers. */
export function isPooling(name: string): name is Pooling {
  return Object.hasOwn(poolingNames, name);
}

function poolingOf(engineName: PoolingName): Pooling[] {
  return Object.keys(poolingNames)
    .filter(isPooling)
    .filter((name) => poolingNames[name] === engineName);
}

const noJson = 'the fidelity in the file is not JSON';

function describeModel({ name, model, tokenizer }: Loaded, notes: readonly string[]): ModelInfo {
  const fidelity = parseJson(model?.fidelity);
  const broken = model?.fidelity && !isRecord(fidelity);
  return {
    name: name || (model?.source ?? ''),
    type: model?.modelType ?? '',
    tasks: model?.tasks ?? [],
    dimensions: model?.dimensions ?? 0,
    layers: model?.layers ?? 0,
    maxTokens: model?.maxLength ?? tokenizer.truncation?.maxLength ?? Infinity,
    vocabularySize: tokenizer.vocabularySize,
    precision: model?.precision ?? 'int8',
    pooling: (model?.pooling ?? []).flatMap(poolingOf),
    normalize: model?.normalize ?? false,
    heads: (model?.heads ?? []).map(({ name: head, labels, activation }) => ({
      name: head,
      labels,
      activation,
    })),
    tags: model?.tags ?? [],
    prompts: Object.keys(model?.prompts ?? {}),
    fidelity: isRecord(fidelity) ? fidelity : null,
    notes: [...notes, ...(broken ? [noJson] : []), ...tokenizer.differences, ...ignored(model)],
  };
}

function ignored(model: Loaded['model']): string[] {
  const names = model?.ignoredTensors ?? [];
  return names.length === 0 ? [] : [`tensors that are not used: ${names.join(', ')}`];
}

export interface InfoParts {
  readonly facts: EngineFacts;
  readonly loaded: Loaded;
  readonly notes: readonly string[];
}

export function describe({ facts, loaded, notes }: InfoParts, worker: boolean): Info {
  const { variant, threads, reasons } = facts;
  const cache = "none: files are kept as the HTTP headers of their server say, with cache 'auto' too";
  return frozen({ variant, threads, reasons, worker, cache, model: describeModel(loaded, notes) });
}

/** The same value; nobody can change it, nor what is in it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object') Object.values(value ?? {}).forEach(frozen);
  return Object.freeze(value);
}
