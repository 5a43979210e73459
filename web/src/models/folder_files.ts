/** Which files of a Hugging Face folder make up its model. */

import { PocketBertError, refuse } from '../errors.js';
import { isRecord, parseJson, sniff, type FileStore, type OpenFile } from './files.js';

/** A file of weights and its path in the folder. */
export interface WeightFile {
  readonly path: string;
  /** Begins to read it, again from the start. */
  open(): Promise<OpenFile>;
}

export interface Folder {
  readonly kind: 'folder';
  readonly name: string;
  /** The text files that are there, by path. */
  readonly texts: Record<string, string>;
  readonly weights: readonly WeightFile[];
}

/** A folder in which a one-file model lies. */
export interface OneFile {
  readonly kind: 'file';
  readonly name: string;
  open(): Promise<OpenFile>;
}

/** Gets every file that is opened; gives back the one to read. */
export type Watch = (file: OpenFile, path: string) => OpenFile;

/**
 * Files of weights that are kept open between finding them, reading their headers and reading them.
 * Browsers have six connections to a host: with all of them waiting, nothing would be read any more.
 */
export const filesKeptOpen = 4;

const tokenizerTexts = ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'];
/** What holds a tokenizer: the first of these sets of which all files are there. */
const tokenizerSets = [['tokenizer.json'], ['vocab.txt'], ['vocab.json', 'merges.txt', 'added_tokens.json']];
/** Not read. Where one of them is all there is, the importer says what to do. */
const sentencePieceModels = ['sentencepiece.bpe.model', 'spiece.model', 'spm.model'];
const modelTexts = ['config.json', 'sentence_bert_config.json'];
const folderTexts = ['modules.json', 'config_sentence_transformers.json'];
/** ONNX graphs whose weights are read, in the order in which they are tried. */
const graphs = [
  'onnx/model.onnx',
  'onnx/model_fp16.onnx',
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model_uint8.onnx',
  'model.onnx',
  'model_quantized.onnx',
];
const noWeights =
  'PocketBERT reads model.safetensors (or its shards), else an ONNX graph: ' +
  `${graphs.join(', ')}; 4-bit graphs, pytorch_model.bin and TensorFlow files are not read`;
const foreignWeights = /(\.onnx|\.gguf|pytorch_model[^/]*\.bin|tf_model\.h5|flax_model\.msgpack)$/;

/** The whole file as text; a byte order mark is dropped. */
async function readText(file: OpenFile): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = await file.read(); bytes !== undefined; bytes = await file.read()) {
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

function leavesFolder(path: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:|[\\\u0000-\u001f]/i.test(path) ||
    path.split('/').some((segment) => segment.trim() === '' || /^\s*\.{1,2}\s*$/.test(segment))
  );
}

/**
 * Paths come out of a model's own files: one that leads out of its folder is refused, whatever the
 * store. As part of an address it could send a request (and the query, which may hold a token) to
 * another host; on the disk it could open any file.
 */
function refuseOutside(path: string): void {
  if (!leavesFolder(path)) return;
  throw new PocketBertError(
    'format',
    `${JSON.stringify(path)} is named by a file of the model; expected a path within its folder`,
    {
      hint: 'a model names files below its own folder only: no address, no leading /, no .., no backslash',
    },
  );
}

/** Folder of the encoder by modules.json: `''`, or a name with a slash at its end. */
function encoderFolder(modules: unknown): string {
  const first: unknown = Array.isArray(modules) ? modules[0] : undefined;
  const path = isRecord(first) ? first['path'] : undefined;
  return typeof path === 'string' && path !== '' ? path.replace(/\/*$/, '/') : '';
}

/** Reads text files and finds weight files of one store. */
class FolderReader {
  readonly #store: FileStore;
  readonly #watch: Watch;
  readonly #notes: readonly string[];
  readonly texts: Record<string, string> = {};
  readonly weights: WeightFile[] = [];
  /** Folder of the encoder itself: old sentence-transformers models have it in `0_Transformer/`. */
  #root = '';

  /** @param notes what was noted about absent files meanwhile, for hints */
  constructor(store: FileStore, watch: Watch, notes: readonly string[]) {
    this.#store = store;
    this.#watch = watch;
    this.#notes = notes;
  }

  async #open(path: string): Promise<OpenFile | undefined> {
    refuseOutside(path);
    const file = await this.#store.open(path);
    return file && this.#watch(await sniff(file, path), path);
  }

  /** Keeps the text at `path`. */
  async text(path: string): Promise<string | undefined> {
    const file = await this.#open(path);
    if (file === undefined) return undefined;
    return (this.texts[path] = await readText(file));
  }

  /** A text of the encoder's folder that was read. */
  encoderText(name: string): string | undefined {
    return this.texts[this.#root + name];
  }

  async encoderTexts(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.text(this.#root + name)));
  }

  /** Adds a file of weights if it is there. */
  async weight(path: string): Promise<boolean> {
    let opened = await this.#open(path);
    if (opened === undefined) return false;
    if (this.weights.length >= filesKeptOpen) {
      opened.close();
      opened = undefined;
    }
    this.weights.push({
      path,
      open: async () => {
        const file = opened ?? (await this.#open(path));
        opened = undefined;
        if (file === undefined) throw this.missing(path, 'it was there a moment ago');
        return file;
      },
    });
    return true;
  }

  missing(path: string, why: string, hint = ''): PocketBertError {
    return new PocketBertError('format', `${path} was not found in ${this.#store.label}: ${why}`, {
      hint: [...this.#notes, hint].filter((part) => part !== '').join('; '),
    });
  }

  /** True if it is there. */
  async #findTokenizer(): Promise<boolean> {
    await this.encoderTexts(tokenizerTexts);
    for (const names of tokenizerSets) {
      await this.encoderTexts(names.filter((name) => !tokenizerTexts.includes(name)));
      if (names.slice(0, 2).every((name) => this.encoderText(name) !== undefined)) return true;
    }
    return false;
  }

  async tokenizer(): Promise<void> {
    if (await this.#findTokenizer()) return;
    for (const name of sentencePieceModels) {
      const path = this.#root + name;
      const file = await this.#open(path);
      file?.close();
      if (file !== undefined) return void (this.texts[path] = '');
    }
    throw this.missing(
      `${this.#root}tokenizer.json`,
      'and neither were vocab.txt, nor vocab.json with merges.txt; one of them must hold the tokenizer',
    );
  }

  /** The tokenizer alone, by the names that its files have in their folder. */
  async tokenizerAlone(): Promise<Record<string, string>> {
    if (!(await this.#findTokenizer())) {
      this.#root = encoderFolder(parseJson(await this.text('modules.json')));
      await this.tokenizer();
    }
    const names = [...tokenizerTexts, ...tokenizerSets.flat(), ...sentencePieceModels];
    return Object.fromEntries(
      names.flatMap((name) => {
        const text = this.encoderText(name);
        return text === undefined ? [] : [[name, text]];
      }),
    );
  }

  /** modules.json and what it names. */
  async modules(): Promise<void> {
    const value = parseJson(this.texts['modules.json']);
    this.#root = encoderFolder(value);
    for (const module of Array.isArray(value) ? value.filter(isRecord) : []) {
      const path = typeof module['path'] === 'string' ? module['path'].replace(/\/+$/, '') : '';
      const type = typeof module['type'] === 'string' ? module['type'] : '';
      if (path === '' || !/\.(Pooling|Dense)$/.test(type)) continue;
      await this.text(`${path}/config.json`);
      if (!type.endsWith('.Dense') || (await this.weight(`${path}/model.safetensors`))) continue;
      throw this.missing(
        `${path}/model.safetensors`,
        'modules.json names this Dense module',
        noWeights,
      );
    }
  }

  /** Heads beside the model, in the folder `heads`: listed, or named by config.json. */
  async heads(paths: readonly string[] | undefined): Promise<void> {
    const names = paths
      ? paths.filter((path) => /^heads\/[^/]+\.json$/.test(path)).map((path) => path.slice(6, -5))
      : headsNamedBy(this.encoderText('config.json'));
    for (const name of names) {
      if ((await this.text(`heads/${name}.json`)) === undefined) {
        throw this.missing(`heads/${name}.json`, 'config.json names this head');
      }
      if (await this.weight(`heads/${name}.safetensors`)) continue;
      throw this.missing(`heads/${name}.safetensors`, `it belongs to heads/${name}.json`);
    }
  }

  /** Why there are no weights: they are in a format that is not read, or there are none. */
  async noWeights(): Promise<PocketBertError> {
    const foreign = (await this.#store.list())?.find((path) => foreignWeights.test(path));
    if (foreign === undefined) {
      return this.missing('model.safetensors', 'and neither was an index of shards', noWeights);
    }
    const mayBeNamed = /\.onnx$/.test(foreign) && !/q4|bnb4/.test(foreign);
    return new PocketBertError(
      'unsupported',
      `in ${this.#store.label} the weights are in ${foreign}, which is not read; expected model.safetensors`,
      { hint: mayBeNamed ? `{ weights: '${foreign}' } takes this file` : noWeights },
    );
  }

  /** True if there is such a file. Values of a graph may be in another file beside it. */
  async #encoderFile(path: string): Promise<boolean> {
    const found = await this.weight(this.#root + path);
    if (found && path.endsWith('.onnx')) await this.weight(`${this.#root}${path}_data`);
    return found;
  }

  async #graphWeights(): Promise<void> {
    for (const path of graphs) if (await this.#encoderFile(path)) return;
    throw await this.noWeights();
  }

  /** @param option path of the file to take, if one was asked for */
  async encoderWeights(option?: string): Promise<void> {
    if (option !== undefined) {
      const chosen = option.replace(/^\.\//, '');
      if (leavesFolder(chosen)) refuse('weights', option, 'a path within its folder');
      if (await this.#encoderFile(chosen)) return;
      throw this.missing(this.#root + chosen, 'the option weights names this file');
    }
    if (await this.weight(`${this.#root}model.safetensors`)) return;
    const index = await this.text(`${this.#root}model.safetensors.index.json`);
    if (index === undefined) return this.#graphWeights();
    const value = parseJson(index);
    const map = isRecord(value) && isRecord(value['weight_map']) ? value['weight_map'] : undefined;
    if (map === undefined) {
      throw new PocketBertError(
        'format',
        `model.safetensors.index.json in ${this.#store.label} has no JSON object weight_map`,
      );
    }
    for (const shard of new Set(Object.values(map))) {
      if (typeof shard === 'string' && (await this.weight(this.#root + shard))) continue;
      throw this.missing(String(shard), 'model.safetensors.index.json names this shard');
    }
  }
}

function headsNamedBy(config: string | undefined): string[] {
  const value = parseJson(config);
  const own = isRecord(value) ? value['pocketbert'] : undefined;
  const names = isRecord(own) ? own['heads'] : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function oneFileIn(paths: readonly string[] | undefined): string | undefined {
  if (
    paths === undefined ||
    paths.some((path) => /(^|\/)(config|modules|tokenizer)\.json$|vocab\.txt$|merges\.txt$/.test(path))
  ) {
    return undefined;
  }
  const files = paths.filter((path) => path.endsWith('.safetensors'));
  return files.length === 1 ? files[0] : undefined;
}

/** Reads the texts of the folder and opens its weights. */
export async function readFolder(
  store: FileStore,
  watch: Watch,
  notes: readonly string[],
  weights?: string,
): Promise<Folder | OneFile> {
  const paths = await store.list();
  const only = oneFileIn(paths);
  const reader = new FolderReader(store, watch, notes);
  if (only !== undefined) {
    await reader.weight(only);
    const [file] = reader.weights;
    if (file !== undefined) return { kind: 'file', name: store.name || only, open: file.open };
  }
  await Promise.all(folderTexts.map((path) => reader.text(path)));
  await reader.modules();
  await reader.encoderTexts(modelTexts);
  if (reader.encoderText('config.json') === undefined) {
    throw reader.missing(
      'config.json',
      'it is needed to know the model',
      'the source must be a folder with config.json, or one file *.pocketbert.safetensors',
    );
  }
  await reader.tokenizer();
  await reader.heads(paths);
  await reader.encoderWeights(weights);
  return { kind: 'folder', name: store.name, texts: reader.texts, weights: reader.weights };
}

/** The tokenizer's files of the folder. */
export async function readTokenizerFolder(
  store: FileStore,
  watch: Watch,
  notes: readonly string[],
): Promise<Folder | OneFile> {
  const only = oneFileIn(await store.list());
  const reader = new FolderReader(store, watch, notes);
  if (only !== undefined) {
    await reader.weight(only);
    const [file] = reader.weights;
    if (file !== undefined) return { kind: 'file', name: store.name || only, open: file.open };
  }
  const texts = await reader.tokenizerAlone();
  return { kind: 'folder', name: store.name, texts, weights: [] };
}
