/** From a Hugging Face folder to the bytes of a one-file model, with what the conversion costs. */

import { loadEngine } from '../core/engine.js';
import type { Engine, EngineModel, ModelInfo, Precision } from '../core/types.js';
import { messageOf, PocketBertError } from '../errors.js';
import type { Folder } from '../models/folder_files.js';
import { compare, storedVectors, type Comparison } from './fidelity.js';
import { importFolder, type ImportProgress } from './import_folder.js';
import { fidelityOf, tensorsOf, withFidelity, type TensorFacts } from './one_file.js';
import { sampleTexts } from './sample_texts.js';
import { folderAt } from './source_folder.js';

/** Sample texts whose vectors are kept in the file. */
const storedTexts = ['umbrella', 'The ferry leaves the harbour every morning at seven.', 'Why does bread rise faster in summer?'];

export interface ConvertOptions {
  readonly precision: Precision;
  /** Path of the weights in the folder, if they are not the usual ones. */
  readonly weights: string | undefined;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Gets a sentence about what is being done, or about what the user should know. */
  readonly say: (sentence: string) => void;
}

/** A tensor of the file. */
export interface TensorReport extends TensorFacts {
  /** Norm of the error over norm of the weights; undefined for a tensor that was not quantized. */
  readonly relativeError: number | undefined;
}

export interface Conversion {
  readonly info: ModelInfo;
  /** The file, part after part. */
  readonly parts: readonly Uint8Array[];
  readonly tensors: readonly TensorReport[];
  /** Against float32; undefined for a float32 file, and where float32 did not fit into memory. */
  readonly comparison: Comparison | undefined;
}

/** A second engine for float32, so that neither limits the other's memory. */
async function importBoth(folder: Folder, engine: Engine, reference: Engine | undefined, options: ConvertOptions) {
  const { precision, onProgress, say } = options;
  const own = { engine, precision } as const;
  if (reference === undefined) return importFolder(folder, [own], onProgress);
  try {
    return await importFolder(folder, [own, { engine: reference, precision: 'float32' }], onProgress);
  } catch (thrown) {
    if (!(thrown instanceof PocketBertError) || thrown.code !== 'out_of_memory') throw thrown;
    say(`note: cosines are not measured, float32 does not fit into memory (${messageOf(thrown)})`);
    const again = await loadEngine();
    try {
      return await importFolder(folder, [{ engine: again, precision }], onProgress);
    } finally {
      again.destroy();
    }
  }
}

function reportTensors(file: Uint8Array): TensorReport[] {
  const { weights } = fidelityOf(file);
  const errors = new Map<string, unknown>(Object.entries(weights ?? {}));
  return tensorsOf(file).map((tensor) => {
    const error = errors.get(tensor.name);
    return { ...tensor, relativeError: typeof error === 'number' ? error : undefined };
  });
}

interface Measured {
  readonly info: ModelInfo;
  readonly comparison: Comparison | undefined;
  readonly selfTest: ReturnType<typeof storedVectors>;
}

function measure(model: EngineModel, reference: EngineModel | undefined): Measured {
  const info = model.info();
  return {
    info,
    comparison: reference && compare(model, reference, sampleTexts),
    selfTest: info.tasks.includes('embed') ? storedVectors(model, storedTexts) : [],
  };
}

/** Converts what lies at `source`. Memory: the file, and the same in float32 beside it. */
export async function convert(source: string, options: ConvertOptions): Promise<Conversion> {
  const folder = await folderAt(source, options);
  const engines: Engine[] = [await loadEngine()];
  try {
    if (options.precision !== 'float32') engines.push(await loadEngine());
    const [engine, second] = engines;
    if (engine === undefined) throw new PocketBertError('unsupported', 'no engine could be started');
    const [file, floats] = await importBoth(folder, engine, second, options);
    if (file === undefined) throw new PocketBertError('trap', 'the importer gave no file');
    options.say('measuring');
    const reference = floats && second?.openModel(floats, { source: folder.name });
    const { info, comparison, selfTest } = measure(engine.openModel(file, { source: folder.name }), reference);
    const fidelity = { ...fidelityOf(file), ...comparison, ...(selfTest.length > 0 && { self_test: selfTest }) };
    return { info, comparison, tensors: reportTensors(file), parts: withFidelity(file, fidelity) };
  } finally {
    for (const engine of engines) engine.destroy();
  }
}
