// Reading zip archives (a Python wheel is one): entries stored or deflated, with or without zip64.
// Format: APPNOTE.TXT of PKWARE, sections 4.3 and 4.5.3.

import { inflateRawSync } from 'node:zlib';

const kEndSignature = 0x06054b50;
const kEnd64Signature = 0x06064b50;
const kEnd64LocatorSignature = 0x07064b50;
const kEntrySignature = 0x02014b50;
const kLocalSignature = 0x04034b50;
const kStored = 0;
const kDeflated = 8;
const kEndBytes = 22;
const kMost16 = 0xffff;
const kMost32 = 0xffffffff;

/** Position of the record that ends every archive; a comment of up to 65,535 bytes may follow it. */
function findEnd(archive) {
  const lowest = Math.max(0, archive.length - kEndBytes - kMost16);
  for (let at = archive.length - kEndBytes; at >= lowest; at--) {
    if (archive.readUInt32LE(at) === kEndSignature) return at;
  }
  throw new Error(`not a zip archive: ${archive.length} bytes without an end record`);
}

/** Number of entries and position of the first. */
function directoryOf(archive) {
  const end = findEnd(archive);
  const plain = { count: archive.readUInt16LE(end + 10), at: archive.readUInt32LE(end + 16) };
  const locator = end - 20;
  if (locator < 0 || archive.readUInt32LE(locator) !== kEnd64LocatorSignature) return plain;
  const end64 = Number(archive.readBigUInt64LE(locator + 8));
  if (archive.readUInt32LE(end64) !== kEnd64Signature) throw new Error('the zip archive has no zip64 end record');
  return { count: Number(archive.readBigUInt64LE(end64 + 32)), at: Number(archive.readBigUInt64LE(end64 + 48)) };
}

/** The sizes and the position of an entry that has zip64 fields for those that do not fit 32 bits. */
function widen(entry, extra) {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let field = at + 4;
    for (const name of ['size', 'packed', 'local']) {
      if (entry[name] !== kMost32) continue;
      entry[name] = Number(extra.readBigUInt64LE(field));
      field += 8;
    }
  }
  return entry;
}

/** All files of an archive: name → { method, packed, size, local }. */
function entriesOf(archive) {
  const entries = new Map();
  let { count, at } = directoryOf(archive);
  for (; count > 0; count--) {
    if (archive.readUInt32LE(at) !== kEntrySignature) throw new Error(`the zip archive is broken at byte ${at}`);
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const nameEnd = at + 46 + name;
    const entry = {
      method: archive.readUInt16LE(at + 10), packed: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24), local: archive.readUInt32LE(at + 42),
    };
    entries.set(archive.toString('utf8', at + 46, nameEnd), widen(entry, archive.subarray(nameEnd, nameEnd + extra)));
    at = nameEnd + extra + comment;
  }
  return entries;
}

function contentOf(archive, name, { method, packed, size, local }) {
  if (archive.readUInt32LE(local) !== kLocalSignature) throw new Error(`${name}: the zip archive is broken at byte ${local}`);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(start, start + packed);
  if (method !== kStored && method !== kDeflated) throw new Error(`${name}: zip method ${method}, expected ${kStored} or ${kDeflated}`);
  const content = method === kStored ? bytes : inflateRawSync(bytes);
  if (content.length !== size) throw new Error(`${name}: ${content.length} bytes in the zip archive, expected ${size}`);
  return content;
}

/**
 * Files of a zip archive.
 * @param {Buffer} archive
 * @returns {{ names: string[], read: (name: string) => Buffer | undefined }} `read` unpacks one file; undefined if it is not there
 */
export function openZip(archive) {
  const entries = entriesOf(archive);
  return {
    names: [...entries.keys()],
    read(name) {
      const entry = entries.get(name);
      return entry && contentOf(archive, name, entry);
    },
  };
}
