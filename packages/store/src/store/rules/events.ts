/**
 * Converts events to rows and back: they are checked and hashed before they are stored, and rebuilt when they are read.
 */

import {
  type Actor,
  ContinuoError,
  chainHash,
  jsonLengthAtLeast,
  type NewEvent,
  payloadHash,
  payloadProblem,
  type Retention,
  retentionOf,
  type StoredEvent,
  toJsonText,
} from "@continuo/core/model";
import { type EventRow, type Extras, LIMITS, type PreparedEvent, type Scope } from "../engine/index.ts";
import { assertName, assertTime, invalid, tooLarge } from "./refusals.ts";

/** Errors: `invalid`, `too_large`. Call it before the transaction, which may run more than once. */
export function prepareEvents(scope: Scope, events: readonly NewEvent[]): readonly PreparedEvent[] {
  if (events.length > LIMITS.eventsPerAppend) {
    throw tooLarge("events of one append", LIMITS.eventsPerAppend, events.length);
  }
  const recordedAt = new Date(scope.now()).toISOString();
  const prepared = events.map((event, index) => {
    try {
      return prepareEvent(scope, event, recordedAt);
    } catch (error) {
      throw error instanceof ContinuoError ? withIndex(error, index) : error;
    }
  });
  assertDistinct(prepared);
  let total = 0;
  for (const event of prepared) total += event.payload?.length ?? event.bytes?.length ?? 0;
  if (total > LIMITS.bytesPerAppend) throw tooLarge("payloads of one append", LIMITS.bytesPerAppend, total);
  return prepared;
}

function withIndex(error: ContinuoError, index: number): ContinuoError {
  return new ContinuoError(error.code, error.message, {
    details: { ...error.details, index },
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

function assertDistinct(events: readonly PreparedEvent[]): void {
  if (events.length < 2) return;
  const ids = new Set<string>();
  for (const { id } of events) {
    if (ids.has(id)) throw invalid(`two events of one append have the id ${id}`, { id });
    ids.add(id);
  }
}

const SYSTEM: Actor = { kind: "system" };
const SYSTEM_TEXT: string = JSON.stringify(SYSTEM);

function prepareEvent(scope: Scope, event: NewEvent, recordedAt: string): PreparedEvent {
  if (typeof event !== "object" || event === null) throw invalid("an event must be an object");
  assertName("type of an event", event.type);
  if (event.data === undefined) throw invalid("an event has no data", { type: event.type });
  if (event.id !== undefined) assertName("id of an event", event.id);
  if (event.parentId !== undefined) assertName("parentId of an event", event.parentId);
  if (event.runId !== undefined) assertName("runId of an event", event.runId);
  if (event.occurredAt !== undefined) assertTime("occurredAt of an event", event.occurredAt);
  const retention = event.retention ?? customRetention(scope, event) ?? retentionOf(event.type);
  if (retention !== "critical" && retention !== "supplementary")
    throw invalid("the retention must be critical or supplementary");
  const salt = saltOf(scope, event);
  const problem = payloadProblem(event.type, event.data);
  const body = bodyOf(event);
  const actor = event.actor === undefined ? SYSTEM : actorOf(event.actor);
  return {
    id: event.id ?? scope.newId(),
    retriable: event.id === undefined ? "no" : "yes",
    type: event.type,
    parentId: event.parentId,
    actor,
    actorText: actor === SYSTEM ? SYSTEM_TEXT : JSON.stringify(actor),
    runId: event.runId,
    occurredAt: event.occurredAt ?? recordedAt,
    recordedAt,
    retention,
    ...body,
    payloadHash: payloadHash(scope.sha256, body.hashed, salt),
    extras: extrasOf(blobsOf(event), salt, problem),
    mediaTimeMs: mediaTimeOf(event.data),
  };
}

/** Returns the retention that the application set for a type of its own, or for a name of `custom` events. */
function customRetention({ retentions }: Scope, { type, data }: NewEvent): Retention | undefined {
  if (retentions === undefined) return undefined;
  const name = type === "custom" ? (data as { readonly name?: unknown } | null)?.name : undefined;
  return retentions.get(typeof name === "string" ? `custom:${name}` : type);
}

/** A whole number of milliseconds from the beginning of the medium; any other value is stored, but not indexed. */
export function mediaTimeOf(data: unknown): number | null {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return null;
  const time = (data as { readonly mediaTimeMs?: unknown }).mediaTimeMs;
  return Number.isSafeInteger(time) && (time as number) >= 0 ? (time as number) : null;
}

function extrasOf(
  blobs: readonly string[] | undefined,
  salt: string | undefined,
  problem: string | undefined,
): Extras | undefined {
  if (blobs === undefined && salt === undefined && problem === undefined) return undefined;
  return {
    ...(blobs === undefined ? {} : { blobs }),
    ...(salt === undefined ? {} : { salt }),
    ...(problem === undefined ? {} : { invalid: problem }),
  };
}

function saltOf(scope: Scope, event: NewEvent): string | undefined {
  if (event.salt === undefined) return undefined;
  if (event.salt !== "random") throw invalid('the salt of an event must be "random" or absent');
  return scope.sha256(scope.newId() + scope.newId());
}

function blobsOf(event: NewEvent): readonly string[] | undefined {
  if (event.blobs === undefined || event.blobs.length === 0) return undefined;
  for (const hash of event.blobs) {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw invalid("the hash of a blob must be 64 hex digits", { hash });
  }
  return [...new Set(event.blobs)];
}

function actorOf(actor: Actor): Actor {
  if (actor.kind !== "person" && actor.kind !== "agent" && actor.kind !== "system") {
    throw invalid("the actor of an event must be a person, an agent or the system");
  }
  if (actor.id !== undefined) assertName("id of an actor", actor.id);
  if (actor.agent !== undefined) assertName("agent of an actor", actor.agent);
  return {
    kind: actor.kind,
    ...(actor.id === undefined ? {} : { id: actor.id }),
    ...(actor.agent === undefined ? {} : { agent: actor.agent }),
  };
}

type Body = Pick<PreparedEvent, "payload" | "bytes" | "hashed">;

function bodyOf(event: NewEvent): Body {
  if (event.data instanceof Uint8Array) {
    if (event.type !== "bytes") throw invalid("only events of the type `bytes` can contain bytes");
    if (event.data.length > LIMITS.payloadBytes) {
      throw tooLarge("bytes of a record", LIMITS.payloadBytes, event.data.length);
    }
    // A copy: the caller may reuse its buffer.
    const bytes = Uint8Array.from(event.data);
    return { payload: null, bytes, hashed: bytes };
  }
  // Estimates the length first, so that a payload that is far too long is never serialized.
  const length = jsonLengthAtLeast(event.data, LIMITS.payloadBytes);
  if (length > LIMITS.payloadBytes) throw tooLarge("bytes of a payload", LIMITS.payloadBytes, length);
  const { text, canonical } = toJsonText(event.data);
  const atMost = text.length * 3;
  if (atMost > LIMITS.payloadBytes && Buffer.byteLength(text) > LIMITS.payloadBytes) {
    throw tooLarge("bytes of a payload", LIMITS.payloadBytes, Buffer.byteLength(text));
  }
  return { payload: text, bytes: null, hashed: canonical };
}

const RETENTIONS: readonly Retention[] = ["critical", "supplementary"];

export interface NumberedEvent {
  readonly row: EventRow;
  readonly stored: StoredEvent;
}

/** Gives an event its number and its link in the chain. */
export function numberEvent(
  scope: Scope,
  log: { readonly logKey: number; readonly logId: string },
  event: PreparedEvent,
  sequence: number,
  previous: string,
): NumberedEvent {
  const chain = chainHash(scope.sha256, previous, {
    sequence,
    id: event.id,
    type: event.type,
    parentId: event.parentId,
    actor: event.actor,
    runId: event.runId,
    occurredAt: event.occurredAt,
    recordedAt: event.recordedAt,
    retention: event.retention,
    payloadHash: event.payloadHash,
    blobs: event.extras?.blobs,
  });
  const row: EventRow = [
    log.logKey,
    sequence,
    event.id,
    event.type,
    event.parentId ?? null,
    event.actorText,
    event.runId ?? null,
    event.occurredAt,
    event.recordedAt,
    event.retention === "critical" ? 0 : 1,
    event.payload,
    event.bytes,
    event.payloadHash,
    chain,
    event.extras === undefined ? null : JSON.stringify(event.extras),
    event.mediaTimeMs,
  ];
  return { row, stored: storedOf(log.logId, event, sequence, chain) };
}

function storedOf(logId: string, event: PreparedEvent, sequence: number, chain: string): StoredEvent {
  const stored: Record<string, unknown> = { logId, sequence, id: event.id, type: event.type };
  if (event.parentId !== undefined) stored.parentId = event.parentId;
  stored.actor = event.actor;
  if (event.runId !== undefined) stored.runId = event.runId;
  stored.occurredAt = event.occurredAt;
  stored.recordedAt = event.recordedAt;
  stored.retention = event.retention;
  stored.data = event.payload === null ? event.bytes : JSON.parse(event.payload);
  stored.payloadHash = event.payloadHash;
  stored.chainHash = chain;
  if (event.extras !== undefined) Object.assign(stored, event.extras);
  return stored as unknown as StoredEvent;
}

/** In the order of the columns that a read selects. */
export type EventTuple = readonly [
  sequence: number,
  id: string,
  type: string,
  parentId: string | null,
  actor: string,
  runId: string | null,
  occurredAt: string,
  recordedAt: string,
  retention: number,
  body: string | Uint8Array | null,
  payloadHash: string,
  chainHash: string,
  extras: string | null,
];

export function eventColumns(body: "payload" | "bytes"): string {
  return `sequence, event_id, type, parent_id, actor, run_id, occurred_at, recorded_at, retention, ${body},
    payload_hash, chain_hash, extras`;
}

/** The columns that a read of the row selects. */
export function toTuple(row: EventRow): EventTuple {
  const [, sequence, id, type, parentId, actor, runId, occurredAt, recordedAt, retention] = row;
  const [payload, bytes, payloadHash, chainHash, extras] = row.slice(10) as unknown as [
    EventRow[10],
    EventRow[11],
    EventRow[12],
    EventRow[13],
    EventRow[14],
  ];
  // A copy of bytes, because the caller of the append has them too.
  const body = payload ?? (bytes === null ? null : Uint8Array.from(bytes));
  return [
    sequence,
    id,
    type,
    parentId,
    actor,
    runId,
    occurredAt,
    recordedAt,
    retention,
    body,
    payloadHash,
    chainHash,
    extras,
  ];
}

/** Errors: `corrupt`. */
export function toStoredEvent(logId: string, tuple: EventTuple): StoredEvent {
  const [
    sequence,
    id,
    type,
    parentId,
    actor,
    runId,
    occurredAt,
    recordedAt,
    retention,
    body,
    hash,
    chain,
    extras,
  ] = tuple;
  try {
    const event: Record<string, unknown> = { logId, sequence, id, type };
    if (parentId !== null) event.parentId = parentId;
    event.actor = actorFrom(actor);
    if (runId !== null) event.runId = runId;
    event.occurredAt = occurredAt;
    event.recordedAt = recordedAt;
    event.retention = RETENTIONS[retention];
    event.data = typeof body === "string" ? JSON.parse(body) : body;
    event.payloadHash = hash;
    event.chainHash = chain;
    if (extras !== null) Object.assign(event, JSON.parse(extras));
    return event as unknown as StoredEvent;
  } catch (cause) {
    throw new ContinuoError("corrupt", `cannot read event ${sequence} of ${logId}: its row is damaged`, {
      hint: "Run `continuo store verify`, and restore the log from a backup.",
      details: { logId, sequence },
      cause,
    });
  }
}

const ACTORS_KEPT = 1_000;
const actors = new Map<string, Actor>();

/** A few actors write most events of a log, so each actor is one frozen object. */
function actorFrom(text: string): Actor {
  let actor = actors.get(text);
  if (actor === undefined) {
    actor = Object.freeze(JSON.parse(text) as Actor);
    if (actors.size >= ACTORS_KEPT) actors.clear();
    actors.set(text, actor);
  }
  return actor;
}
