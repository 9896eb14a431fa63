/** Append is the only way in which a log grows. The checks are in the order of the contract. */

import { type AppendOptions, payloadHash, type StoredEvent, type Write } from "@continuo/core/model";
import {
  type Dialect,
  noteAppended,
  type PreparedEvent,
  type Scope,
  sql,
  type Transaction,
  textOnce,
  type Work,
} from "../engine/index.ts";
import { type EventTuple, eventColumns, numberEvent, toStoredEvent } from "./events.ts";
import { applyWrites } from "./extra-writes.ts";
import { holdsBytes, type LogRow, lineageOf, openLog } from "./log-rows.ts";
import { assertProducerFollows, findProducer, isAccepted, producerOf } from "./producers.ts";
import { conflict, fenced, invalid, logClosed, notFound } from "./refusals.ts";
import { noteActivity } from "./session-rows.ts";

export type AppendRequest = Pick<
  AppendOptions,
  "expectedSequence" | "lease" | "also" | "mediaType" | "onlyNew"
>;

export function* append(
  tx: Transaction,
  logId: string,
  events: readonly PreparedEvent[],
  request: AppendRequest,
): Work<readonly StoredEvent[]> {
  yield* lockLeases(tx, request);
  const log = yield* openLog(tx, logId, "change");
  return yield* appendTo(tx, log, events, request);
}

/** Does the same as `append`, for a log whose row is already locked. */
export function* appendTo(
  tx: Transaction,
  log: LogRow,
  events: readonly PreparedEvent[],
  request: AppendRequest,
): Work<readonly StoredEvent[]> {
  const done = yield* check(tx, log, { events, request, leaseLock: tx.dialect.forShare });
  if (done !== undefined) return done;
  const numbered = yield* insert(tx, log, events);
  yield* applyWrites(tx, { ...log, ...headAfter(log, numbered) }, request.also ?? []);
  return numbered;
}

/**
 * Makes only the checks, without a lock. Returns the already stored events, or `undefined` if the append may be tried.
 * A refusal is correct for the moment of the check, and costs no transaction.
 */
export function* checkAppend(
  scope: Scope,
  logId: string,
  events: readonly PreparedEvent[],
  request: AppendRequest,
): Work<readonly StoredEvent[] | undefined> {
  const log = yield* openLog(scope, logId, "read");
  return yield* check(scope, log, { events, request, leaseLock: "" });
}

interface CheckedAppend {
  readonly events: readonly PreparedEvent[];
  readonly request: AppendRequest;
  readonly leaseLock: string;
}

/**
 * Returns the stored events of a repeated append, an empty list for a repeated number of a producer, or `undefined` if
 * the append may be tried.
 */
function* check(
  scope: Scope,
  log: LogRow,
  { events, request, leaseLock }: CheckedAppend,
): Work<readonly StoredEvent[] | undefined> {
  const also = request.also ?? [];
  assertMediaType(log, request.mediaType);
  assertKind(log, events);
  const stored = yield* findStored(scope, log, { events, request });
  if (stored !== undefined) return stored;
  const given = producerOf(also);
  const producer =
    given === undefined ? undefined : yield* findProducer(scope, log.log_key, given.producerId);
  if (given !== undefined && isAccepted(given, producer)) return [];
  if (request.lease !== undefined) yield* assertLease(scope, request.lease, leaseLock);
  if (given !== undefined) assertProducerFollows("epoch", given, producer);
  assertOpen(log, events, also);
  if (given !== undefined) assertProducerFollows("sequence", given, producer);
  assertExpected(log, request.expectedSequence);
  return undefined;
}

function assertMediaType(log: LogRow, mediaType: string | undefined): void {
  if (mediaType === undefined || mediaType === log.media_type) return;
  throw conflict(
    `the log ${log.log_id} holds ${log.media_type}, not ${mediaType}`,
    { logId: log.log_id, mediaType: log.media_type },
    "Read the log's media type, and try again.",
  );
}

function assertKind(log: LogRow, events: readonly PreparedEvent[]): void {
  const bytes = holdsBytes(log);
  for (const event of events) {
    if ((event.type === "bytes") === bytes && (event.bytes !== null) === bytes) continue;
    throw invalid(
      bytes
        ? `the log ${log.log_id} holds bytes (${log.media_type}); its records are { type: "bytes", data: Uint8Array }`
        : `the log ${log.log_id} holds events, not bytes`,
      { logId: log.log_id, id: event.id },
    );
  }
}

/** The stored events, if all are already stored. Errors: `conflict`. */
function* findStored(
  scope: Scope,
  log: LogRow,
  { events, request }: Omit<CheckedAppend, "leaseLock">,
): Work<readonly StoredEvent[] | undefined> {
  const retriable = events.filter((event) => event.retriable === "yes");
  if (retriable.length === 0) return undefined;
  const known = yield* storedById(scope, log, retriable);
  if (known.size === 0) return undefined;
  const stored: StoredEvent[] = [];
  for (const event of retriable) {
    const found = known.get(event.id);
    if (found === undefined) continue;
    if (!isSame(scope, event, found)) throw differs(log, event, found);
    stored.push(found);
  }
  const details = { logId: log.log_id, storedIds: stored.map((event) => event.id) };
  if (request.onlyNew === true) {
    const message = `${stored.length} of ${events.length} events of this append are already stored in ${log.log_id}`;
    throw conflict(message, details, "Append only the events that are not stored yet.");
  }
  if (stored.length === events.length) return stored;
  throw conflict(
    `some events of this append are already stored in ${log.log_id}, others are not`,
    details,
    "Append exactly the same events again, or use new ids.",
  );
}

function* storedById(
  scope: Scope,
  log: LogRow,
  events: readonly PreparedEvent[],
): Work<ReadonlyMap<string, StoredEvent>> {
  const ids = events.map(({ id }) => id);
  const [given, which] =
    ids.length === 1
      ? [ids[0], "event_id = ?"]
      : [scope.dialect.listOf(ids), scope.dialect.oneOf("event_id")];
  const columns = eventColumns(holdsBytes(log) ? "bytes" : "payload");
  // The query does not limit the sequence: with a limit, SQLite would examine every event below it.
  const text = `select ${columns} from events where log_key = ? and ${which}`;
  const stored = new Map<string, StoredEvent>();
  for (const { logKey, upTo } of yield* lineageOf(scope, log)) {
    const statement = { sql: scope.dialect.placeholders(text), parameters: [logKey, given] };
    const tuples = (yield { ...statement, shape: "arrays" }) as readonly EventTuple[];
    for (const tuple of tuples) {
      const [sequence, id] = tuple;
      if (sequence <= upTo) stored.set(id, toStoredEvent(log.log_id, tuple));
    }
  }
  return stored;
}

function isSame(scope: Scope, event: PreparedEvent, found: StoredEvent): boolean {
  if (event.type !== found.type) return false;
  const { actor } = event;
  const other = found.actor;
  if (actor.kind !== other.kind || actor.id !== other.id || actor.agent !== other.agent) return false;
  if (found.salt !== undefined)
    return payloadHash(scope.sha256, event.hashed, found.salt) === found.payloadHash;
  // The salt was removed with the payload, so the contents cannot be compared, and the id decides.
  if (found.pruned !== undefined && event.extras?.salt !== undefined) return true;
  return payloadHash(scope.sha256, event.hashed) === found.payloadHash;
}

function differs(log: LogRow, event: PreparedEvent, found: StoredEvent): Error {
  return conflict(
    `the id ${event.id} in ${log.log_id} belongs to an event with other content`,
    { logId: log.log_id, id: event.id, sequence: found.sequence },
    "Give the new event a new id.",
  );
}

function* assertLease(scope: Scope, lease: NonNullable<AppendRequest["lease"]>, lock: string): Work<void> {
  const row = yield* findToken(scope, lease.name, lock);
  if (row?.token === lease.token) return;
  throw fenced(
    row === undefined || row.token < lease.token
      ? `the lease ${lease.name} was never granted with token ${lease.token}`
      : `the lease ${lease.name} was granted to another holder`,
    { name: lease.name, givenToken: lease.token, token: row?.token ?? null },
  );
}

/**
 * Leases are locked before logs, here and in the single statement of Postgres: two different orders could cause a
 * deadlock. A lock that is first shared and then exclusive could cause one too, so a lease that this append gives back
 * gets the exclusive lock at once.
 */
function* lockLeases(tx: Transaction, { lease, also = [] }: AppendRequest): Work<void> {
  const { forShare, forUpdate } = tx.dialect;
  if (forShare === "") return;
  const back = new Set(also.flatMap((write) => (write.type === "lease_release" ? [write.name] : [])));
  const all = new Set(lease === undefined ? back : [...back, lease.name]);
  for (const name of [...all].sort()) yield* findToken(tx, name, back.has(name) ? forUpdate : forShare);
}

function* findToken(scope: Scope, name: string, lock: string): Work<{ readonly token: number } | undefined> {
  const text = textOnce(
    scope.dialect,
    `token${lock}`,
    () => `select token from leases where workspace_id = ? and name = ?${lock}`,
  );
  return (yield* sql<{ readonly token: number }>(scope, text, scope.workspaceId, name))[0];
}

function assertOpen(log: LogRow, events: readonly PreparedEvent[], also: readonly Write[]): void {
  if (log.closed_at === null) return;
  if (events.length === 0 && also.every((write) => write.type !== "producer")) return;
  throw logClosed(log.log_id, log.head_sequence);
}

function assertExpected(log: LogRow, expected: number | undefined): void {
  if (expected === undefined || expected === log.head_sequence) return;
  throw conflict(
    `the log ${log.log_id} is at sequence ${log.head_sequence}, not at ${expected}`,
    { logId: log.log_id, expectedSequence: expected, latestSequence: log.head_sequence },
    "Read the new events, and try again.",
  );
}

function* insert(
  tx: Transaction,
  log: LogRow,
  events: readonly PreparedEvent[],
): Work<readonly StoredEvent[]> {
  if (events.length === 0) return [];
  const place = { logKey: log.log_key, logId: log.log_id };
  let head = log.head_hash;
  const numbered = events.map((event, index) => {
    const one = numberEvent(tx, place, event, log.head_sequence + index + 1, head);
    head = one.stored.chainHash;
    return one;
  });
  for (const statement of tx.dialect.insertEvents(numbered.map((one) => one.row))) yield statement;
  for (const { stored } of numbered) if (stored.blobs !== undefined) yield* refer(tx, log, stored);
  yield* moveHead(tx, log, log.head_sequence + events.length, head);
  yield* noteActivity(tx, log.log_id, log.changed_at, log.now);
  noteAppended(
    tx,
    log.log_key,
    numbered.map(({ row }) => row),
  );
  for (const { stored } of numbered.slice(0, 1)) {
    tx.witnesses?.push({ logKey: log.log_key, sequence: stored.sequence, eventId: stored.id });
  }
  return numbered.map((one) => one.stored);
}

/** If the log already has the current mark, it is not written again, so that the index of marks does not change. */
function* moveHead(tx: Transaction, log: LogRow, sequence: number, hash: string): Work<void> {
  const text = log.changed_mark === log.mark ? moveText(tx.dialect, "") : moveText(tx.dialect, "mark");
  yield { sql: text, parameters: [sequence, hash, log.now, log.now, log.log_key], shape: "none" };
}

function moveText(dialect: Dialect, what: "mark" | ""): string {
  return textOnce(dialect, `move head ${what}`, () => {
    const mark = what === "" ? "" : `, changed_mark = ${dialect.currentMark}`;
    return dialect.placeholders(
      `update logs set head_sequence = ?, head_hash = ?, changed_at = ?${mark},
         expires_at = case when ttl_ms is null then expires_at else ? + ttl_ms end where log_key = ?`,
    );
  });
}

function headAfter(log: LogRow, stored: readonly StoredEvent[]): Pick<LogRow, "head_sequence" | "head_hash"> {
  const last = stored.at(-1);
  return last === undefined
    ? { head_sequence: log.head_sequence, head_hash: log.head_hash }
    : { head_sequence: last.sequence, head_hash: last.chainHash };
}

/** Locks the blobs of an event, so that `collectBlobs` keeps them, and refers to them. Errors: `not_found`. */
function* refer(tx: Transaction, log: LogRow, event: StoredEvent): Work<void> {
  for (const hash of event.blobs ?? []) {
    const text = `select 1 as found from blobs where workspace_id = ? and hash = ?${tx.dialect.forUpdate}`;
    const found = yield* sql(tx, text, tx.workspaceId, hash);
    if (found.length === 0) throw notFound("blob", hash);
    yield* sql(
      tx,
      "insert into blob_references (workspace_id, hash, log_key, sequence) values (?, ?, ?, ?)",
      tx.workspaceId,
      hash,
      log.log_key,
      event.sequence,
    );
  }
}
