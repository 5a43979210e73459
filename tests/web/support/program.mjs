// Running our command-line programs as a user does.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const kMostSeconds = 300;

/** The root folder: tests run in it. */
export const root = process.cwd();
export const fixtures = resolve('tests/cases/hand/fixtures');

/**
 * Runs a script of the root folder with node.
 * @param {string} script
 * @param {readonly string[]} args
 * @param {Record<string, string>} env added to our own environment
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function runScript(script, args, env = {}) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, timeout: kMostSeconds * 1000,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => { stdout += chunk; });
    child.stderr.on('data', (chunk) => { stderr += chunk; });
    child.on('error', failed);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

/** A folder that is gone when the test ends. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'pocketbert-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
