// When is a thrown error an answer as good as a value?

import { PocketBertError, errorCodes } from 'pocketbert';
import { difference } from './outcome.mjs';

/**
 * Codes that say the engine broke, ran full, was told to stop or could not be had: no judgement of
 * a bad input. Sources of cases are in memory, so nothing of theirs can be a matter of the network.
 */
const kNotAJudgement = new Set([
  'trap',
  'out_of_memory',
  'aborted',
  'superseded',
  'destroyed',
  'network',
]);

/**
 * An expected error must be ours, carry a code that judges the input, and name what the case says.
 * @param {{ any: string[] }} expected the message holds at least one of these, case ignored
 * @returns {import('./outcome.mjs').Difference[]}
 */
export function judgeError(thrown, expected) {
  if (!(thrown instanceof PocketBertError)) {
    return [difference('the class of the error', describe(thrown), 'a PocketBertError')];
  }
  const differences = [];
  if (!errorCodes.includes(thrown.code) || kNotAJudgement.has(thrown.code)) {
    differences.push(
      difference('the code of the error', describe(thrown), 'a code that judges the input'),
    );
  }
  const message = thrown.message.toLowerCase();
  if (!expected.any.some((word) => message.includes(word.toLowerCase()))) {
    differences.push(
      difference(
        'the message of the error',
        describe(thrown),
        `one of ${JSON.stringify(expected.any)}`,
      ),
    );
  }
  return differences;
}

/** An error on one line. */
export function describe(thrown) {
  if (thrown instanceof PocketBertError) return `PocketBertError ${thrown.code}: ${thrown.message}`;
  if (thrown instanceof Error) return thrown.stack ?? `${thrown.name}: ${thrown.message}`;
  return `thrown: ${String(thrown)}`;
}

/**
 * Model families and tokenizer kinds that this version reads: to refuse one of these is a failure.
 */
export const kFamilies = new Set([
  'albert',
  'bert',
  'camembert',
  'deberta-v2',
  'distilbert',
  'electra',
  'gte',
  'modernbert',
  'mpnet',
  'new',
  'nomic_bert',
  'roberta',
  'xlm-roberta',
]);
const kTokenizers = new Set(['BPE', 'Unigram', 'WordLevel', 'WordPiece']);

/**
 * The part of a source that may be refused by name, or nothing if the source must be read.
 * @param {Record<string, Uint8Array>} files
 */
export function unsupportedPart(files) {
  const family = json(files['config.json'])?.model_type;
  if (family !== undefined && !kFamilies.has(family)) return `model_type ${family}`;
  const tokenizer = json(files['tokenizer.json']);
  const kind = tokenizer?.model?.type;
  if (kind !== undefined && !kTokenizers.has(kind)) return `tokenizer ${kind}`;
  return undefined;
}

function json(bytes) {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
