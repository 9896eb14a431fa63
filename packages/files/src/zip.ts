/**
 * A ZIP archive as chunks, entry by entry; only one entry is in memory. The caller chooses the names, which are not
 * checked. Pure.
 */

import { crc32, deflateRawSync } from "node:zlib";
import { zipEnd, zipRecords } from "@continuo/core/model";

export interface ZipEntry {
  /** A relative path with `/` between folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** `store` for data that is compressed already. */
  readonly method?: "deflate" | "store";
}

/** Errors: `RangeError` for an archive over 4 GB or 65,535 entries, which would need another format. */
export async function* zipChunks(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): AsyncGenerator<Uint8Array, void, void> {
  const directory: Uint8Array[] = [];
  let offset = 0;
  for await (const { name, bytes, method = "deflate" } of entries) {
    const packed = method === "deflate" ? deflateRawSync(bytes) : bytes;
    const sizes = { crc32: crc32(bytes), sizeBytes: bytes.length, packedBytes: packed.length };
    const { local, central } = zipRecords({ name, method, offset, ...sizes });
    directory.push(central);
    yield local;
    yield packed;
    offset += local.length + packed.length;
    if (offset > 0xff_ff_ff_ff || directory.length > 0xff_ff)
      throw new RangeError("the archive is too large");
  }
  const central = Buffer.concat(directory);
  yield Buffer.concat([central, zipEnd(directory.length, central.length, offset)]);
}
