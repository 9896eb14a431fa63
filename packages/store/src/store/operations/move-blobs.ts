/**
 * Moves bodies of blobs from one place to another while other programs write. A blob is copied, read back and compared
 * with its hash. Only then its row refers to the copy, and the old bytes are removed last. The rows record the
 * progress, so a move that was killed continues when it is started again.
 */

import { createHash } from "node:crypto";
import { type BlobBodies, type CallOptions, ContinuoError, isContinuoError } from "@continuo/core/model";
import { putBody, removeBody } from "../blobs/index.ts";
import { type BodyPlace, type Engine, sql, type Transaction, type Work } from "../engine/index.ts";
import { isObject, noteObject, takeWritten } from "../rules/index.ts";

export interface MoveBlobsOptions extends CallOptions {
  readonly to: BodyPlace;
  /** Blobs of these media types stay where they are. */
  readonly exceptMediaTypes?: readonly string[];
  /** Called after each blob that was moved. */
  readonly onMoved?: (moved: MovedBlobs) => void;
}

export interface MovedBlobs {
  readonly moved: number;
  readonly sizeBytes: number;
}

interface Row {
  readonly workspace_id: string;
  readonly hash: string;
  readonly size_bytes: number;
  readonly media_type: string;
  readonly body_key: string | null;
}

const PAGE = 200;

/**
 * Moves the blobs of all workspaces. Errors: `unsupported` for a place that the store does not have, `corrupt`,
 * `unavailable`.
 */
export async function moveBlobs(engine: Engine, options: MoveBlobsOptions): Promise<MovedBlobs> {
  const { to, exceptMediaTypes = [], onMoved, signal } = options;
  const target = engine.bodies.into(to);
  // Only a move to S3 takes blobs out of their rows, because the limit for bytes in a row is lower with S3.
  const fromBytes = to === "s3" ? engine.bodies.inlineBytes : Number.MAX_SAFE_INTEGER;
  let total: MovedBlobs = { moved: 0, sizeBytes: 0 };
  for (let after: Row | undefined; ; ) {
    const rows = await engine.read((scope) => pageAfter(scope, after, fromBytes), signal);
    for (const row of rows) {
      signal?.throwIfAborted();
      after = row;
      if (exceptMediaTypes.includes(row.media_type)) continue;
      if (row.body_key !== null && engine.bodies.placeOf(row.body_key) === to) continue;
      if (!(await moveOne(engine, row, target))) continue;
      total = { moved: total.moved + 1, sizeBytes: total.sizeBytes + row.size_bytes };
      onMoved?.(total);
    }
    if (rows.length < PAGE) return total;
  }
}

function pageAfter(scope: Engine["scope"], after: Row | undefined, fromBytes: number): Work<readonly Row[]> {
  const [workspace, hash] = [after?.workspace_id ?? "", after?.hash ?? ""];
  return sql<Row>(
    scope,
    `select workspace_id, hash, size_bytes, media_type, body_key from blobs
     where (workspace_id > ? or (workspace_id = ? and hash > ?)) and (body_key is not null or size_bytes > ?)
     order by workspace_id, hash limit ${PAGE}`,
    workspace,
    workspace,
    hash,
    fromBytes,
  );
}

/** Returns false if the blob was collected, or moved by another process, in the meantime. */
async function moveOne(engine: Engine, row: Row, target: BlobBodies): Promise<boolean> {
  const copy = await copyTo(engine, row, target);
  if (copy === null) return false;
  let isNamed = false;
  try {
    await assertEqual(target.open(copy), row.hash);
    isNamed = await engine.write((tx) => name(tx, row, copy));
  } finally {
    if (!isNamed) await removeBody(engine, copy);
  }
  if (isNamed && row.body_key !== null) await removeBody(engine, row.body_key);
  return isNamed;
}

async function copyTo(engine: Engine, row: Row, target: BlobBodies): Promise<string | null> {
  try {
    return await putBody(engine, target, compared(bytesOf(engine, row), row.hash));
  } catch (error) {
    if (!isContinuoError(error, "not_found") || (await isAsBefore(engine, row))) throw error;
    return null;
  }
}

async function* bytesOf(engine: Engine, row: Row): AsyncGenerator<Uint8Array, void, void> {
  if (row.body_key !== null) return yield* engine.bodies.open(row.body_key);
  const [found] = await engine.read((scope) =>
    sql<{ readonly inline_bytes: Uint8Array | null }>(
      scope,
      "select inline_bytes from blobs where workspace_id = ? and hash = ?",
      row.workspace_id,
      row.hash,
    ),
  );
  if (found?.inline_bytes == null)
    throw new ContinuoError("not_found", "a blob was deleted while it was moved");
  yield found.inline_bytes;
}

/** Returns true if the blob was neither moved nor collected in the meantime: then its bytes are missing. */
async function isAsBefore(engine: Engine, row: Row): Promise<boolean> {
  const [found] = await engine.read((scope) => sql<Row>(scope, SAME, ...sameAs(row)));
  return found !== undefined;
}

const SAME = `select hash from blobs where workspace_id = ? and hash = ?
  and coalesce(body_key, '') = ?`;

function sameAs({ workspace_id, hash, body_key }: Row): string[] {
  return [workspace_id, hash, body_key ?? ""];
}

function* name(tx: Transaction, row: Row, key: string): Work<boolean> {
  const locked = yield* sql<Row>(tx, `${SAME}${tx.dialect.forUpdate}`, ...sameAs(row));
  if (locked.length === 0) return false;
  if (isObject(key)) yield* takeWritten(tx, key);
  if (row.body_key !== null && isObject(row.body_key)) yield* noteObject(tx, row.body_key, "removing");
  const text = "update blobs set body_key = ?, inline_bytes = null where workspace_id = ? and hash = ?";
  yield* sql(tx, text, key, row.workspace_id, row.hash);
  return true;
}

async function assertEqual(bytes: AsyncIterable<Uint8Array>, hash: string): Promise<void> {
  for await (const _ of compared(bytes, hash));
}

async function* compared(
  bytes: AsyncIterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array, void, void> {
  const sum = createHash("sha256");
  for await (const chunk of bytes) {
    sum.update(chunk);
    yield chunk;
  }
  if (sum.digest("hex") === hash) return;
  throw new ContinuoError("corrupt", `the blob ${hash} is damaged: its bytes do not match its hash`, {
    hint: "Restore it from a backup, or store the bytes again.",
    details: { hash },
  });
}
