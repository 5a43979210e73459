// Reads a WebAssembly module's code: which SIMD instructions it holds. Written from the binary
// format chapter of the WebAssembly specification (with threads, SIMD, relaxed SIMD, bulk memory,
// tail calls, exceptions).

const kSections = { code: 10 };

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    if (this.at >= this.bytes.length)
      throw new Error(`module ends inside an instruction at byte ${this.at}`);
    return this.bytes[this.at++];
  }

  /** An unsigned LEB128 number of up to 32 bits (skips longer signed ones correctly, too). */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  numbers(count) {
    for (let i = 0; i < count; i++) this.number();
  }

  skip(count) {
    this.at += count;
  }

  /** Alignment and offset of a memory access; bit 6 of the first says that a memory index follows. */
  memory() {
    if (this.number() & 0x40) this.number();
    this.number();
  }

  vector(skipOne) {
    for (let left = this.number(); left > 0; left--) skipOne();
  }
}

/** Plain instructions with immediates, by opcode; those not named have none. */
const kImmediates = {
  0x02: (r) => r.number(),
  0x03: (r) => r.number(),
  0x04: (r) => r.number(),
  0x06: (r) => r.number(), // block loop if try
  0x07: (r) => r.number(),
  0x08: (r) => r.number(),
  0x09: (r) => r.number(), // catch throw rethrow
  0x0c: (r) => r.number(),
  0x0d: (r) => r.number(), // br br_if
  0x0e: (r) => {
    r.vector(() => r.number());
    r.number();
  }, // br_table
  0x10: (r) => r.number(),
  0x11: (r) => r.numbers(2),
  0x12: (r) => r.number(),
  0x13: (r) => r.numbers(2), // calls
  0x14: (r) => r.number(),
  0x15: (r) => r.number(),
  0x18: (r) => r.number(), // call_ref return_call_ref delegate
  0x1c: (r) => r.vector(() => r.number()), // select t
  0x1f: (r) => {
    r.number();
    r.vector(() => r.numbers(r.byte() < 2 ? 2 : 1));
  }, // try_table
  0x41: (r) => r.number(),
  0x42: (r) => r.number(),
  0x43: (r) => r.skip(4),
  0x44: (r) => r.skip(8), // constants
  0x3f: (r) => r.number(),
  0x40: (r) => r.number(),
  0xd0: (r) => r.number(),
  0xd2: (r) => r.number(),
};
for (let op = 0x20; op <= 0x26; op++) kImmediates[op] = (r) => r.number(); // locals, globals, tables
for (let op = 0x28; op <= 0x3e; op++) kImmediates[op] = (r) => r.memory(); // loads and stores

/** Prefix 0xfc: saturating conversions (0-7, none), bulk memory and tables. */
function skipBulk(r, op) {
  if (op === 8 || op === 10 || op === 12 || op === 14) r.numbers(2);
  else if (op === 9 || op === 11 || op === 13 || (op >= 15 && op <= 17)) r.number();
  else if (op > 17) throw new Error(`unknown instruction 0xfc ${op}`);
}

/** Prefix 0xfd: SIMD; from 0x100 on relaxed SIMD. */
function skipSimd(r, op) {
  if (op <= 11 || op === 92 || op === 93) r.memory();
  else if (op === 12 || op === 13) r.skip(16);
  else if (op >= 21 && op <= 34) r.skip(1);
  else if (op >= 84 && op <= 91) {
    r.memory();
    r.skip(1);
  } else if (op > 0x113) throw new Error(`unknown instruction 0xfd ${op}`);
}

/** Prefix 0xfe: atomics. */
function skipAtomic(r, op) {
  if (op === 3) r.skip(1);
  else if (op <= 0x4e) r.memory();
  else throw new Error(`unknown instruction 0xfe ${op}`);
}

function countInBody(r, end, counts) {
  for (let groups = r.number(); groups > 0; groups--) r.numbers(2); // locals
  while (r.at < end) {
    const op = r.byte();
    if (op === 0xfc) skipBulk(r, r.number());
    else if (op === 0xfd) {
      const simd = r.number();
      skipSimd(r, simd);
      counts[simd >= 0x100 ? 'relaxed' : 'simd']++;
    } else if (op === 0xfe) skipAtomic(r, r.number());
    else if (op > 0xd6) throw new Error(`unknown instruction 0x${op.toString(16)}`);
    else kImmediates[op]?.(r);
    counts.all++;
  }
  if (r.at !== end) throw new Error('an instruction passes the end of its function');
}

/**
 * Number of instructions of a module: all of them, SIMD and relaxed SIMD ones.
 * @param {Uint8Array} bytes
 */
export function countInstructions(bytes) {
  const counts = { functions: 0, all: 0, simd: 0, relaxed: 0 };
  const reader = new Reader(bytes);
  if (String.fromCharCode(...bytes.subarray(1, 4)) !== 'asm')
    throw new Error('not a WebAssembly module');
  reader.skip(8);
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const size = reader.number();
    const end = reader.at + size;
    if (section === kSections.code) {
      for (let left = reader.number(); left > 0; left--) {
        const bodySize = reader.number();
        countInBody(reader, reader.at + bodySize, counts);
        counts.functions++;
      }
    }
    reader.at = end;
  }
  return counts;
}
