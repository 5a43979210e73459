/** SHA-256 of a stream of bytes (FIPS 180-4): the browser's own digest takes whole buffers only. */

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const k = roundConstants(64, 1 / 3);
/** The same of the square roots of the first 8 primes. */
const initial = roundConstants(8, 1 / 2);

function roundConstants(count: number, power: number): Int32Array {
  const constants: number[] = [];
  for (let n = 2; constants.length < count; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) prime &&= n % d !== 0;
    if (prime) constants.push((n ** power % 1) * 2 ** 32);
  }
  return Int32Array.from(constants, (constant) => constant | 0);
}

function rotate(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits));
}

/** Takes bytes in parts of any size and gives their hash. */
export class Sha256 {
  readonly #state = Int32Array.from(initial);
  readonly #w = new Int32Array(64);
  readonly #block = new Uint8Array(64);
  readonly #view = new DataView(this.#block.buffer);
  #length = 0;

  update(bytes: Uint8Array): this {
    let offset = 0;
    while (offset < bytes.length) {
      const used = this.#length % 64;
      const part = bytes.subarray(offset, offset + 64 - used);
      this.#block.set(part, used);
      this.#length += part.length;
      offset += part.length;
      if (this.#length % 64 === 0) this.#compress();
    }
    return this;
  }

  /** 64 hexadecimal digits. Ends the hash. */
  hex(): string {
    const bits = this.#length * 8;
    const padding = new Uint8Array(((119 - (this.#length % 64)) % 64) + 9);
    padding[0] = 0x80;
    const tail = new DataView(padding.buffer);
    tail.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    tail.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #schedule(): Int32Array {
    const w = this.#w;
    for (let t = 0; t < 16; t++) w[t] = this.#view.getInt32(t * 4);
    for (let t = 16; t < 64; t++) {
      const a = w[t - 15] ?? 0;
      const b = w[t - 2] ?? 0;
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      w[t] = (w[t - 16] ?? 0) + s0 + (w[t - 7] ?? 0) + s1;
    }
    return w;
  }

  #compress(): void {
    const w = this.#schedule();
    const state = this.#state;
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (k[t] ?? 0) + (w[t] ?? 0)) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] = (state[index] ?? 0) + word));
  }
}
