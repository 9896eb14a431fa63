/** Ids that we make: UUIDv7, so that they sort by time and indexes grow at one end. */

export interface IdSource {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Fills the bytes with randomness. */
  readonly random: (bytes: Uint8Array) => void;
}

const ID_BYTES = 10;
/** A call for random bytes takes longer than making an id, and about the same time for many ids as for one. */
const IDS_AT_ONCE = 64;

/** A maker of UUIDv7 strings that grow strictly, also within one millisecond and when the clock steps back. */
export function createIds(source: IdSource): () => string {
  const pool = new Uint8Array(ID_BYTES * IDS_AT_ONCE);
  let used = pool.length;
  let last = 0;
  let counter = 0;
  return () => {
    const now = source.now();
    if (used === pool.length) {
      source.random(pool);
      used = 0;
    }
    const bytes = pool.subarray(used, used + ID_BYTES);
    used += ID_BYTES;
    if (now > last) {
      last = now;
      // A random start leaves room for 2,048 ids before the counter borrows from the clock.
      counter = (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) & 0x7ff;
    } else if (++counter > 0xfff) {
      last++;
      counter = 0;
    }
    const time = last.toString(16).padStart(12, "0");
    bytes[2] = ((bytes[2] ?? 0) & 0x3f) | 0x80;
    const tail = hex(bytes);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 2; i < bytes.length; i++) text += HEX[bytes[i] ?? 0];
  return text;
}
