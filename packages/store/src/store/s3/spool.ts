/**
 * Keeps the bytes of one blob until all of them have arrived, because the name of an object contains their hash. Up to
 * the size of one part they are in memory; if there are more, they are in a file without a name.
 */

import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Spool extends AsyncDisposable {
  readonly sizeBytes: number;
  /** SHA-256 in hex. */
  readonly hash: string;
  /** Returns the bytes from a position: `length` of them, or fewer at the end. */
  part(at: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

export async function spool(
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly name: string; readonly memoryBytes: number },
): Promise<Spool> {
  const hash = createHash("sha256");
  const held: Uint8Array[] = [];
  let sizeBytes = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      if (file !== undefined) await file.writeFile(chunk);
      else held.push(Uint8Array.from(chunk));
      if (file === undefined && sizeBytes > options.memoryBytes) {
        file = await unnamedFile(options.name);
        for (const part of held.splice(0)) await file.writeFile(part);
      }
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  const inMemory = Uint8Array.from(Buffer.concat(held));
  return {
    sizeBytes,
    hash: hash.digest("hex"),
    part: (at, length) =>
      file === undefined ? Promise.resolve(inMemory.subarray(at, at + length)) : partOf(file, at, length),
    [Symbol.asyncDispose]: async () => await file?.close(),
  };
}

/** Opens a file that the system removes when this process ends, however it ends. */
async function unnamedFile(name: string): Promise<FileHandle> {
  const path = join(tmpdir(), `continuo-blob-${name}`);
  const file = await open(path, "wx+", 0o600);
  await rm(path);
  return file;
}

async function partOf(file: FileHandle, at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(part, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return part.subarray(0, filled);
}
