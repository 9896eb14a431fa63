/** A ZIP archive as chunks, entry by entry; only one entry is in memory. Names come from us. Pure. */

import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  /** With `/` between folders, relative. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** `store` for what is compressed already. */
  readonly method?: "deflate" | "store";
}

const UTF8 = 0x0800;
const VERSION = 20;
/** 1980-01-01: the same content is the same archive. */
const DATE = 0x0021;

/** Errors: `RangeError` for an archive over 4 GB or 65,535 entries, which need another format. */
export async function* zipChunks(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): AsyncGenerator<Uint8Array, void, void> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, bytes, method = "deflate" } of entries) {
    const packed = method === "deflate" ? deflateRawSync(bytes) : bytes;
    const path = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(VERSION, 0);
    fields.writeUInt16LE(UTF8, 2);
    fields.writeUInt16LE(method === "deflate" ? 8 : 0, 4);
    fields.writeUInt16LE(DATE, 8);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([magic(0x02014b50), uint16(VERSION), fields, place, path]));
    yield Buffer.concat([magic(0x04034b50), fields, path]);
    yield packed;
    offset += 30 + path.length + packed.length;
    if (offset > 0xff_ff_ff_ff || directory.length > 0xff_ff)
      throw new RangeError("the archive is too large");
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  yield Buffer.concat([central, magic(0x06054b50), end]);
}

function magic(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
