/** Large blobs as rows of the database, so that every server that shares it has them. */

import { type BlobBodies, ContinuoError } from "@continuo/core/model";
import type { Engine } from "./engine.ts";
import { LIMITS } from "./limits.ts";
import { sql } from "./work.ts";

/** `engine` is a function, because the engine is made together with its bodies. */
export function chunkBodies(engine: () => Engine): BlobBodies {
  return {
    put: (key, bytes) => put(engine(), key, bytes),
    open: (key) => openBody(engine(), key),
    remove: (key) => remove(engine(), key),
  };
}

async function put(engine: Engine, key: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let position = 0;
  try {
    for await (const chunk of inChunks(bytes)) {
      const at = position++;
      await engine.write(function* (tx) {
        yield* sql(
          tx,
          "insert into blob_chunks (body_key, position, bytes) values (?, ?, ?)",
          key,
          at,
          chunk,
        );
      });
    }
  } catch (error) {
    await remove(engine, key);
    throw error;
  }
  return key;
}

async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const size = LIMITS.blobChunkBytes;
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    held.push(part);
    length += part.length;
    if (length < size) continue;
    const all = Buffer.concat(held);
    let at = 0;
    for (; at + size <= all.length; at += size) yield all.subarray(at, at + size);
    held = [all.subarray(at)];
    length = all.length - at;
  }
  if (length > 0) yield Buffer.concat(held);
}

async function* openBody(engine: Engine, key: string): AsyncGenerator<Uint8Array, void, void> {
  for (let position = 0; ; position++) {
    const [row] = await engine.read((scope) =>
      sql<{ readonly bytes: Uint8Array }>(
        scope,
        "select bytes from blob_chunks where body_key = ? and position = ?",
        key,
        position,
      ),
    );
    if (row !== undefined) yield row.bytes;
    else if (position > 0) return;
    else throw new ContinuoError("not_found", "the bytes of a blob are missing", { details: { key } });
  }
}

async function remove(engine: Engine, key: string): Promise<void> {
  await engine.write((tx) => sql(tx, "delete from blob_chunks where body_key = ?", key));
}
