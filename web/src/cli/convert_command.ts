/** `pocketbert convert <folder|url> <out>`: arguments, files and messages. */

import { parseArgs } from 'node:util';
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Precision } from '../core/types.js';
import { messageOf, PocketBertError } from '../errors.js';
import { convert } from './convert.js';
import { reportJson, reportText } from './report.js';
import { Terminal } from './terminal.js';

export const convertUsage = `usage: pocketbert convert <folder|url> <out> [options]

Converts a Hugging Face model (config.json, tokenizer.json, vocab.txt or vocab.json with merges.txt, and
model.safetensors, its shards or an ONNX graph) into one file that PocketBERT loads with a single request, and
tells what that costs in accuracy.

  <folder|url>     a folder, or an address such as https://HOST/OWNER/MODEL/resolve/main/
  <out>            a file *.safetensors, or a folder that exists: there it becomes SOURCE.pocketbert.safetensors,
                   named after the last part of <folder|url>. It must not lie in the folder that is read. A file
                   of that name is replaced, when all has gone well

  --dtype TYPE     int8 (default) or float32
  --weights FILE   path of the weights in the folder, such as onnx/model_quantized.onnx; default: model.safetensors
                   or its shards, else an ONNX graph
  --json           print the report as JSON
  --quiet          no progress on stderr
`;

/** The command was called in a way that it does not understand. */
export class UsageError extends Error {}

const dtypes: readonly Precision[] = ['int8', 'float32'];
const ending = '.safetensors';

interface Arguments {
  readonly source: string;
  readonly out: string;
  readonly precision: Precision;
  readonly weights: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        dtype: { type: 'string', default: 'int8' },
        weights: { type: 'string' },
        json: { type: 'boolean' },
        quiet: { type: 'boolean' },
      },
    });
  } catch (thrown) {
    throw new UsageError(messageOf(thrown));
  }
}

function argumentsOf(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  const [source, out, surplus] = positionals;
  if (source === undefined) throw new UsageError('convert needs a folder or an address to read from, and a file to write to');
  if (out === undefined) throw new UsageError('convert needs a file to write to, after the folder or address');
  if (surplus !== undefined) throw new UsageError(`convert takes two arguments; ${JSON.stringify(surplus)} is one too many`);
  const precision = dtypes.find((dtype) => dtype === values.dtype);
  if (precision === undefined) {
    throw new UsageError(`--dtype is ${JSON.stringify(values.dtype)}, expected one of ${dtypes.join(', ')}`);
  }
  const { weights, json = false, quiet = false } = values;
  if (weights === '') throw new UsageError('--weights is empty, expected the path of a file in the folder');
  return { source, out: outputFile(source, out), precision, weights, json, quiet };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Where the model is written to: `out`, or a file in it named after the source. */
function outputFile(source: string, place: string): string {
  const out = isDirectory(place) ? join(place, `${nameOf(source)}.pocketbert${ending}`) : place;
  if (!out.endsWith(ending)) throw new UsageError(`${JSON.stringify(out)} is no folder and does not end in .pocketbert${ending}`);
  const folder = dirname(resolve(out));
  if (existsSync(folder) && existsSync(source) && isDirectory(source) && realpathSync(folder) === realpathSync(source)) {
    throw new UsageError(`${JSON.stringify(out)} lies in the folder that is read; write it somewhere else`);
  }
  return out;
}

/** OWNER/MODEL/resolve/main of a hub and the path of a folder both name the model. */
function nameOf(source: string): string {
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
  if (isAddress && !URL.canParse(source)) throw new UsageError(`${JSON.stringify(source)} is no address`);
  const path = isAddress ? new URL(source).pathname.replace(/\/resolve\/[^/]+\/?$/, '') : resolve(source);
  return decodeURIComponent(basename(path)) || 'model';
}

/** Writes the whole file beside its place and moves it there: it is never half there. */
function writeFile(path: string, parts: readonly Uint8Array[]): void {
  const partial = `${path}.partial`;
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true });
    const file = openSync(partial, 'w');
    try {
      for (const part of parts) for (let at = 0; at < part.length;) at += writeSync(file, part, at);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
  } catch (thrown) {
    if (existsSync(partial)) rmSync(partial);
    throw new PocketBertError('invalid_argument', `${path} could not be written: ${messageOf(thrown)}`);
  }
}

/** Runs the command. Throws `UsageError` or `PocketBertError`. */
export async function convertCommand(args: readonly string[]): Promise<void> {
  const { source, out, precision, weights, json, quiet } = argumentsOf(args);
  const terminal = new Terminal(quiet);
  const conversion = await convert(source, {
    precision,
    weights,
    onProgress: (progress) => terminal.progress(progress),
    say: (sentence) => terminal.say(sentence),
  });
  for (const difference of conversion.info.tokenizer.differences) terminal.say(`note: ${difference}`);
  const ignored = conversion.info.ignoredTensors ?? [];
  if (ignored.length > 0) terminal.say(`note: tensors that are not used: ${ignored.join(', ')}`);
  writeFile(out, conversion.parts);
  const report = json ? [JSON.stringify(reportJson(conversion, out), undefined, 1)] : reportText(conversion, out);
  process.stdout.write(`${report.join('\n')}\n`);
}
