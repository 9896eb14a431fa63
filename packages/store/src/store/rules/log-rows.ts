/** The row of a log: finding it, deciding whether it counts as gone, and its public form. */

import { EVENTS_MEDIA_TYPE, type Log } from "@continuo/core/model";
import {
  type Dialect,
  noteChanged,
  type Scope,
  type Segment,
  sql,
  type Transaction,
  textOnce,
  type Work,
} from "../engine/index.ts";
import { isoOf, logGone, logNotFound } from "./refusals.ts";

export interface LogRow {
  readonly log_key: number;
  readonly log_id: string;
  readonly media_type: string;
  readonly ttl_ms: number | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly closed_at: number | null;
  readonly deleted_at: number | null;
  readonly parent_key: number | null;
  readonly parent_log_id: string | null;
  readonly parent_sequence: number | null;
  readonly parent_bytes: number | null;
  readonly head_sequence: number;
  readonly head_hash: string;
  readonly writer_sequence: string | null;
  readonly metadata: string | null;
  readonly changed_mark: number;
  /** The current mark of changes, if marks are counted; otherwise a mark that no log has. */
  readonly mark: number;
  /** The database's clock. */
  readonly now: number;
}

export const LOG_COLUMN_NAMES = [
  "log_key",
  "log_id",
  "media_type",
  "ttl_ms",
  "expires_at",
  "created_at",
  "changed_at",
  "closed_at",
  "deleted_at",
  "parent_key",
  "parent_log_id",
  "parent_sequence",
  "parent_bytes",
  "head_sequence",
  "head_hash",
  "writer_sequence",
  "metadata",
  "changed_mark",
] as const;

export const LOG_COLUMNS: string = LOG_COLUMN_NAMES.join(", ");

type Purpose = "read" | "change";

/** Errors: `not_found`, `gone`. With `change`, nobody else changes the log until the transaction ends. */
export function* openLog(scope: Scope, logId: string, purpose: Purpose): Work<LogRow> {
  const row = yield* findLog(scope, logId, purpose);
  if (row === undefined) throw logNotFound(logId);
  if (row.deleted_at !== null) throw logGone(logId);
  if (isExpired(row)) throw (yield* hasForks(scope, row.log_key)) ? logGone(logId) : logNotFound(logId);
  return row;
}

/** The row, even if the log is deleted or expired. */
export function* findLog(scope: Scope, logId: string, purpose: Purpose): Work<LogRow | undefined> {
  const statement = { sql: findText(scope.dialect, purpose), parameters: [scope.workspaceId, logId] };
  const [tuple] = (yield { ...statement, shape: "arrays" }) as readonly LogTuple[];
  return tuple === undefined ? undefined : rowOf(tuple);
}

/** In the order of `LOG_COLUMNS`, then `now` and `mark`. */
type LogTuple = readonly [
  logKey: number,
  logId: string,
  mediaType: string,
  ttlMs: number | null,
  expiresAt: number | null,
  createdAt: number,
  changedAt: number,
  closedAt: number | null,
  deletedAt: number | null,
  parentKey: number | null,
  parentLogId: string | null,
  parentSequence: number | null,
  parentBytes: number | null,
  headSequence: number,
  headHash: string,
  writerSequence: string | null,
  metadata: string | null,
  changedMark: number,
  now: number,
  mark: number,
];

/**
 * Makes the object from an array, because that costs half as much as an object that the driver makes.
 */
function rowOf(t: LogTuple): LogRow {
  return {
    log_key: t[0],
    log_id: t[1],
    media_type: t[2],
    ttl_ms: t[3],
    expires_at: t[4],
    created_at: t[5],
    changed_at: t[6],
    closed_at: t[7],
    deleted_at: t[8],
    parent_key: t[9],
    parent_log_id: t[10],
    parent_sequence: t[11],
    parent_bytes: t[12],
    head_sequence: t[13],
    head_hash: t[14],
    writer_sequence: t[15],
    metadata: t[16],
    changed_mark: t[17],
    now: t[18],
    mark: t[19],
  };
}

function findText(dialect: Dialect, purpose: Purpose): string {
  return textOnce(dialect, `find to ${purpose}`, () => {
    const lock = purpose === "change" ? dialect.forUpdate : "";
    return dialect.placeholders(
      `select ${LOG_COLUMNS}, ${nowAndMark(dialect)} from logs where workspace_id = ? and log_id = ?${lock}`,
    );
  });
}

/** The columns of a `LogRow` that are not columns of `logs`. */
export function nowAndMark({ nowMs, endMark, currentMark }: Dialect): string {
  return `${nowMs} as now, ${endMark === undefined ? "-1" : currentMark} as mark`;
}

export function isExpired(row: LogRow): boolean {
  return row.expires_at !== null && row.expires_at <= row.now;
}

export function* hasForks(scope: Scope, logKey: number): Work<boolean> {
  const rows = yield* sql(scope, "select 1 as found from logs where parent_key = ? limit 1", logKey);
  return rows.length > 0;
}

export function holdsBytes(row: { readonly media_type: string }): boolean {
  return row.media_type !== EVENTS_MEDIA_TYPE;
}

const LINEAGES_KEPT = 10_000;

/** Returns the places of a log's records, oldest first: the parts of its ancestors, then its own. */
export function* lineageOf(scope: Scope, row: LogRow): Work<readonly Segment[]> {
  if (row.parent_key === null) return [{ logKey: row.log_key, after: 0, upTo: Number.MAX_SAFE_INTEGER }];
  const known = scope.lineages.get(row.log_key);
  if (known !== undefined) return known;
  const segments: Segment[] = [];
  let upTo = Number.MAX_SAFE_INTEGER;
  let key: number | null = row.log_key;
  let parent: Parent | undefined = row;
  while (key !== null && parent !== undefined) {
    const after: number = parent.parent_key === null ? 0 : (parent.parent_sequence ?? 0);
    if (after < upTo) segments.unshift({ logKey: key, after, upTo });
    upTo = Math.min(upTo, after);
    key = parent.parent_key;
    parent = key === null ? undefined : (yield* parentOf(scope, key))[0];
  }
  if (scope.lineages.size >= LINEAGES_KEPT) scope.lineages.clear();
  scope.lineages.set(row.log_key, segments);
  return segments;
}

interface Parent {
  readonly parent_key: number | null;
  readonly parent_sequence: number | null;
}

function parentOf(scope: Scope, key: number): Work<readonly Parent[]> {
  return sql<Parent>(scope, "select parent_key, parent_sequence from logs where log_key = ?", key);
}

export function* closeRow(tx: Transaction, log: LogRow): Work<void> {
  if (log.closed_at !== null) return;
  yield* sql(
    tx,
    `update logs set closed_at = ?, changed_at = ?, changed_mark = ${tx.dialect.currentMark},
       expires_at = case when ttl_ms is null then expires_at else ? + ttl_ms end where log_key = ?`,
    log.now,
    log.now,
    log.now,
    log.log_key,
  );
  noteChanged(tx, log.log_key);
}

export function toLog(row: LogRow): Log {
  return {
    logId: row.log_id,
    mediaType: row.media_type,
    latestSequence: row.head_sequence,
    chainHash: row.head_hash,
    createdAt: isoOf(row.created_at),
    changedAt: isoOf(row.changed_at),
    ...lifeOf(row),
    ...(row.closed_at === null ? {} : { closedAt: isoOf(row.closed_at) }),
    ...(row.writer_sequence === null ? {} : { writerSequence: row.writer_sequence }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as Record<string, unknown> }),
  };
}

type Life = Pick<LogRow, "ttl_ms" | "expires_at" | "parent_log_id" | "parent_sequence" | "parent_bytes">;

/** Returns the lifetime of a log and the log from which it was forked. A session reports the same values as its log. */
export function lifeOf(row: Life): Pick<Log, "ttl" | "expiresAt" | "forkedFrom"> {
  return {
    ...(row.ttl_ms === null ? {} : { ttl: row.ttl_ms / 1000 }),
    ...(row.expires_at === null ? {} : { expiresAt: isoOf(row.expires_at) }),
    ...(row.parent_log_id === null
      ? {}
      : {
          forkedFrom: {
            logId: row.parent_log_id,
            sequence: row.parent_sequence ?? 0,
            ...(row.parent_bytes === null ? {} : { bytes: row.parent_bytes }),
          },
        }),
  };
}
