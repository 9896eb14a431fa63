/** Large blobs as files of a folder beside the database. */

import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BlobBodies, ContinuoError } from "../../model/index.ts";

export function folderBodies(folder: string): BlobBodies {
  return {
    put: (key, bytes) => put(pathOf(folder, key), bytes),
    open: (key) => openBody(pathOf(folder, key)),
    remove: (key) => rm(pathOf(folder, key), { force: true }),
  };
}

/** A hundred or so files a folder: the last two digits of a UUIDv7 are random. */
function pathOf(folder: string, key: string): string {
  return join(folder, key.slice(-2), key);
}

async function put(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.new`;
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      for await (const chunk of bytes) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    await syncFolder(dirname(dirname(path)));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The name is durable too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* openBody(path: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new ContinuoError("not_found", "The bytes of a blob are missing.", { details: { path }, cause });
  }
}
