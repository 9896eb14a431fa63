/** The rows of blobs. Large content is stored elsewhere under a key. */

import type { BlobInfo, Page } from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { isObject, noteObject } from "./object-notes.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import { assertTime, isoOf, notFound } from "./refusals.ts";

export interface BlobRow {
  readonly hash: string;
  readonly size_bytes: number;
  readonly media_type: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly inline_bytes: Uint8Array | null;
  readonly body_key: string | null;
  readonly now: number;
}

export interface NewBlob {
  readonly hash: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly expiresAt: number | null;
  readonly inline: Uint8Array | null;
  readonly bodyKey: string | null;
}

/** Returns the resulting row. The bytes that were stored first stay, and the later expiry counts. */
export function* insertBlob(tx: Transaction, blob: NewBlob): Work<BlobRow | undefined> {
  const { onConflict, proposed, nowMs } = tx.dialect;
  const expiry = proposed("expires_at");
  const assignments = `created_at = ${proposed("created_at")},
       expires_at = case when blobs.expires_at is null or ${expiry} is null then null
                         when ${expiry} > blobs.expires_at then ${expiry}
                         else blobs.expires_at end`;
  yield* sql(
    tx,
    `insert into blobs (workspace_id, hash, size_bytes, media_type, created_at, expires_at, inline_bytes, body_key)
     values (?, ?, ?, ?, ${nowMs}, ?, ?, ?)
     ${onConflict("workspace_id, hash", assignments)}`,
    tx.workspaceId,
    blob.hash,
    blob.sizeBytes,
    blob.mediaType,
    blob.expiresAt,
    blob.inline,
    blob.bodyKey,
  );
  return yield* findBlob(tx, blob.hash);
}

export function* findBlob(scope: Scope, hash: string): Work<BlobRow | undefined> {
  const rows = yield* sql<BlobRow>(
    scope,
    `select hash, size_bytes, media_type, created_at, expires_at, inline_bytes, body_key,
       ${scope.dialect.nowMs} as now from blobs where workspace_id = ? and hash = ?`,
    scope.workspaceId,
    hash,
  );
  const row = rows[0];
  if (row?.expires_at == null || row.expires_at > row.now) return row;
  return (yield* isReferenced(scope, hash)) ? row : undefined;
}

/** Errors: `not_found`, `invalid`. */
export function* setBlobExpiry(tx: Transaction, hash: string, expiresAt: string | null): Work<BlobInfo> {
  if (expiresAt !== null) assertTime("expiresAt of a blob", expiresAt);
  const row = yield* findBlob(tx, hash);
  if (row === undefined) throw notFound("blob", hash);
  const expires = expiresAt === null ? null : Date.parse(expiresAt);
  const text = "update blobs set expires_at = ? where workspace_id = ? and hash = ?";
  yield* sql(tx, text, expires, tx.workspaceId, hash);
  return toBlobInfo({ ...row, expires_at: expires });
}

export interface ListBlobs extends PageRequest {
  readonly expiresBefore?: string;
  readonly expiresAfter?: string;
}

type ListedBlob = Pick<BlobRow, "hash" | "size_bytes" | "media_type" | "created_at" | "expires_at">;

export function* listBlobs(scope: Scope, options: ListBlobs): Work<Page<BlobInfo>> {
  const { expiresBefore, expiresAfter } = options;
  let rows = scope.db
    .selectFrom("blobs")
    .select(["hash", "size_bytes", "media_type", "created_at", "expires_at"])
    .where("workspace_id", "=", scope.workspaceId);
  if (expiresBefore !== undefined) {
    assertTime("expiresBefore", expiresBefore);
    rows = rows.where("expires_at", "<=", Date.parse(expiresBefore));
  }
  if (expiresAfter !== undefined) {
    assertTime("expiresAfter", expiresAfter);
    rows = rows.where("expires_at", ">", Date.parse(expiresAfter));
  }
  const byExpiry = expiresBefore !== undefined || expiresAfter !== undefined;
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      if (!byExpiry) {
        const from = after === undefined ? rows : rows.where("hash", ">", String(after[0]));
        return query<ListedBlob>(from.orderBy("hash").limit(limit));
      }
      const from =
        after === undefined
          ? rows
          : rows.where((e) =>
              e.or([
                e("expires_at", ">", Number(after[0])),
                e.and([e("expires_at", "=", Number(after[0])), e("hash", ">", String(after[1]))]),
              ]),
            );
      return query<ListedBlob>(from.orderBy("expires_at").orderBy("hash").limit(limit));
    },
    keyOf: (row) => (byExpiry ? [row.expires_at ?? 0, row.hash] : [row.hash]),
    toItem: toBlobInfo,
  });
}

function* isReferenced(scope: Scope, hash: string): Work<boolean> {
  const text = "select 1 as found from blob_references where workspace_id = ? and hash = ? limit 1";
  return (yield* sql(scope, text, scope.workspaceId, hash)).length > 0;
}

const PAGE = 200;

interface GarbageCounts {
  readonly sizeBytes: number;
  readonly bodyKeys: readonly string[];
  readonly removed: number;
  readonly more: boolean;
}

/**
 * Removes a page of blobs without references that have expired, or that never expire and are older than `minAgeMs`. The
 * rows are locked before a second statement searches for their references: no uncommitted append can refer to a locked
 * row.
 */
export function* collectPage(tx: Transaction, minAgeMs: number): Work<GarbageCounts> {
  const { nowMs, forUpdate } = tx.dialect;
  const rows = yield* sql<BlobRow>(
    tx,
    `select hash, size_bytes, body_key from blobs where workspace_id = ?
       and ((expires_at is not null and expires_at <= ${nowMs}) or (expires_at is null and created_at <= ${nowMs} - ?))
       and not exists (select 1 from blob_references r
                       where r.workspace_id = blobs.workspace_id and r.hash = blobs.hash)
     order by hash limit ?${forUpdate}`,
    tx.workspaceId,
    minAgeMs,
    PAGE,
  );
  const counts = yield* removeLoose(tx, rows);
  return { ...counts, more: rows.length === PAGE && counts.removed > 0 };
}

export interface ExpiredPage extends Omit<GarbageCounts, "more"> {
  /** The place where the next page begins; `null` after the last one. */
  readonly next: ExpiredPlace | null;
}

export type ExpiredPlace = Pick<BlobRow, "expires_at" | "hash">;

/** Does the same for expired blobs only, in the order of an index. Most of them still have a reference, and stay. */
export function* collectExpiredPage(tx: Transaction, after: ExpiredPlace | null): Work<ExpiredPage> {
  const { nowMs, forUpdate } = tx.dialect;
  const [fromMs, fromHash] = [after?.expires_at ?? 0, after?.hash ?? ""];
  const rows = yield* sql<BlobRow>(
    tx,
    `select hash, size_bytes, body_key, expires_at from blobs where workspace_id = ?
       and expires_at is not null and expires_at <= ${nowMs} and expires_at >= ?
       and (expires_at > ? or hash > ?) order by expires_at, hash limit ?${forUpdate}`,
    tx.workspaceId,
    fromMs,
    fromMs,
    fromHash,
    PAGE,
  );
  const last = rows.length === PAGE ? rows.at(-1) : undefined;
  return { ...(yield* removeLoose(tx, rows)), next: last ?? null };
}

function* removeLoose(tx: Transaction, rows: readonly BlobRow[]): Work<Omit<GarbageCounts, "more">> {
  let sizeBytes = 0;
  let removed = 0;
  const bodyKeys: string[] = [];
  for (const row of rows) {
    if (yield* isReferenced(tx, row.hash)) continue;
    yield* sql(tx, "delete from blobs where workspace_id = ? and hash = ?", tx.workspaceId, row.hash);
    removed++;
    sizeBytes += row.size_bytes;
    if (row.body_key === null) continue;
    if (isObject(row.body_key)) yield* noteObject(tx, row.body_key, "removing");
    bodyKeys.push(row.body_key);
  }
  return { sizeBytes, bodyKeys, removed };
}

export function toBlobInfo(row: ListedBlob): BlobInfo {
  return {
    hash: row.hash,
    sizeBytes: row.size_bytes,
    mediaType: row.media_type,
    createdAt: isoOf(row.created_at),
    ...(row.expires_at === null ? {} : { expiresAt: isoOf(row.expires_at) }),
  };
}
