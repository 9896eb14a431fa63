/**
 * Repeated requests: a page that received no answer sends its input again. The input is stored once, even if the
 * session ended between the two requests, or its key now refers to another session.
 */

import {
  ContinuoError,
  canonicalJson,
  isContinuoError,
  type NewEvent,
  type Store,
  type StoredEvent,
  type Write,
} from "@continuo/core/model";
import { type AudioUpload, toEvent } from "../evidence/index.ts";
import { type EvidenceInput, isFields, LIMITS, sha256 } from "../kit/index.ts";
import { ended } from "../state/index.ts";
import { isLiveSession } from "./open-session.ts";

/**
 * Looks for a chunk of audio in the session, and in the earlier sessions that it continues. Returns the stored event;
 * `null` for a new chunk. Errors: those of the store.
 */
export async function storedAudio(
  store: Store,
  sessionId: string,
  upload: AudioUpload,
): Promise<StoredEvent | null> {
  const { id, startMs, bytes } = upload;
  if (id === undefined) return null;
  const hash = sha256(bytes);
  let nextId: string | null = sessionId;
  for (let n = 0; n <= LIMITS.ancestors && nextId !== null; n++) {
    const session: Awaited<ReturnType<Store["getSession"]>> = await store.getSession(nextId);
    if (session === null) return null;
    const found = await eventOf(store, nextId, { id, type: "evidence_added", mediaTimeMs: startMs });
    if (found !== null && isFields(found.data) && isFields(found.data.content)) {
      if (found.data.content.hash === hash) return found;
    }
    nextId = session.parentId;
  }
  return null;
}

/**
 * Appends the events whose ids are not stored yet. `knownThrough` is a sequence that the log had before this call: if
 * the store returns an event up to it, the events were stored before, and only the producer's number is stored now.
 * Errors: those of the store.
 */
export async function appendOnce(
  store: Store,
  sessionId: string,
  {
    events,
    producer,
    knownThrough,
  }: { readonly events: readonly NewEvent[]; readonly producer: Write; readonly knownThrough: number },
): Promise<readonly StoredEvent[]> {
  try {
    const stored = await store.append(sessionId, events, { also: [producer] });
    // If the store already has the events, it returns them without making the other writes of the append.
    const isKnown = stored.some(({ sequence }) => sequence <= knownThrough);
    if (isKnown) await store.append(sessionId, [], { also: [producer] });
    return stored;
  } catch (error) {
    if (!isContinuoError(error, "conflict")) throw error;
    const left = await notStored(store, sessionId, events);
    if (left.length === events.length) throw error;
    return store.append(sessionId, left, { also: [producer] });
  }
}

/**
 * Checks a batch for a session that has ended, such as an earlier session of the key: returns if the batch was stored
 * there before, and throws if it was not. Errors: `not_found`, `log_closed`, and those of the store.
 */
export async function assertAccepted(
  store: Store,
  { key, sessionId }: { readonly key: string; readonly sessionId: string },
  { producer, evidence }: { readonly producer: Write; readonly evidence: readonly EvidenceInput[] },
): Promise<void> {
  const session = await store.getSession(sessionId);
  if (session === null || !isLiveSession(session)) {
    throw new ContinuoError("not_found", "the batch is for a session of another key", { details: { key } });
  }
  if (await wasAccepted(store, sessionId, producer)) return;
  const events = evidence.map((one) => toEvent(one, session.createdAt));
  if (events.length > 0 && (await notStored(store, sessionId, events)).length === 0) return;
  throw ended(key, session.status);
}

/** Returns true if the store accepted the batch before. Stores nothing. */
async function wasAccepted(store: Store, sessionId: string, producer: Write): Promise<boolean> {
  try {
    // The append cannot succeed, because the log of a session is never empty: a batch that was not accepted before is
    // refused.
    await store.append(sessionId, [], { also: [producer], expectedSequence: 0 });
    return true;
  } catch (error) {
    const isRefused = (["conflict", "log_closed", "sequence_gap", "fenced"] as const).some((code) =>
      isContinuoError(error, code),
    );
    if (isRefused) return false;
    throw error;
  }
}

/**
 * Returns the events that the session does not have with the same id and the same data. The expiry of pictures is not
 * compared, because it depends on the time of arrival.
 */
async function notStored(
  store: Store,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const left: NewEvent[] = [];
  for (const event of events) {
    const { id, type, data } = event;
    const mediaTimeMs = isFields(data) ? data.mediaTimeMs : undefined;
    const found = id === undefined ? null : await eventOf(store, sessionId, { id, type, mediaTimeMs });
    if (found === null || withoutExpiry(found.data) !== withoutExpiry(data)) left.push(event);
  }
  return left;
}

async function eventOf(
  store: Store,
  sessionId: string,
  { id, type, mediaTimeMs }: { readonly id: string; readonly type: string; readonly mediaTimeMs: unknown },
): Promise<StoredEvent | null> {
  if (typeof mediaTimeMs !== "number") {
    const [found] = (await store.read(sessionId, { id, types: [type] })).events;
    return found ?? null;
  }
  const place = { fromMs: mediaTimeMs, toMs: mediaTimeMs, types: [type], limit: 1_000 };
  const { events } = await store.readMedia(sessionId, place);
  return events.find((event) => event.id === id) ?? null;
}

function withoutExpiry(data: unknown): string {
  if (!isFields(data)) return canonicalJson(data ?? null);
  const fields = Object.entries(data).map(([name, value]) => {
    if (!isFields(value)) return [name, value];
    const { expiresAt: _, ...rest } = value;
    return [name, rest];
  });
  return canonicalJson(Object.fromEntries(fields));
}
