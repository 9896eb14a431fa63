/** Files as one ZIP archive without compression, because pictures are already compressed. Pure. */

import { zipEnd, zipRecords } from "@continuo/core/model";

export interface ZipFile {
  /** A relative path with `/` between folders. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function zipOf(files: readonly ZipFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const sizes = { crc32: crc32(bytes), sizeBytes: bytes.length, packedBytes: bytes.length };
    const { local, central } = zipRecords({ name, method: "store", offset, ...sizes });
    parts.push(local, bytes);
    directory.push(central);
    offset += local.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  return new Blob([...parts, ...directory, zipEnd(files.length, size, offset)], { type: "application/zip" });
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
