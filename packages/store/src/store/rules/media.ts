/**
 * Reads events by their time in a medium, the nearest first. An index finds them, so the length of the log does not
 * matter.
 */

import type { MediaOptions, MediaPage, Retention, StoredEvent } from "@continuo/core/model";
import { LIMITS, type Scope, type Segment, sql, type Work } from "../engine/index.ts";
import { type EventTuple, eventColumns, toStoredEvent } from "./events.ts";
import { lineageOf, openLog } from "./log-rows.ts";
import { limitOf } from "./pages.ts";
import { assertName, assertSequence, invalid } from "./refusals.ts";

export type MediaRequest = Omit<MediaOptions, "signal">;

/** An event that was found in the index, without its payload. */
interface Hit {
  readonly logKey: number;
  readonly sequence: number;
  readonly mediaTimeMs: number;
  readonly sizeBytes: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly direction: "asc" | "desc";
}

export function* readMedia(scope: Scope, logId: string, request: MediaRequest): Work<MediaPage> {
  const { fromMs, toMs, nearMs = fromMs, maxBytes = LIMITS.readBytes } = request;
  for (const [what, time] of Object.entries({ fromMs, toMs, nearMs })) assertSequence(what, time);
  for (const type of request.types ?? []) assertName("type", type);
  if (!(maxBytes > 0)) throw invalid("maxBytes must be a number above 0", { maxBytes });
  const limit = limitOf(request.limit);
  const log = yield* openLog(scope, logId, "read");
  const hits: Hit[] = [];
  for (const segment of yield* lineageOf(scope, log)) {
    for (const range of rangesOf(fromMs, toMs, nearMs)) {
      for (const retention of retentionsOf(request.retention)) {
        const rule = { range, retention, types: request.types ?? [], limit: limit + 1 };
        hits.push(...(yield* find(scope, segment, rule)));
      }
    }
  }
  const distance = (hit: Hit): number => Math.abs(hit.mediaTimeMs - nearMs);
  hits.sort((a, b) => distance(a) - distance(b) || a.mediaTimeMs - b.mediaTimeMs || a.sequence - b.sequence);
  const chosen = within(hits, limit, maxBytes);
  return { events: yield* load(scope, logId, chosen), more: chosen.length < hits.length };
}

/**
 * The ranges of time after and before `near`, each read in the direction away from it. A read ends when it has enough
 * events.
 */
function rangesOf(from: number, to: number, near: number): readonly Range[] {
  const up: Range = { from: Math.max(from, near), to, direction: "asc" };
  const down: Range = { from, to: Math.min(to, near - 1), direction: "desc" };
  return [up, down].filter((range) => range.from <= range.to);
}

/**
 * Returns the stored numbers of the wanted retentions: 0 is critical, 1 is supplementary. The index begins with this
 * column, so each retention is searched separately.
 */
function retentionsOf(retention: Retention | undefined): readonly number[] {
  if (retention === undefined) return [0, 1];
  if (retention === "critical") return [0];
  if (retention === "supplementary") return [1];
  throw invalid("the retention must be critical or supplementary");
}

interface Find {
  readonly range: Range;
  readonly retention: number;
  readonly types: readonly string[];
  readonly limit: number;
}

function* find(
  scope: Scope,
  segment: Segment,
  { range, retention, types, limit }: Find,
): Work<readonly Hit[]> {
  const filter = types.length === 0 ? "" : ` and type in (${types.map(() => "?").join(", ")})`;
  const size = scope.dialect.engine === "postgres" ? "octet_length" : "length";
  const rows = yield* sql<{
    readonly sequence: number;
    readonly media_time_ms: number;
    readonly size_bytes: number;
  }>(
    scope,
    `select sequence, media_time_ms, coalesce(${size}(payload), 0) as size_bytes from events
     where log_key = ? and retention = ? and media_time_ms >= ? and media_time_ms <= ?
       and sequence > ? and sequence <= ?${filter}
     order by media_time_ms ${range.direction}, sequence ${range.direction} limit ?`,
    segment.logKey,
    retention,
    range.from,
    range.to,
    segment.after,
    segment.upTo,
    ...types,
    limit,
  );
  return rows.map((row) => ({
    logKey: segment.logKey,
    sequence: row.sequence,
    mediaTimeMs: row.media_time_ms,
    sizeBytes: row.size_bytes,
  }));
}

function within(hits: readonly Hit[], limit: number, maxBytes: number): readonly Hit[] {
  let bytes = 0;
  let count = 0;
  for (const hit of hits.slice(0, limit)) {
    bytes += hit.sizeBytes;
    if (count > 0 && bytes > maxBytes) break;
    count++;
  }
  return hits.slice(0, count);
}

/**
 * The number of payloads that one statement loads. Shorter lists are padded to it, so that there are few different
 * statements.
 */
const LOADED_AT_ONCE = 50;

function* load(scope: Scope, logId: string, hits: readonly Hit[]): Work<readonly StoredEvent[]> {
  const found = new Map<number, StoredEvent>();
  for (const logKey of new Set(hits.map((hit) => hit.logKey))) {
    const sequences = hits.filter((hit) => hit.logKey === logKey).map((hit) => hit.sequence);
    for (let at = 0; at < sequences.length; at += LOADED_AT_ONCE) {
      const part = sequences.slice(at, at + LOADED_AT_ONCE);
      const padded = Array.from({ length: LOADED_AT_ONCE }, (_, n) => part[n] ?? part[0] ?? 0);
      const text = `select ${eventColumns("payload")} from events
        where log_key = ? and sequence in (${padded.map(() => "?").join(", ")})`;
      const parameters = [logKey, ...padded];
      const statement = { sql: scope.dialect.placeholders(text), parameters, shape: "arrays" } as const;
      for (const tuple of (yield statement) as readonly EventTuple[]) {
        found.set(tuple[0], toStoredEvent(logId, tuple));
      }
    }
  }
  return hits.flatMap((hit) => found.get(hit.sequence) ?? []);
}
