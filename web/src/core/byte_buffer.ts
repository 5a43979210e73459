/** Memory inside the module that the caller fills or reads. */

import { Handle, type Instance } from './instance.js';
import type { SharedModule } from './raw_module.js';
import type { ByteBuffer } from './types.js';

export class WasmByteBuffer implements ByteBuffer {
  readonly byteLength: number;
  readonly #instance: Instance<SharedModule>;
  readonly #handle: Handle;

  constructor(instance: Instance<SharedModule>, raw: number) {
    this.#instance = instance;
    this.#handle = new Handle(instance, 'buffer', raw);
    this.byteLength = this.bytes().length;
  }

  static allocate(instance: Instance<SharedModule>, byteLength: number): WasmByteBuffer {
    return new WasmByteBuffer(
      instance,
      instance.call((raw) => raw.createByteBuffer(byteLength)),
    );
  }

  /** A buffer that holds a copy of `bytes`. */
  static copyOf(instance: Instance<SharedModule>, bytes: Uint8Array): WasmByteBuffer {
    const buffer = WasmByteBuffer.allocate(instance, bytes.length);
    buffer.bytes().set(bytes);
    return buffer;
  }

  get raw(): number {
    return this.#handle.raw;
  }

  bytes(): Uint8Array {
    const { raw } = this.#handle;
    return this.#instance.call((module) => module.bufferBytes(raw));
  }

  free(): void {
    this.#handle.free();
  }
}
