/** Import of a Hugging Face folder, chunk by chunk. */

import { WasmByteBuffer } from './byte_buffer.js';
import { Handle, type Instance } from './instance.js';
import type { ImportModule } from './raw_module.js';
import { wellFormed } from './options.js';
import { writeFiles } from './texts.js';
import type { ByteBuffer, Engine, EngineImporter, FolderTexts, ImportFacts, ImportOptions } from './types.js';

/** Chunks go through a buffer of this size inside the module. */
const kWindowBytes = 1 << 18;

export class WasmImporter implements EngineImporter {
  readonly #instance: Instance<ImportModule>;
  readonly #engine: Engine;
  readonly #handle: Handle;
  readonly #window: WasmByteBuffer;
  readonly #end: () => void;

  /**
   * @param instance for this import alone
   * @param engine in whose memory the finished file will be
   * @param end gives the instance back
   */
  constructor(
    instance: Instance<ImportModule>,
    engine: Engine,
    files: FolderTexts,
    options: ImportOptions,
    end: () => void,
  ) {
    this.#instance = instance;
    this.#engine = engine;
    this.#end = end;
    const texts = writeFiles(instance, files);
    try {
      const raw = instance.call((module) =>
        module.createImporter(
          texts.raw,
          module.Precision[options.precision ?? 'int8'],
          wellFormed(options.source ?? ''),
        ),
      );
      this.#handle = new Handle(instance, 'importer', raw);
    } finally {
      texts.free();
    }
    this.#window = WasmByteBuffer.allocate(instance, kWindowBytes);
  }

  addHeader(file: string, bytes: Uint8Array, fileSize: number | undefined): number {
    const importer = this.#handle.raw;
    const buffer = WasmByteBuffer.copyOf(this.#instance, bytes);
    try {
      return this.#instance.call((raw) =>
        raw.addHeader(importer, wellFormed(file), buffer.raw, fileSize ?? -1),
      );
    } finally {
      buffer.free();
    }
  }

  write(file: string, offset: number, chunk: Uint8Array): void {
    const importer = this.#handle.raw;
    const name = wellFormed(file);
    for (let begin = 0; begin < chunk.length; begin += kWindowBytes) {
      const piece = chunk.subarray(begin, begin + kWindowBytes);
      this.#window.bytes().set(piece);
      this.#instance.call((raw) =>
        raw.write(importer, name, offset + begin, this.#window.raw, piece.length),
      );
    }
  }

  finish(): ByteBuffer {
    const importer = this.#handle.raw;
    try {
      const raw = this.#instance.call((module) => module.finish(importer));
      const file = new WasmByteBuffer(this.#instance, raw);
      const copy = this.#engine.allocate(file.byteLength);
      copy.bytes().set(file.bytes());
      return copy;
    } finally {
      this.destroy();
    }
  }

  describe(): ImportFacts {
    const importer = this.#handle.raw;
    return JSON.parse(this.#instance.call((raw) => raw.describeImport(importer))) as ImportFacts;
  }

  destroy(): void {
    this.#handle.free();
    this.#window.free();
    this.#end();
  }
}
