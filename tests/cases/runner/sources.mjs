// What a case loads: a folder of files in memory, put together from the half's fixtures, the case's
// overlay, or a real model by name.

import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const kFetchScript = fileURLToPath(new URL('../../../models/fetch.mjs', import.meta.url));

/**
 * Path within the model's folder to the file's bytes. @typedef {Record<string, Uint8Array>} Files
 */

/** Reads folders once, whoever asks for them. */
export class Sources {
  #folders = new Map();
  #named = new Map();
  #fetchFolder;

  /** @param {(name: string) => Promise<string>} fetchFolder a real model's name to its folder */
  constructor(fetchFolder = fetchNamedModel) {
    this.#fetchFolder = fetchFolder;
  }

  /**
   * The files of a case's `model`, its overlay applied.
   * @returns {Promise<Files>}
   */
  async modelFiles(half, model, overlay = {}) {
    const files = { ...(await this.#base(half, model)) };
    for (const [path, content] of Object.entries(overlay)) {
      if (content === null) delete files[path];
      else files[path] = await overlaid(half, files, content);
    }
    return files;
  }

  /** The tokenizer's files of a named model, without its weights. @returns {Promise<Files>} */
  async tokenizerFiles(name) {
    const files = await this.#namedFiles(name);
    const names = [
      'tokenizer.json',
      'tokenizer_config.json',
      'special_tokens_map.json',
      'vocab.txt',
    ];
    return Object.fromEntries(names.flatMap((path) => (files[path] ? [[path, files[path]]] : [])));
  }

  #base(half, model) {
    if (typeof model.dir === 'string') return this.#folder(join(half, model.dir));
    return this.#namedFiles(model.model);
  }

  #folder(path) {
    if (!this.#folders.has(path)) this.#folders.set(path, readFolder(path));
    return this.#folders.get(path);
  }

  #namedFiles(name) {
    if (!this.#named.has(name)) {
      this.#named.set(
        name,
        this.#fetchFolder(name).then((path) => this.#folder(path)),
      );
    }
    return this.#named.get(name);
  }
}

async function readFolder(root) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = {};
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    files[relative(root, path).split(sep).join('/')] = new Uint8Array(await readFile(path));
  }
  return files;
}

/** The bytes of one overlay entry; the forms are those of the schema. */
async function overlaid(half, files, content) {
  if ('json' in content) return new TextEncoder().encode(JSON.stringify(content.json));
  if ('text' in content) return new TextEncoder().encode(content.text);
  if ('base64' in content) return new Uint8Array(Buffer.from(content.base64, 'base64'));
  if ('file' in content) return new Uint8Array(await readFile(join(half, content.file)));
  if ('of' in content) return patched(files[content.of], content);
  throw new Error(`an overlay of unknown form: ${Object.keys(content).join(', ')}`);
}

function patched(original, { patch = [], keep_bytes: kept = original.length }) {
  const bytes = original.slice();
  for (const [offset, base64] of patch) bytes.set(Buffer.from(base64, 'base64'), offset);
  return bytes.subarray(0, kept);
}

/** Has the model script put a real model into the cache; its last line is the folder. */
async function fetchNamedModel(name) {
  const child = spawn(process.execPath, [kFetchScript, name, '--folder'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const path = output.trim().split('\n').at(-1);
  if (code !== 0 || !path) throw new Error(`models/fetch.mjs ${name} --folder ended with ${code}`);
  return path;
}
