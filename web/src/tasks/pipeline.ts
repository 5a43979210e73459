/** `pipeline()`: for those who come from transformers.js, with its option names and result shapes. */

import { later } from '../models/platform.js';
import type { Source } from '../types.js';
import { Classifier } from './classifier.js';
import { Embedder } from './embedder.js';
import { Filler } from './filler.js';
import { ModelUser } from './model_user.js';
import { callTable, check, checkValue, createTable, whole } from './options.js';
import type {
  FeatureExtractionPipeline,
  FillMaskPipeline,
  Pipeline,
  PipelineOptions,
  QuestionAnsweringPipeline,
  TextClassificationPipeline,
  TokenClassificationPipeline,
  ZeroShotClassificationPipeline,
} from './pipeline_types.js';
import { Reader } from './reader.js';
import { Tagger } from './tagger.js';

/**
 * A function for one task.
 *
 *     const extract = await pipeline('feature-extraction', 'https://host/all-MiniLM-L6-v2/');
 *     const { data, dims } = await extract('A cat sleeps.', { pooling: 'mean', normalize: true });
 */
export function pipeline(
  task: 'feature-extraction',
  model?: Source | ModelUser,
  options?: PipelineOptions,
): Promise<FeatureExtractionPipeline>;
export function pipeline(
  task: 'text-classification' | 'sentiment-analysis',
  model?: Source | ModelUser,
  options?: PipelineOptions,
): Promise<TextClassificationPipeline>;
export function pipeline(
  task: 'zero-shot-classification',
  model?: Source | ModelUser,
  options?: PipelineOptions,
): Promise<ZeroShotClassificationPipeline>;
export function pipeline(
  task: 'token-classification' | 'ner',
  model?: Source | ModelUser,
  options?: PipelineOptions,
): Promise<TokenClassificationPipeline>;
export function pipeline(
  task: 'question-answering',
  model?: Source | ModelUser,
  options?: PipelineOptions,
): Promise<QuestionAnsweringPipeline>;
export function pipeline(
  task: 'fill-mask',
  model?: Source | ModelUser,
  options?: PipelineOptions,
): Promise<FillMaskPipeline>;
export async function pipeline(
  task: string,
  model: Source | ModelUser = 'default',
  options: PipelineOptions = {},
): Promise<Pipeline> {
  const { createPipeline } = await later(import('./pipeline_tasks.js'));
  const kit = {
    Classifier,
    Embedder,
    Filler,
    ModelUser,
    Reader,
    Tagger,
    callTable,
    check,
    checkValue,
    createTable,
    whole,
  };
  return createPipeline(kit, task, model, options);
}
