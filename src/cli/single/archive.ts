/**
 * The files of Continuo in one value, for the single executable: the length of a table in 4 bytes, the table as JSON,
 * and the contents in its order, all compressed with Zstandard.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { ContinuoError } from "@continuo/core/model";

export interface PackedFile {
  /** A relative path with `/`. */
  readonly path: string;
  readonly isProgram: boolean;
  readonly bytes: Uint8Array;
}

interface Row {
  readonly path: string;
  readonly isProgram: boolean;
  /** The size in bytes. */
  readonly size: number;
}

const LENGTH_BYTES = 4;
const LEVEL = 19;
/** Several times the size of Continuo: a damaged archive uses no more memory than this. */
const MAX_BYTES = 200_000_000;

export function packFiles(files: readonly PackedFile[]): Buffer {
  const rows = files.map(({ path, isProgram, bytes }): Row => ({ path, isProgram, size: bytes.length }));
  const table = Buffer.from(JSON.stringify(rows));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(table.length);
  const whole = Buffer.concat([length, table, ...files.map(({ bytes }) => bytes)]);
  return zstdCompressSync(whole, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

/** Errors: `corrupt` for bytes that `packFiles` did not make, and for a path that leads out of the folder. */
export function unpackFiles(archive: Uint8Array): readonly PackedFile[] {
  const whole = decompress(archive);
  const end = LENGTH_BYTES + whole.readUInt32BE();
  const rows = JSON.parse(whole.toString("utf8", LENGTH_BYTES, end)) as readonly Row[];
  let at = end;
  const files = rows.map(({ path, isProgram, size }): PackedFile => {
    if (!PLAIN_PATH.test(path)) throw damaged(`they name ${JSON.stringify(path)}`);
    const bytes = whole.subarray(at, at + size);
    at += size;
    return { path, isProgram, bytes };
  });
  if (at !== whole.length) throw damaged("their sizes do not fit");
  return files;
}

/** Matches relative paths without `.` and `..`. */
const PLAIN_PATH = /^(?:(?!\.\.?(?:\/|$))[\w@.+-]+(?:\/(?!$)|$))+$/u;

function decompress(archive: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(archive, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw damaged("they cannot be decompressed", cause);
  }
}

function damaged(why: string, cause?: unknown): ContinuoError {
  return new ContinuoError("corrupt", `the files inside this program are damaged: ${why}`, {
    hint: "Install Continuo again, and compare the checksum of what is downloaded.",
    ...(cause !== undefined && { cause }),
  });
}
