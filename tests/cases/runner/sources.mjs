// What a case loads: a folder of files in memory, put together from the half's fixtures, the case's
// overlay, or a real model by name.

/**
 * Path within the model's folder to the file's bytes. @typedef {Record<string, Uint8Array>} Files
 */

/** Reads folders once, whoever asks for them. */
export class Sources {
  #folders = new Map();
  #named = new Map();
  #disk;

  /** @param {import('./disk.mjs').Disk} disk */
  constructor(disk) {
    this.#disk = disk;
  }

  /** A JSON file's content. */
  async json(path) {
    return JSON.parse(new TextDecoder().decode(await this.#disk.readFile(path)));
  }

  /**
   * The files of a case's `model`, its overlay applied.
   * @returns {Promise<Files>}
   */
  async modelFiles(half, model, overlay = {}) {
    const files = { ...(await this.#base(half, model)) };
    for (const [path, content] of Object.entries(overlay)) {
      if (content === null) delete files[path];
      else files[path] = await this.#overlaid(half, files, content);
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
    if (typeof model.dir === 'string') return this.#folder(`${half}/${model.dir}`);
    return this.#namedFiles(model.model);
  }

  #folder(path) {
    if (!this.#folders.has(path)) this.#folders.set(path, this.#disk.readFolder(path));
    return this.#folders.get(path);
  }

  #namedFiles(name) {
    if (!this.#named.has(name)) {
      this.#named.set(
        name,
        this.#disk.fetchFolder(name).then((path) => this.#folder(path)),
      );
    }
    return this.#named.get(name);
  }

  /** The bytes of one overlay entry; the forms are those of the schema. */
  async #overlaid(half, files, content) {
    if ('json' in content) return new TextEncoder().encode(JSON.stringify(content.json));
    if ('text' in content) return new TextEncoder().encode(content.text);
    if ('base64' in content) return bytesOf(content.base64);
    if ('file' in content) return this.#disk.readFile(`${half}/${content.file}`);
    if ('of' in content) return patched(files[content.of], content);
    throw new Error(`an overlay of unknown form: ${Object.keys(content).join(', ')}`);
  }
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));

function patched(original, { patch = [], keep_bytes: kept = original.length }) {
  const bytes = original.slice();
  for (const [offset, base64] of patch) bytes.set(bytesOf(base64), offset);
  return bytes.subarray(0, kept);
}
