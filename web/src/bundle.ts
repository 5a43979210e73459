/**
 * Entry of dist/index.js: the public API, and what the worker and those files use of it that are
 * loaded later. The latter is not for users: the package's types do not declare it.
 */

export * from './index.js';
export { unpackBatch } from './core/encoded_batch.js';
export { messageOf, refuse, show, toPocketBertError } from './errors.js';
export {
  beginningOf,
  isRecord,
  isWebPage,
  openBlob,
  openBytes,
  parseJson,
  sniff,
  withFirst,
} from './models/files.js';
export { sendAll } from './models/load.js';
export { hasDisk, later } from './models/platform.js';
export { brokenHeader, join, readHeader } from './models/safetensors_header.js';
export { decoded, missing, stem } from './models/source.js';
export { openUrl } from './models/url_file.js';
export { textsOf } from './tasks/encoding.js';
export { headOf, scoreOf } from './tasks/label_scores.js';
export { ownOptions } from './tasks/model_user.js';
export {
  callTable,
  check,
  checkValue,
  lengthTable,
  listOf,
  scoreTable,
  text,
  whole,
} from './tasks/options.js';
export { levelsOf } from './tasks/similarity.js';
export { startWorker } from './worker/server.js';
export { partsOf } from './worker/slices.js';
