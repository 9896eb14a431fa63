/**
 * Makes the records around the packed bytes of a ZIP archive. Runs in Node.js and in browsers, because the caller packs
 * the bytes and computes their checksum. Pure.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export interface ZipEntryFacts {
  /** A relative path with `/` between folders. */
  readonly name: string;
  readonly method: "deflate" | "store";
  /** CRC-32 of the bytes before they were packed. */
  readonly crc32: number;
  readonly sizeBytes: number;
  readonly packedBytes: number;
  /** The place of the entry in the archive. */
  readonly offset: number;
}

/** `local` precedes the packed bytes, `central` is in the directory at the end. */
export interface ZipRecords {
  readonly local: Bytes;
  readonly central: Bytes;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const UTF8 = 0x0800;
/** Always 1980-01-01, so that equal content gives equal archives. */
const DATE = 0x0021;

export function zipRecords(entry: ZipEntryFacts): ZipRecords {
  const path = new TextEncoder().encode(entry.name);
  // Version, flags, method, time, date, checksum, both sizes, length of the name, length of the extra field.
  const fields = numbers(
    [VERSION, 2],
    [UTF8, 2],
    [entry.method === "deflate" ? 8 : 0, 2],
    [0, 2],
    [DATE, 2],
    [entry.crc32, 4],
    [entry.packedBytes, 4],
    [entry.sizeBytes, 4],
    [path.length, 2],
    [0, 2],
  );
  const place = numbers([0, 2], [0, 2], [0, 2], [0, 4], [entry.offset, 4]);
  return {
    local: joined(numbers([LOCAL, 4]), fields, path),
    central: joined(numbers([CENTRAL, 4], [VERSION, 2]), fields, place, path),
  };
}

/** The record after the directory. */
export function zipEnd(count: number, directoryBytes: number, offset: number): Bytes {
  return numbers([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [directoryBytes, 4], [offset, 4], [0, 2]);
}

/** Writes each number in the given number of bytes, the lowest byte first. */
function numbers(...fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Bytes {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

function joined(...parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
