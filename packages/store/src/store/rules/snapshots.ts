/** Snapshots: cached folds. Losing a snapshot loses no data. */

import type { Snapshot } from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { textOfJson } from "./json-fields.ts";
import { type LogRow, openLog } from "./log-rows.ts";
import { assertName, assertSequence, isoOf, outOfRange } from "./refusals.ts";

interface SnapshotRow {
  readonly name: string;
  readonly sequence: number;
  readonly data: string;
  readonly created_at: number;
}

export interface SnapshotRequest {
  readonly name: string;
  readonly data: unknown;
  readonly sequence?: number;
}

export function* putSnapshot(tx: Transaction, logId: string, request: SnapshotRequest): Work<Snapshot> {
  const row = yield* writeSnapshot(tx, yield* openLog(tx, logId, "change"), request);
  return toSnapshot(logId, row);
}

/** The row is not converted to a `Snapshot` yet, because its text is long and appends do not need it. */
export function* writeSnapshot(tx: Transaction, log: LogRow, request: SnapshotRequest): Work<SnapshotRow> {
  const sequence = request.sequence ?? log.head_sequence;
  assertName("name of a snapshot", request.name);
  assertSequence("sequence of a snapshot", sequence);
  if (sequence > log.head_sequence) throw outOfRange(log.log_id, sequence, log.head_sequence);
  const data = textOfJson("snapshot", request.data);
  const { onConflict, proposed } = tx.dialect;
  yield* sql(
    tx,
    `insert into snapshots (log_key, name, sequence, data, created_at) values (?, ?, ?, ?, ?)
     ${onConflict("log_key, name, sequence", `data = ${proposed("data")}, created_at = ${proposed("created_at")}`)}`,
    log.log_key,
    request.name,
    sequence,
    data,
    log.now,
  );
  return { name: request.name, sequence, data, created_at: log.now };
}

export function* getLatestSnapshot(
  scope: Scope,
  logId: string,
  name: string,
  atSequence: number,
): Work<Snapshot | null> {
  assertName("name of a snapshot", name);
  const log = yield* openLog(scope, logId, "read");
  const [row] = yield* sql<SnapshotRow>(
    scope,
    `select name, sequence, data, created_at from snapshots where log_key = ? and name = ? and sequence <= ?
     order by sequence desc limit 1`,
    log.log_key,
    name,
    atSequence,
  );
  return row === undefined ? null : toSnapshot(logId, row);
}

export interface DeleteSnapshots {
  readonly logId: string;
  readonly name?: string;
  readonly before?: number;
}

export function* deleteSnapshots(tx: Transaction, options: DeleteSnapshots): Work<number> {
  const log = yield* openLog(tx, options.logId, "change");
  let rows = tx.db.deleteFrom("snapshots").where("log_key", "=", log.log_key).returning("sequence");
  if (options.name !== undefined) rows = rows.where("name", "=", options.name);
  if (options.before !== undefined) rows = rows.where("sequence", "<", options.before);
  return (yield* query(rows)).length;
}

function toSnapshot(logId: string, row: SnapshotRow): Snapshot {
  return {
    logId,
    name: row.name,
    sequence: row.sequence,
    data: JSON.parse(row.data) as unknown,
    createdAt: isoOf(row.created_at),
  };
}
