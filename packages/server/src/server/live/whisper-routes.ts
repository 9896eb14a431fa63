/**
 * The files of Whisper that a person put into one folder, and that the person's extension runs in its browser. They are
 * sent unchanged; the extension runs them in a place without access to anything.
 */

import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import type { Hono } from "hono";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { downloadHeaders } from "../http/index.ts";

/** Names below the folder, without `..` and hidden files. */
const NAME = /^(?:\w[\w.-]{0,99}\/){0,3}\w[\w.-]{0,99}$/u;
const PIECE_BYTES = 1_048_576;

export function whisperRoutes(app: Hono<ServerEnv>, context: ServerContext): void {
  app.get("/v1/whisper/:name{.+}", async (c) => {
    context.require(c.var.grant, { kind: "live", name: "*", access: "read" });
    const name = c.req.param("name");
    const path = join(context.whisperFolder ?? "", name);
    const found = context.whisperFolder !== undefined && NAME.test(name) ? await sizeOf(path) : null;
    if (found === null) {
      throw new ContinuoError("not_found", "this server has no such file of Whisper", { details: { name } });
    }
    return new Response(ReadableStream.from(bytesOf(path, found)) as ReadableStream<Uint8Array>, {
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(found),
        ...downloadHeaders(name.split("/").at(-1) ?? "whisper.bin"),
        "cache-control": "no-store",
      },
    });
  });
}

/** `null` if there is no such file. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}

/** If a file becomes shorter while it is read, the answer breaks off: the reader sees that it is incomplete. */
async function* bytesOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  await using file = await open(path);
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(Math.min(PIECE_BYTES, sizeBytes - at)),
      0,
      null,
      at,
    );
    if (bytesRead === 0)
      throw new ContinuoError("unavailable", "a file of Whisper became shorter while it was sent");
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
