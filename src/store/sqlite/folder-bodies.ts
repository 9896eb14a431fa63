/** Large blobs as files of a folder next to the database. */

import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolderDurably, renameDurably } from "../../files/index.ts";
import { type BlobBodies, ContinuoError } from "../../model/index.ts";

/** New blobs go into the first folder; they are looked for in all of them. */
export function folderBodies(folders: readonly [string, ...string[]]): BlobBodies {
  return {
    put: (key, bytes) => put(pathIn(folders[0], key), bytes),
    open: (key) => openBody(folders.map((folder) => pathIn(folder, key))),
    remove: async (key) => {
      for (const folder of folders) await rm(pathIn(folder, key), { force: true });
    },
  };
}

/** A hundred or so files a folder: the last two digits of a UUIDv7 are random. */
function pathIn(folder: string, key: string): string {
  return join(folder, key.slice(-2), key);
}

async function put(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  makeFolderDurably(dirname(path));
  const unfinished = `${path}.new`;
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      for await (const chunk of bytes) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    renameDurably(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* openBody(paths: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const path of paths) {
    try {
      yield* createReadStream(path) as AsyncIterable<Uint8Array>;
      return;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    }
  }
  throw new ContinuoError("not_found", "the bytes of a blob are missing", { details: { paths } });
}
