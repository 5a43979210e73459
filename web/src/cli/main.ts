/** The program `pocketbert`. Exit codes: 0 done, 1 failed, 2 called wrongly. */

import { readFileSync } from 'node:fs';
import { messageOf, PocketBertError } from '../errors.js';
import { isRecord } from '../models/files.js';
import { convertCommand, convertUsage, UsageError } from './convert_command.js';
import { inspectCommand, inspectUsage } from './inspect_command.js';
import { hintOf } from './terminal.js';

const usage = `usage: pocketbert <command>

  convert <folder|url> <out>   a Hugging Face model into one quantized file (\`pocketbert convert --help\`)
  inspect <folder|url|file>    what a model is, and whether it can be used (\`pocketbert inspect --help\`)

  --version, --help
`;

function version(): string {
  const value: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return isRecord(value) && typeof value['version'] === 'string' ? value['version'] : 'unknown';
}

const commands: { readonly [name: string]: { run(args: readonly string[]): Promise<void>; usage: string } } = {
  convert: { run: convertCommand, usage: convertUsage },
  inspect: { run: inspectCommand, usage: inspectUsage },
};

async function run(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  const wantsHelp = args.includes('--help') || args.includes('-h') || command === 'help';
  const named = args.find((arg) => Object.hasOwn(commands, arg));
  if (wantsHelp) process.stdout.write(commands[named ?? '']?.usage ?? usage);
  else if (command === '--version' || command === '-v') process.stdout.write(`${version()}\n`);
  else if (command === undefined) throw new UsageError('a command is needed');
  else if (command !== named) throw new UsageError(`${JSON.stringify(command)} is no command of pocketbert`);
  else await commands[command]?.run(rest);
}

function fail(thrown: unknown): void {
  if (thrown instanceof UsageError) {
    process.stderr.write(`pocketbert: ${thrown.message}\nSee \`pocketbert --help\`.\n`);
    process.exitCode = 2;
    return;
  }
  const hint = thrown instanceof PocketBertError ? hintOf(thrown) : '';
  process.stderr.write(`pocketbert: ${messageOf(thrown)}${hint && `\n  ${hint}`}\n`);
  process.exitCode = 1;
}

await run(process.argv.slice(2)).catch(fail);
