// Obtains a real model, converts it with our quantizer and keeps it in the cache folder.
//
//   node models/fetch.mjs all-MiniLM-L6-v2                   → …/models/all-MiniLM-L6-v2/all-MiniLM-L6-v2.int8.pocketbert.safetensors
//   node models/fetch.mjs all-MiniLM-L6-v2 --dtype float32
//   node models/fetch.mjs all-MiniLM-L6-v2 --folder          → the Hugging Face folder as it is
//   node models/fetch.mjs https://HOST/OWNER/MODEL/resolve/main/
//
// The last line of stdout is the path; everything else goes to stderr. A second call finds the file and
// ends at once, unless the converter has changed since. Files of a known model are checked against their
// SHA-256; what an address gives is taken as it is.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheFolder, kSourceFolder, withLock } from '../web/build/cache.mjs';
import { BuildError, runMain, say } from '../web/build/process.mjs';
import { kKnownModels } from './known_models.mjs';
import { ensureFolder, layTogether, sha256 } from './model_folder.mjs';

const kDtypes = ['int8', 'float32'];
const kUsage = `usage: node models/fetch.mjs NAME|URL [--dtype int8|float32] [--folder]
names: ${Object.keys(kKnownModels).join(', ')}`;

const isUrl = (name) => /^https?:\/\//.test(name);

/** Folder of the cache in which everything about one model lies. */
function homeOf(name) {
  const folder = isUrl(name) ? `url-${sha256(name).slice(0, 16)}` : name;
  return join(cacheFolder(), 'models', folder);
}

/** The Hugging Face folder of a known model. */
async function folderOf(name) {
  const folder = join(homeOf(name), name);
  const known = kKnownModels[name];
  const { base } = known;
  if (base === undefined) {
    await ensureFolder(folder, known);
    return folder;
  }
  const parts = join(homeOf(name), 'parts');
  await ensureFolder(parts, known);
  const texts = await fetchModel(base.name, { folder: true });
  layTogether(folder, { parts, paths: Object.keys(known.files), texts, base });
  return folder;
}

// ---- conversion

/** Changes whenever a conversion might give other bytes; they are the same in every wasm variant. */
function converterHash() {
  const parts = ['dist/cli.js', 'dist/pocketbert-simd.wasm', 'dist/pocketbert-import.wasm'].map((path) => join(kSourceFolder, path));
  const absent = parts.find((path) => !existsSync(path));
  if (absent) throw new BuildError(`${absent} is not there yet: run \`npm run build\` first`);
  return sha256(parts.map((path) => sha256(readFileSync(path))).join());
}

/** Runs `pocketbert convert` with its report on stderr. */
function convert(source, file, dtype) {
  const args = [join(kSourceFolder, 'dist', 'cli.js'), 'convert', source, file, '--dtype', dtype];
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.pipe(process.stderr, { end: false });
    child.on('error', (error) => failed(new BuildError(`cannot start the converter: ${error.message}`)));
    child.on('close', (code) => (code === 0 ? done() : failed(new BuildError(`converting ${source} failed (exit code ${code})`))));
  });
}

/** The converted model of `name`. */
async function ensureConverted(name, dtype) {
  const home = homeOf(name);
  const stem = isUrl(name) ? new URL(name).pathname.split('/').filter(Boolean)[1] ?? 'model' : name;
  const file = join(home, `${stem}.${dtype}.pocketbert.safetensors`);
  const stamp = `${file}.json`;
  const converter = converterHash();
  if (existsSync(file) && existsSync(stamp)) {
    const made = JSON.parse(readFileSync(stamp, 'utf8'));
    if (made.converter === converter && made.bytes === statSync(file).size) return file;
  }
  mkdirSync(home, { recursive: true });
  rmSync(stamp, { force: true });
  await convert(isUrl(name) ? name : await folderOf(name), file, dtype);
  const bytes = readFileSync(file);
  writeFileSync(stamp, JSON.stringify({ source: name, converter, bytes: bytes.length, sha256: sha256(bytes) }));
  return file;
}

/**
 * Path of a model in the cache, made if it is not there.
 * @param {string} name of a known model, or an address of a Hugging Face folder
 * @param {{ dtype?: 'int8' | 'float32', folder?: boolean }} options `folder`: the Hugging Face folder itself, known models only
 */
export async function fetchModel(name, { dtype = 'int8', folder = false } = {}) {
  if (!kDtypes.includes(dtype)) throw new BuildError(`--dtype is ${dtype}, expected one of ${kDtypes.join(', ')}\n${kUsage}`);
  if (!isUrl(name) && !Object.hasOwn(kKnownModels, name)) throw new BuildError(`no model is known by the name ${name}\n${kUsage}`);
  if (folder && isUrl(name)) throw new BuildError(`--folder is for known models only\n${kUsage}`);
  mkdirSync(homeOf(name), { recursive: true });
  return withLock(`models-${isUrl(name) ? sha256(name).slice(0, 16) : name}`, async () => {
    return folder ? folderOf(name) : ensureConverted(name, dtype);
  });
}

async function main() {
  const { values, positionals } = parseArguments();
  if (values.help) return console.log(kUsage);
  if (positionals.length !== 1) throw new BuildError(kUsage);
  console.log(await fetchModel(positionals[0], values));
}

function parseArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { dtype: { type: 'string' }, folder: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new BuildError(`${error.message}\n${kUsage}`);
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) runMain(main);
