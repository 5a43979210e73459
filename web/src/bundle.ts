/**
 * Entry of dist/index.js: the public API, and under one name what the worker and those files use that
 * are loaded later. That name is not for users: the package's types do not declare it.
 */

import { unpackBatch } from './core/encoded_batch.js';
import { messageOf, PocketBertError, refuse, show, toPocketBertError } from './errors.js';
import {
  beginningOf,
  isRecord,
  isWebPage,
  openBlob,
  openBytes,
  parseJson,
  sniff,
  withFirst,
} from './models/files.js';
import { sendAll } from './models/load.js';
import { hasDisk, later } from './models/platform.js';
import { brokenHeader, join, readHeader } from './models/safetensors_header.js';
import { decoded, missing, stem } from './models/source.js';
import { openUrl } from './models/url_file.js';
import { textsOf } from './tasks/encoding.js';
import { fitting, headOf, scoreOf } from './tasks/label_scores.js';
import { ownOptions } from './tasks/model_user.js';
import {
  callTable,
  check,
  checkValue,
  lengthTable,
  listOf,
  scoreTable,
  text,
  whole,
} from './tasks/options.js';
import { levelsOf } from './tasks/similarity.js';
import { startWorker } from './worker/server.js';
import { partsOf } from './worker/slices.js';

export * from './index.js';
/** Names only: web/build/build.mjs reads them from here. */
export const _internals = {
  beginningOf,
  brokenHeader,
  callTable,
  check,
  checkValue,
  decoded,
  fitting,
  hasDisk,
  headOf,
  isRecord,
  isWebPage,
  join,
  later,
  lengthTable,
  levelsOf,
  listOf,
  messageOf,
  missing,
  openBlob,
  openBytes,
  openUrl,
  ownOptions,
  parseJson,
  partsOf,
  PocketBertError,
  readHeader,
  refuse,
  scoreOf,
  scoreTable,
  sendAll,
  show,
  sniff,
  startWorker,
  stem,
  text,
  textsOf,
  toPocketBertError,
  unpackBatch,
  whole,
  withFirst,
};
