/** `pocketbert inspect <folder|url|file>`: arguments and report. */

import { parseArgs } from 'node:util';
import { messageOf } from '../errors.js';
import { UsageError } from './convert_command.js';
import { inspect, type Inspection, type Refusal } from './inspect.js';
import { megabytes } from './report.js';

export const inspectUsage = `usage: pocketbert inspect <folder|url|file> [options]

Tells what a model is, what it would take, and whether PocketBERT can use it: a Hugging Face folder, its
address, or a one-file model. Of its weights only the header is read.

  <folder|url|file>   a folder, an address such as https://HOST/OWNER/MODEL/resolve/main/, or a
                      *.pocketbert.safetensors file

  --json              print the report as JSON

Exit code: 0 if it can be used, 1 if not.
`;

function argumentsOf(args: readonly string[]): { source: string; json: boolean } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { json: { type: 'boolean' } } });
    const [source, surplus] = positionals;
    if (source === undefined) throw new UsageError('inspect needs a folder, an address or a file');
    if (surplus !== undefined) throw new UsageError(`inspect takes one argument; ${JSON.stringify(surplus)} is one too many`);
    return { source, json: values.json ?? false };
  } catch (thrown) {
    throw thrown instanceof UsageError ? thrown : new UsageError(messageOf(thrown));
  }
}

const count = (number: number): string => number.toLocaleString('en-US');

function usableLines({ kind, facts, sourceBytes }: Inspection, source: string): string[] {
  const { tokenizer, heads, ignoredTensors } = facts;
  const headNames = heads.map(({ name, task, labels }) =>
    `${name} (${task}${labels.length > 0 ? `, ${labels.length} labels` : ''})`);
  const size = kind === 'folder'
    ? `${megabytes(sourceBytes)} of weights; ${megabytes(facts.fileBytes)} as one ${facts.precision} file`
    : `${megabytes(sourceBytes)}, one ${facts.precision} file`;
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

function refusedLines({ error }: Refusal, source: string): string[] {
  return [`${source}: cannot be used (${error.code})`, error.message, ...(error.hint === '' ? [] : [`  ${error.hint}`])];
}

function reportJson(found: Inspection | Refusal, source: string, notes: readonly string[]): object {
  if (found.kind === 'refused') {
    const { code, message, hint } = found.error;
    return { source, usable: false, error: { code, message, ...(hint !== '' && { hint }) } };
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
  const { source, json } = argumentsOf(args);
  const notes: string[] = [];
  const found = await inspect(source, (sentence) => void notes.push(sentence.replace(/^note: /, '')));
  const lines = json
    ? [JSON.stringify(reportJson(found, source, notes), undefined, 1)]
    : [
        ...(found.kind === 'refused' ? refusedLines(found, source) : usableLines(found, source)),
        ...notes.map((note) => `note: ${note}`),
      ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (found.kind === 'refused') process.exitCode = 1;
}
