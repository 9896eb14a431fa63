/**
 * Attachments at `/v1/blobs`, addressed by the hash of their bytes.
 *
 * Promises: a token that may write a log may add a blob; only the author of a blob may refer to it; a blob is read
 * through an event that refers to it, in a log that the token may read; a browser never executes a blob, and gets it
 * under a name and a type of the server.
 * Does not know: where the bytes are stored.
 */

import { ContinuoError } from "@continuo/core/model";
import { addressOf, type Scope } from "@continuo/core/wire";
import { type CreateMount, type Grant, LIMITS, type ServerContext } from "../context/index.ts";
import { downloadHeaders } from "../http/index.ts";
import { extensionOf, HEAD_BYTES, mediaTypeOf } from "./media-type.ts";
import { rememberOwner } from "./owners.ts";

export { owns, requireOwner, STORED_BLOBS } from "./owners.ts";

export const blobs: CreateMount = (context) => ({
  routes: (app) => {
    app.post("/v1/blobs", (c) => putBlob(c.req.raw, c.var.grant, context));
    app.get("/v1/blobs/:hash", (c) => getBlob(c.req.raw, c.req.param("hash"), c.var.grant, context));
  },
});

async function putBlob(request: Request, grant: Grant, context: ServerContext): Promise<Response> {
  if (!grant.scopes.some(mayWriteLogs)) {
    throw context.refusal("cannot add a blob without a right to write");
  }
  if (request.body === null) throw new ContinuoError("invalid", "the body is empty");
  const store = context.store(grant.workspaceId);
  const bytes = counted(request.body as AsyncIterable<Uint8Array>, grant, context);
  const { head, all } = await beginningOf(bytes);
  const { hash, sizeBytes, ...blob } = await store.putBlob(scanned(all, context), {
    mediaType: mediaTypeOf(request.headers.get("content-type"), head),
    expiresAt: new Date(Date.now() + LIMITS.blobMs).toISOString(),
    signal: request.signal,
  });
  await rememberOwner(store, grant, hash);
  return Response.json({ hash, sizeBytes, mediaType: blob.mediaType }, { status: 201 });
}

function mayWriteLogs(scope: Scope): boolean {
  if (scope.kind === "admin") return true;
  // The chat and the approvals of a session do not take references to blobs.
  const isOfLogs = scope.kind !== "chat" && scope.kind !== "approval" && "access" in scope;
  return isOfLogs && scope.access.includes("write");
}

/** Errors: `too_large`, `rate_limited`. */
async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  grant: Grant,
  { limits, quotas }: ServerContext,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  quotas.blob(grant, LIMITS.blobBytesLeast);
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limits.blobBytes) throw tooLarge(limits.blobBytes);
    quotas.blob(grant, chunk.length);
    yield chunk;
  }
}

/** Returns the first bytes, and a stream with all bytes, including the first ones. */
async function beginningOf(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly all: AsyncGenerator<Uint8Array> }> {
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* first;
    yield* chunks;
  }
  return { head: Buffer.concat(first).subarray(0, HEAD_BYTES), all: all() };
}

/**
 * Yields the same bytes. It ends without an error only if the scanner finds the bytes harmless. Errors: `invalid`,
 * `busy`, `unavailable`.
 */
async function* scanned(
  chunks: AsyncIterable<Uint8Array>,
  { scanAttachment }: ServerContext,
): AsyncGenerator<Uint8Array> {
  if (scanAttachment === undefined) return yield* chunks;
  using scan = scanAttachment();
  for await (const chunk of chunks) {
    await scan.write(chunk);
    yield chunk;
  }
  if (await scan.isHarmless()) return;
  throw new ContinuoError("invalid", "the scanner of the server refuses this attachment", {
    hint: "Ask the operator of the server.",
  });
}

function tooLarge(limit: number): ContinuoError {
  return new ContinuoError("too_large", `a blob can have at most ${limit} bytes`, { details: { limit } });
}

/** `?stream=PATH&sequence=N` names the event that refers to it. */
async function getBlob(
  request: Request,
  hash: string,
  grant: Grant,
  context: ServerContext,
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const sequence = Number(searchParams.get("sequence"));
  if (!Number.isSafeInteger(sequence) || sequence < 1) {
    throw new ContinuoError("invalid", "a blob can only be read through an event", {
      hint: "Add ?stream=PATH&sequence=N of an event that refers to it.",
    });
  }
  const { kind, name, logId } = addressOf(searchParams.get("stream") ?? "");
  context.require(grant, { kind, name, access: "read" });
  const store = context.store(grant.workspaceId);
  const [event] = (await store.read(logId, { after: sequence - 1, limit: 1 })).events;
  if (event?.sequence !== sequence || event.blobs?.includes(hash) !== true) {
    throw new ContinuoError("not_found", "that event refers to no such blob");
  }
  const blob = await store.openBlob(hash, { signal: request.signal });
  return new Response(ReadableStream.from(blob.bytes) as ReadableStream<Uint8Array>, {
    headers: {
      "content-type": blob.mediaType,
      "content-length": String(blob.sizeBytes),
      ...downloadHeaders(`continuo-${hash.slice(0, 16)}.${extensionOf(blob.mediaType)}`),
      "cache-control": "private, max-age=31536000, immutable",
    },
  });
}
