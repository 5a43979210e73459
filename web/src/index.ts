/**
 * PocketBERT: embeddings and classification of text that never leave the page.
 *
 *     import { Embedder } from 'pocketbert';
 *     const embedder = await Embedder.create();
 *     const vectors = await embedder.embed(['one text', 'another']);
 */

export {
  errorCodes,
  PocketBertError,
  type ErrorCode,
  type PocketBertErrorOptions,
} from './errors.js';
export { Classifier } from './tasks/classifier.js';
export { Embedder } from './tasks/embedder.js';
export { Filler } from './tasks/filler.js';
export { ModelUser } from './tasks/model_user.js';
export { pipeline } from './tasks/pipeline.js';
export type * from './tasks/pipeline_types.js';
export { Ranker } from './tasks/ranker.js';
export { Reader } from './tasks/reader.js';
export { Tagger } from './tasks/tagger.js';
export { Tokenizer } from './tasks/tokenizer.js';
export type * from './types.js';
