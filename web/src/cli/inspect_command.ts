/** `pocketbert inspect <folder|url|file>`: arguments and report. */

import { parseArgs } from 'node:util';
import { messageOf, type PocketBertError } from '../errors.js';
import { UsageError } from './convert_command.js';
import { inspect, type Failure, type Inspection, type Refusal } from './inspect.js';
import { megabytes } from './report.js';
import { hintOf } from './terminal.js';

export const inspectUsage = `usage: pocketbert inspect <folder|url|file> [options]

Tells what a model is, what it would take, and whether PocketBERT can use it: a Hugging Face folder, its
address, or a one-file model. Of its weights only the header is read.

  <folder|url|file>   a folder, an address such as https://HOST/OWNER/MODEL/resolve/main/, or a
                      *.pocketbert.safetensors file

  --json              print the report as JSON; what cannot be looked at is an error in it, without \`usable\`
  --weights FILE      path of the weights in the folder, as of \`convert\`

How large a folder is as one file is told in advance, to a few kB: what a conversion measures is added.
Exit code: 0 if it can be used, 1 if not.
`;

function argumentsOf(args: readonly string[]): { source: string; json: boolean; weights: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, weights: { type: 'string' } },
    });
    const [source, surplus] = positionals;
    if (source === undefined) throw new UsageError('inspect needs a folder, an address or a file');
    if (surplus !== undefined) throw new UsageError(`inspect takes one argument; ${JSON.stringify(surplus)} is one too many`);
    return { source, json: values.json ?? false, weights: values.weights };
  } catch (thrown) {
    throw thrown instanceof UsageError ? thrown : new UsageError(messageOf(thrown));
  }
}

const count = (number: number): string => number.toLocaleString('en-US');

function usableLines({ kind, facts, sourceBytes }: Inspection, source: string): string[] {
  const { tokenizer, heads, ignoredTensors } = facts;
  const headNames = heads.map(({ name, task, labels }) =>
    `${name} (${task}${labels.length > 0 ? `, ${labels.length} labels` : ''})`);
  const weights = sourceBytes === undefined ? 'weights of unknown size' : `${megabytes(sourceBytes)} of weights`;
  const size = kind === 'folder'
    ? `${weights}; about ${megabytes(facts.fileBytes)} as one ${facts.precision} file`
    : `${megabytes(facts.fileBytes)}, one ${facts.precision} file`;
  return [
    `${source}: can be used`,
    `family        ${facts.modelType}`,
    `architecture  ${facts.architectures.join(', ') || 'not named'}`,
    `tasks         ${facts.tasks.join(', ')}`,
    `heads         ${headNames.join(', ') || 'none'}`,
    `tokenizer     ${tokenizer.type}, ${count(tokenizer.vocabularySize)} entries`,
    `size          ${size}`,
    `parameters    ${count(facts.parameters)}`,
    `shape         ${facts.layers} layers of ${facts.hiddenSize}, vectors of ${facts.dimensions}`,
    `tokens        ${count(facts.maxTokens)} at most`,
    ...(ignoredTensors.length > 0 ? [`not used      ${ignoredTensors.join(', ')}`] : []),
  ];
}

function refusedLines(error: PocketBertError, source: string): string[] {
  return [`${source}: cannot be used (${error.code})`, error.message, ...(error.hint === '' ? [] : [`  ${hintOf(error)}`])];
}

function reportJson(found: Inspection | Refusal | Failure, source: string, notes: readonly string[]): object {
  if (found.kind === 'refused' || found.kind === 'failed') {
    const { code, message } = found.error;
    const hint = hintOf(found.error);
    const error = { code, message, ...(hint !== '' && { hint }) };
    return { source, ...(found.kind === 'refused' && { usable: false }), error };
  }
  const { kind, facts, sourceBytes } = found;
  return {
    source,
    usable: true,
    kind,
    model_type: facts.modelType,
    architectures: facts.architectures,
    tasks: facts.tasks,
    heads: facts.heads,
    tokenizer: { type: facts.tokenizer.type, vocabulary_size: facts.tokenizer.vocabularySize },
    layers: facts.layers,
    hidden_size: facts.hiddenSize,
    dimensions: facts.dimensions,
    max_tokens: facts.maxTokens,
    parameters: facts.parameters,
    source_bytes: sourceBytes,
    precision: facts.precision,
    file_bytes: facts.fileBytes,
    ignored_tensors: facts.ignoredTensors,
    notes,
  };
}

/** Runs the command; sets the exit code. Throws `UsageError` or `PocketBertError`. */
export async function inspectCommand(args: readonly string[]): Promise<void> {
  const { source, json, weights } = argumentsOf(args);
  const notes: string[] = [];
  const say = (sentence: string) => void notes.push(sentence.replace(/^note: /, ''));
  const found = await inspect(source, { say, weights });
  if (found.kind === 'failed' && !json) throw found.error;
  const lines = json
    ? [JSON.stringify(reportJson(found, source, notes), undefined, 1)]
    : [
        ...('error' in found ? refusedLines(found.error, source) : usableLines(found, source)),
        ...notes.map((note) => `note: ${note}`),
      ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if ('error' in found) process.exitCode = 1;
}
