/**
 * Ids as small numbers. An index of a long session contains every id several times. Stored as texts, the ids would take
 * most of its memory; here, a UUID takes 17 bytes once, and four bytes for each use.
 */

/** Plain data, so that a scan can be saved. */
export interface IdTable {
  /** The packed ids, one after the other. */
  data: Uint8Array;
  /** The keys are numbers: the place where the id begins; it ends where the next one begins. */
  starts: Uint32Array;
  /** Numbers by hash; -1 where a slot is free. */
  slots: Int32Array;
  size: number;
  /** Most records name the one before them. */
  newestId: string;
  newestNumber: number;
}

const AS_UUID = 0;
const AS_BYTES = 1;
const AS_UNITS = 2;
const UUID_BYTES = 17;

export function createIdTable(): IdTable {
  return {
    data: new Uint8Array(4096),
    starts: new Uint32Array(256),
    slots: new Int32Array(512).fill(-1),
    size: 0,
    newestId: "",
    newestNumber: -1,
  };
}

/** Returns the number of an id, from 0. A new id gets the next number. */
export function internId(ids: IdTable, id: string): number {
  if (ids.newestNumber !== -1 && id === ids.newestId) return ids.newestNumber;
  const bytes = pack(id);
  const hash = hashOf(bytes);
  const known = lookUp(ids, bytes, hash);
  if (known !== -1) return known;
  const number = ids.size;
  const start = ids.starts[number] ?? 0;
  grow(ids, start + bytes.length);
  ids.data.set(bytes, start);
  ids.starts[number + 1] = start + bytes.length;
  ids.slots[freeSlot(ids.slots, hash)] = number;
  ids.newestId = id;
  ids.newestNumber = number;
  ids.size = number + 1;
  return number;
}

/** Returns the number of a known id, or else -1. */
export function findId(ids: IdTable, id: string): number {
  const bytes = pack(id);
  return lookUp(ids, bytes, hashOf(bytes));
}

export function textOfId(ids: IdTable, number: number): string {
  return unpack(bytesOf(ids, number));
}

function bytesOf({ data, starts }: IdTable, number: number): Uint8Array {
  return data.subarray(starts[number] ?? 0, starts[number + 1] ?? 0);
}

function lookUp({ data, starts, slots }: IdTable, bytes: Uint8Array, hash: number): number {
  for (let slot = hash % slots.length; ; slot = (slot + 1) % slots.length) {
    const number = slots[slot] ?? -1;
    if (number === -1 || isAt(data, starts[number] ?? 0, starts[number + 1] ?? 0, bytes)) return number;
  }
}

function grow(ids: IdTable, needed: number): void {
  const { data, starts, slots, size } = ids;
  if (data.length < needed) {
    ids.data = copyInto(new Uint8Array(Math.max(needed, Math.ceil(data.length * 1.25))), data);
  }
  if (starts.length < size + 2)
    ids.starts = copyInto(new Uint32Array(Math.ceil(starts.length * 1.25)), starts);
  if (slots.length * 0.7 > size + 1) return;
  ids.slots = new Int32Array(slots.length * 2).fill(-1);
  for (let number = 0; number < size; number++) {
    ids.slots[freeSlot(ids.slots, hashOf(bytesOf(ids, number)))] = number;
  }
}

function freeSlot(slots: Int32Array, hash: number): number {
  let slot = hash % slots.length;
  while (slots[slot] !== -1) slot = (slot + 1) % slots.length;
  return slot;
}

function copyInto<T extends Uint8Array | Uint32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}

function isAt(data: Uint8Array, start: number, stop: number, bytes: Uint8Array): boolean {
  if (stop - start !== bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) if (data[start + i] !== bytes[i]) return false;
  return true;
}

/** FNV-1a, then mixed, because only its low bits choose the slot. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Valid until the next call: a UUID is packed in place, since nearly all ids are UUIDs. */
function pack(id: string): Uint8Array {
  if (packUuid(id)) return PACKED_UUID;
  let wide = false;
  for (let i = 0; i < id.length; i++) if (id.charCodeAt(i) > 0xff) wide = true;
  const bytes = new Uint8Array(1 + id.length * (wide ? 2 : 1));
  bytes[0] = wide ? AS_UNITS : AS_BYTES;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    if (!wide) bytes[1 + i] = unit;
    else {
      bytes[1 + 2 * i] = unit & 0xff;
      bytes[2 + 2 * i] = unit >> 8;
    }
  }
  return bytes;
}

const PACKED_UUID = new Uint8Array(UUID_BYTES);

/** False for anything except a UUID in lower case: only that can be restored exactly. */
function packUuid(id: string): boolean {
  if (id.length !== 36) return false;
  PACKED_UUID[0] = AS_UUID;
  let at = 0;
  for (let i = 1; i < UUID_BYTES; i++) {
    if (isHyphenBefore(i)) {
      if (id.charCodeAt(at) !== 0x2d) return false;
      at += 1;
    }
    const high = hexDigit(id.charCodeAt(at));
    const low = hexDigit(id.charCodeAt(at + 1));
    if (high === -1 || low === -1) return false;
    PACKED_UUID[i] = (high << 4) | low;
    at += 2;
  }
  return true;
}

function isHyphenBefore(byte: number): boolean {
  return byte === 5 || byte === 7 || byte === 9 || byte === 11;
}

function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  return unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : -1;
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function unpack(bytes: Uint8Array): string {
  if (bytes[0] === AS_UUID) {
    let text = "";
    for (let i = 1; i < UUID_BYTES; i++) text += `${isHyphenBefore(i) ? "-" : ""}${HEX[bytes[i] ?? 0]}`;
    return text;
  }
  const parts: string[] = [];
  const step = bytes[0] === AS_UNITS ? 2 : 1;
  for (let i = 1; i < bytes.length; i += step) {
    const high = step === 2 ? (bytes[i + 1] ?? 0) << 8 : 0;
    parts.push(String.fromCharCode((bytes[i] ?? 0) | high));
  }
  return parts.join("");
}
