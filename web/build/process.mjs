// Running other programs from the build scripts: shown while they run, explained when they fail.
// Only node built-ins: these files run before `npm ci` has.

import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** An error whose message alone is meant for the person at the terminal: no stack is printed. */
export class BuildError extends Error {}

/** Seconds since `start` (from performance.now()), as "12.3 s". */
export function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** One line of progress on stderr, so that stdout stays free for results. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** The trimmed standard output of a program, or undefined when it is absent or fails. */
export function outputOf(command, args, options = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Is there a program of this name on PATH? */
export function onPath(name) {
  return outputOf('sh', ['-c', 'command -v "$1"', 'sh', name]);
}

/**
 * Runs a program with our own standard output and error. Resolves with its exit code
 * when `allowFailure` is set; otherwise a code other than 0 is a BuildError.
 */
export function run(command, args, { allowFailure = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.on('error', (error) =>
      reject(new BuildError(`cannot start ${command}: ${error.message}`)),
    );
    child.on('close', (code, signal) => {
      if (code === 0 || allowFailure) resolve(code ?? 1);
      else reject(new BuildError(`${command} ${args.join(' ')} ended with ${signal ?? code}`));
    });
  });
}

const kReportEvery = 10_000; // ms between progress lines where the terminal cannot rewrite a line

/**
 * Runs a chatty program: one status line while it runs (its newest line of output), everything in
 * `logFile`, and the end of that output in the error when it fails.
 */
export function runQuietly(label, command, args, { logFile, tailLines = 40, ...options } = {}) {
  const start = performance.now();
  const status = statusLine(label, start);
  if (logFile) mkdirSync(dirname(logFile), { recursive: true });
  const log = logFile ? createWriteStream(logFile, { flags: 'a' }) : undefined;
  const tail = [];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const onData = (chunk) => {
      log?.write(chunk);
      for (const line of chunk.toString().split(/[\r\n]+/)) {
        if (!line.trim()) continue;
        tail.push(line);
        if (tail.length > tailLines) tail.shift();
        status.show(line);
      }
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.on('error', (error) =>
      reject(new BuildError(`cannot start ${command}: ${error.message}`)),
    );
    child.on('close', (code, signal) => {
      log?.end();
      status.end(code === 0);
      if (code === 0) return resolve();
      const where = logFile ? `\n(all of it is in ${logFile})` : '';
      reject(new BuildError(`${label}: ended with ${signal ?? code}\n${tail.join('\n')}${where}`));
    });
  });
}

function statusLine(label, start) {
  const terminal = process.stderr.isTTY;
  let reported = performance.now();
  if (!terminal) say(`${label} …`);
  return {
    show(line) {
      const text = `${label} (${seconds(start)}): ${line.trim()}`;
      if (terminal) {
        process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
      } else if (performance.now() - reported > kReportEvery) {
        reported = performance.now();
        say(`  ${text.slice(0, 160)}`);
      }
    },
    end(good) {
      process.stderr.write(
        `${terminal ? '\r\x1b[2K' : ''}${label}: ${good ? 'done' : 'FAILED'} in ${seconds(start)}\n`,
      );
    },
  };
}

/** Runs a script's main function; a BuildError ends the process with its message and code 1. */
export function runMain(main) {
  main().catch((error) => {
    if (error instanceof BuildError) say(`\n${error.message}`);
    else console.error(error);
    process.exitCode = 1;
  });
}
