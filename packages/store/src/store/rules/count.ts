/** Counts: the events after a sequence, and the rows of a whole store. */

import type { CountOptions } from "@continuo/core/model";
import { type Scope, type Segment, type SqlValue, scanWorkOf, sql, type Work } from "../engine/index.ts";
import { lineageOf, openLog } from "./log-rows.ts";
import { assertName, assertSequence, invalid } from "./refusals.ts";

export type CountRequest = Omit<CountOptions, "signal">;

export function* countEvents(scope: Scope, logId: string, request: CountRequest): Work<number> {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, types = [], retention } = request;
  assertSequence("after", after);
  assertSequence("before", before);
  for (const type of types) assertName("type", type);
  if (retention !== undefined && retention !== "critical" && retention !== "supplementary") {
    throw invalid("the retention must be critical or supplementary");
  }
  const log = yield* openLog(scope, logId, "read");
  const upTo = Math.min(before - 1, log.head_sequence);
  // Sequences have no gaps, so nothing needs to be counted.
  if (types.length === 0 && retention === undefined) return Math.max(0, upTo - after);
  let count = 0;
  for (const segment of yield* lineageOf(scope, log)) {
    const from = Math.max(segment.after, after);
    const to = Math.min(segment.upTo, upTo);
    if (from >= to) continue;
    count += yield* countSegment(scope, { ...segment, after: from, upTo: to }, request);
  }
  return count;
}

function* countSegment(
  scope: Scope,
  segment: Segment,
  { types = [], retention }: CountRequest,
): Work<number> {
  const { dialect } = scope;
  const filter =
    (types.length === 0 ? "" : ` and type in (${types.map(() => "?").join(", ")})`) +
    (retention === undefined ? "" : " and retention = ?");
  const text = dialect.placeholders(
    `select count(*) as count from events where log_key = ? and sequence > ? and sequence <= ?${filter}`,
  );
  let count = 0;
  for (let { after } = segment; after < segment.upTo; ) {
    const upTo = Math.min(segment.upTo, after + dialect.stretch.scanned);
    const parameters: SqlValue[] = [segment.logKey, after, upTo, ...types];
    if (retention !== undefined) parameters.push(retention === "critical" ? 0 : 1);
    const workOf = scanWorkOf(dialect, upTo - after);
    const rows = (yield { sql: text, parameters, workOf }) as readonly { readonly count: number }[];
    count += rows[0]?.count ?? 0;
    after = upTo;
  }
  return count;
}

export interface Counts {
  readonly logs: number;
  readonly events: number;
  readonly sessions: number;
  readonly runs: number;
  readonly blobs: number;
}

export function* countAll(scope: Scope): Work<Counts> {
  const one = (table: string): string => `(select count(*) from ${table} where workspace_id = ?) as ${table}`;
  const [row] = yield* sql<Counts>(
    scope,
    `select ${["sessions", "runs", "blobs"].map(one).join(", ")},
       (select count(*) from logs where workspace_id = ? and deleted_at is null) as logs,
       (select count(*) from events e join logs l on l.log_key = e.log_key where l.workspace_id = ?) as events`,
    ...Array.from({ length: 5 }, () => scope.workspaceId),
  );
  return row ?? { logs: 0, events: 0, sessions: 0, runs: 0, blobs: 0 };
}
