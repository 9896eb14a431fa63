/** Large blobs as files of a folder next to the database. */

import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BlobBodies, ContinuoError } from "@continuo/core/model";
import { makeFolderDurably, renameDurably } from "@continuo/files";
import { translated } from "./failures.ts";

/**
 * New blobs are stored in the first folder; blobs are searched in all of them.
 * @param database the path that is named in errors
 */
export function folderBodies(folders: readonly [string, ...string[]], database: string): BlobBodies {
  const translating = async <T>(run: () => T | Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw translated(error, database);
    }
  };
  return {
    put: async (key, bytes) => {
      await put(pathIn(folders[0], key), bytes, translating);
      return key;
    },
    open: (key) =>
      openBody(
        folders.map((folder) => pathIn(folder, key)),
        database,
      ),
    remove: (key) =>
      translating(async () => {
        for (const folder of folders) await rm(pathIn(folder, key), { force: true });
      }),
  };
}

/** Runs code that uses our files, and turns errors of the system into errors of the store. */
type TranslateErrors = <T>(run: () => T | Promise<T>) => Promise<T>;

/** The last two digits of a UUIDv7 are random, so they divide the files evenly among folders. */
function pathIn(folder: string, key: string): string {
  return join(folder, key.slice(-2), key);
}

/** An error that the bytes throw belongs to the caller and stays as it is. */
async function put(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  translating: TranslateErrors,
): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await translating(() => {
    makeFolderDurably(dirname(path));
    return open(unfinished, "wx", 0o600);
  });
  try {
    try {
      for await (const chunk of bytes) await translating(() => file.writeFile(chunk));
      await translating(() => file.sync());
    } finally {
      await translating(() => file.close());
    }
    await translating(() => renameDurably(unfinished, path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* openBody(paths: readonly string[], database: string): AsyncGenerator<Uint8Array, void, void> {
  for (const path of paths) {
    try {
      yield* createReadStream(path) as AsyncIterable<Uint8Array>;
      return;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw translated(cause, database);
    }
  }
  throw new ContinuoError("not_found", "the bytes of a blob are missing", { details: { paths } });
}
