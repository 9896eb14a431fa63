/** Records of a log of bytes, joined by the database: no object is made for each record. */

import type { JoinedPage, ReadJoinedOptions } from "@continuo/core/model";
import { type Dialect, LIMITS, type Scope, type Segment, textOnce, type Work } from "../engine/index.ts";
import { holdsBytes, lineageOf, openLog } from "./log-rows.ts";
import { assertSequence, invalid } from "./refusals.ts";

export type JoinedRequest = Omit<ReadJoinedOptions, "signal">;

export function* readJoined(scope: Scope, logId: string, request: JoinedRequest): Work<JoinedPage> {
  const { after = 0, limit = 1_000, maxBytes = LIMITS.readBytes, separator } = request;
  assertRequest({ after, limit, maxBytes, separator });
  const log = yield* openLog(scope, logId, "read");
  if (!holdsBytes(log)) throw invalid(`the log ${logId} holds events, not bytes`, { logId });
  const parts: JoinedBytes[] = [];
  let left = { records: limit, bytes: maxBytes };
  let last = { sequence: after, logKey: log.log_key };
  for (const segment of yield* lineageOf(scope, log)) {
    const from = Math.max(segment.after, after);
    if (from >= segment.upTo || last.sequence < segment.after || left.records === 0) continue;
    const found = yield* boundOf(
      scope,
      { ...segment, after: from },
      { ...left, isFirst: parts.length === 0 },
    );
    if (found.records === 0) continue;
    parts.push(yield* join(scope, { ...segment, after: from, upTo: found.last }, separator));
    left = { records: left.records - found.records, bytes: left.bytes - found.bytes };
    last = { sequence: found.last, logKey: segment.logKey };
  }
  const records = parts.reduce((sum, part) => sum + part.records, 0);
  return {
    bytes: concat(
      parts.filter((part) => part.records > 0),
      separator,
    ),
    records,
    pruned: last.sequence - after - records,
    lastSequence: last.sequence,
    lastHash: last.sequence === after ? null : yield* hashAt(scope, last),
    nextAfter: last.sequence < log.head_sequence ? last.sequence : null,
  };
}

function assertRequest({ after, limit, maxBytes, separator }: Required<JoinedRequest>): void {
  assertSequence("after", after);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LIMITS.readEvents) {
    throw invalid(`the limit of a read must be from 1 to ${LIMITS.readEvents}`, { limit });
  }
  if (!(maxBytes > 0)) throw invalid("maxBytes must be a number above 0", { maxBytes });
  if (separator !== "" && separator !== ",") throw invalid('the separator must be "" or ","');
}

interface Budget {
  readonly records: number;
  readonly bytes: number;
  /** The first record is returned however long it is. */
  readonly isFirst: boolean;
}

interface JoinBound {
  readonly last: number;
  readonly records: number;
  readonly bytes: number;
}

/** Finds the last record within the budget. It reads lengths without the bytes. */
function* boundOf(scope: Scope, segment: Segment, { records, bytes, isFirst }: Budget): Work<JoinBound> {
  const text = `select max(sequence), count(*), max(total) from (
      select sequence, sum(size) over (order by sequence rows unbounded preceding) as total
      from (select sequence, coalesce(length(bytes), 0) as size from events
        where log_key = ? and sequence > ? and sequence <= ? order by sequence limit ?) as found) as measured
    where total <= ? or sequence = ?`;
  const budget = Math.max(0, Math.min(Math.floor(bytes), Number.MAX_SAFE_INTEGER));
  const parameters = [
    segment.logKey,
    segment.after,
    segment.upTo,
    records,
    budget,
    isFirst ? segment.after + 1 : 0,
  ];
  const [row] = (yield { sql: scope.dialect.placeholders(text), parameters, shape: "arrays" }) as readonly (
    | readonly [number | null, number, number | null]
    | undefined
  )[];
  return { last: row?.[0] ?? segment.after, records: row?.[1] ?? 0, bytes: Number(row?.[2] ?? 0) };
}

interface JoinedBytes {
  readonly bytes: Uint8Array;
  readonly records: number;
}

function* join(scope: Scope, { logKey, after, upTo }: Segment, separator: "" | ","): Work<JoinedBytes> {
  const text = joinText(scope.dialect, separator);
  const statement = { sql: text, parameters: [logKey, after, upTo], shape: "arrays" } as const;
  const [row] = (yield statement) as readonly (readonly [number, Uint8Array | null])[];
  return { records: row?.[0] ?? 0, bytes: row?.[1] ?? new Uint8Array() };
}

function joinText(dialect: Dialect, separator: "" | ","): string {
  return textOnce(dialect, `join ${separator}`, () =>
    dialect.placeholders(
      `select count(bytes), ${dialect.joined("bytes", separator)} from (select sequence, bytes from events
        where log_key = ? and sequence > ? and sequence <= ? order by sequence) as found`,
    ),
  );
}

interface EventKey {
  readonly sequence: number;
  readonly logKey: number;
}

function* hashAt(scope: Scope, { logKey, sequence }: EventKey): Work<string | null> {
  const text = "select chain_hash from events where log_key = ? and sequence = ?";
  const statement = { sql: scope.dialect.placeholders(text), parameters: [logKey, sequence] };
  const [row] = (yield { ...statement, shape: "arrays" }) as readonly (readonly [string])[];
  return row?.[0] ?? null;
}

function concat(parts: readonly JoinedBytes[], separator: "" | ","): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0].bytes;
  const between = new TextEncoder().encode(separator);
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length + between.length, 0);
  const whole = new Uint8Array(Math.max(0, size - between.length));
  let at = 0;
  for (const [index, { bytes }] of parts.entries()) {
    if (index > 0) {
      whole.set(between, at);
      at += between.length;
    }
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
}
