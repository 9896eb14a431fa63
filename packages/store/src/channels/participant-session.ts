/**
 * Reads and changes the session of a participant (`workspace:channel:handle`): two cursors, a status, the agent's own
 * session id, and a history.
 */

import {
  ContinuoError,
  isContinuoError,
  isEvent,
  type NewEvent,
  present,
  type Session,
  type Store,
  type Write,
} from "@continuo/core/model";
import { type HistoryItem, isInputFor, type ParticipantSession, textOfContent } from "@continuo/core/wire";
import type { Fence } from "./handles.ts";
import { LIMITS } from "./limits.ts";
import {
  type ConnectionRef,
  channelLogId,
  participantSession,
  processedCursor,
  receivedCursor,
  textsNaming,
} from "./names.ts";

/** Creates the session of the participant if there is none; a new session is `active`. */
export async function openParticipantSession(
  store: Store,
  place: ConnectionRef,
): Promise<ParticipantSession> {
  await createParticipantSession(store, place);
  return readParticipantSession(store, place);
}

/** Does nothing if there is already a session. */
export async function createParticipantSession(
  store: Store,
  place: ConnectionRef,
): Promise<{ readonly created: boolean }> {
  if (await hasParticipantSession(store, place)) return { created: false };
  const { channel, handle } = place;
  const session = { status: "active", title: `${handle} in ${channel}`, metadata: { channel, handle } };
  try {
    await store.createSession({ sessionId: participantSession(place), ...session });
    return { created: true };
  } catch (error) {
    // Another process created it first.
    if (isContinuoError(error, "conflict")) return { created: false };
    throw error;
  }
}

export async function hasParticipantSession(store: Store, place: ConnectionRef): Promise<boolean> {
  return (await store.getSession(participantSession(place))) !== null;
}

/** @param device the device whose own `received` is read. Errors: `not_found`. */
export async function readParticipantSession(
  store: Store,
  place: ConnectionRef,
  device?: string,
): Promise<ParticipantSession> {
  const logId = channelLogId(place.channel);
  const [session, received, processed] = await Promise.all([
    knownSession(store, place),
    store.getCursor({ logId, name: receivedCursor(place, device) }),
    store.getCursor({ logId, name: processedCursor(place) }),
  ]);
  const { sdkSessionId } = session.metadata;
  return {
    received: received?.sequence ?? 0,
    processed: processed?.sequence ?? 0,
    status: session.status === "interrupted" ? "interrupted" : "active",
    sdkSessionId: typeof sdkSessionId === "string" ? sdkSessionId : null,
  };
}

/** Records how far `events()` delivered. The cursor never moves back. Errors: `fenced`, `out_of_range`. */
export async function moveReceived(
  store: Store,
  { place, fence, device }: ParticipantPlace,
  sequence: number,
): Promise<void> {
  const write: Write = {
    type: "cursor",
    logId: channelLogId(place.channel),
    name: receivedCursor(place, device),
    sequence,
  };
  await store.append(participantSession(place), [], { lease: fence, also: [write] });
}

export interface ParticipantPlace {
  readonly place: ConnectionRef;
  readonly fence: Fence;
  /** A device of a person, which has a cursor `received` of its own. */
  readonly device?: string | undefined;
}

/**
 * Moves the cursor, which never moves back, and makes the session active again. Processed events count as received.
 * Errors: `not_found`, `fenced`, `out_of_range`.
 */
export async function commitProcessed(
  store: Store,
  { place, fence, device }: ParticipantPlace,
  sequence: number,
): Promise<ParticipantSession> {
  const { events, writes } = statusChange((await knownSession(store, place)).status, "active");
  const logId = channelLogId(place.channel);
  await store.append(participantSession(place), events, {
    lease: fence,
    also: [
      { type: "cursor", logId, name: receivedCursor(place, device), sequence },
      { type: "cursor", logId, name: processedCursor(place), sequence },
      ...writes,
    ],
  });
  return readParticipantSession(store, place, device);
}

/** `null` removes the id. Errors: `fenced`. */
export async function setSdkSession(
  store: Store,
  { place, fence }: ParticipantPlace,
  sdkSessionId: string | null,
): Promise<void> {
  const patch = { metadata: { sdkSessionId } };
  await store.append(participantSession(place), [{ type: "session_updated", data: patch }], {
    lease: fence,
    also: [{ type: "session", patch }],
  });
}

/** Does nothing if there is no session. Errors: `fenced`. */
export async function markInterrupted(store: Store, { place, fence }: ParticipantPlace): Promise<void> {
  const session = await store.getSession(participantSession(place));
  if (session === null) return;
  const { events, writes } = statusChange(session.status, "interrupted");
  if (events.length === 0) return;
  await store.append(session.sessionId, events, { lease: fence, also: writes });
}

/** Returns true if an input of the handle was received, but neither answered nor given up. */
export async function hasUnanswered(store: Store, place: ConnectionRef): Promise<boolean> {
  const session = await store.getSession(participantSession(place));
  if (session === null) return false;
  const { received, processed } = await readParticipantSession(store, place);
  let read = 0;
  for (let after: number | null = processed; after !== null && after < received; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(channelLogId(place.channel), {
      after,
      before: received + 1,
      types: ["message_sent", "message_completed"],
      texts: textsNaming(place.handle),
      limit: LIMITS.unansweredPage,
    });
    if (page.events.some((event) => isInputFor(event, place.handle))) return true;
    read += page.events.length;
    after = read < LIMITS.unansweredEvents ? page.nextAfter : null;
  }
  return false;
}

interface StatusChange {
  readonly events: readonly NewEvent[];
  readonly writes: readonly Write[];
}

function statusChange(from: string, status: ParticipantSession["status"]): StatusChange {
  if (from === status) return { events: [], writes: [] };
  return {
    events: [{ type: "session_updated", data: { status } }],
    writes: [{ type: "session", patch: { status } }],
  };
}

export interface HistoryEntry {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}

const ROLES: Readonly<Record<string, "message_sent" | "message_received">> = {
  user: "message_sent",
  system: "message_sent",
  assistant: "message_received",
};

/** Errors: `invalid` for another role, `fenced`. */
export async function storeMessage(
  store: Store,
  { place, fence }: ParticipantPlace,
  { id, role, content }: HistoryEntry,
): Promise<{ readonly sequence: number }> {
  const type = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (type === undefined) {
    throw new ContinuoError("invalid", `there is no role ${JSON.stringify(role)}`, {
      hint: "Use user, assistant or system.",
    });
  }
  const data = type === "message_sent" ? { content, role } : { content, messageId: id };
  const stored = await store.append(participantSession(place), [{ id, type, data }], { lease: fence });
  return { sequence: stored[0]?.sequence ?? 0 };
}

/** Older messages stay in the log, but are no longer part of the history. Errors: `fenced`. */
export async function clearHistory(
  store: Store,
  { place, fence }: ParticipantPlace,
  id: string,
): Promise<void> {
  await store.append(participantSession(place), [{ id, type: "history_cleared", data: {} }], {
    lease: fence,
  });
}

const HISTORY_TYPES = ["message_sent", "message_received", "history_cleared"];

/** Returns the newest messages after the last clearing of the history, oldest first; fewer if they are very long. */
export async function readHistory(
  store: Store,
  place: ConnectionRef,
  limit: number,
): Promise<readonly HistoryItem[]> {
  const found: HistoryItem[] = [];
  let left = LIMITS.historyBytes;
  for (let before: number | null | undefined; before !== null && found.length < limit && left > 0; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(
      participantSession(place),
      present({
        types: HISTORY_TYPES,
        order: "newest",
        limit: Math.min(limit - found.length, LIMITS.pageEvents),
        maxBytes: left,
        before,
      }),
    );
    const cleared = page.events.findLastIndex((event) => event.type === "history_cleared");
    const items = page.events.slice(cleared + 1).flatMap(toHistoryItem);
    for (const { content } of items) left -= Buffer.byteLength(content);
    found.unshift(...items);
    before = cleared === -1 ? page.nextAfter : null;
  }
  return found.slice(-limit);
}

function toHistoryItem(event: Awaited<ReturnType<Store["read"]>>["events"][number]): readonly HistoryItem[] {
  const item = (role: string, content: unknown): readonly HistoryItem[] => [
    { role, content: textOfContent(content), timestamp: event.occurredAt, sequence: event.sequence },
  ];
  if (isEvent(event, "message_sent")) return item(event.data.role ?? "user", event.data.content);
  if (isEvent(event, "message_received")) return item("assistant", event.data.content);
  return [];
}

async function knownSession(store: Store, place: ConnectionRef): Promise<Session> {
  const session = await store.getSession(participantSession(place));
  if (session !== null) return session;
  throw new ContinuoError("not_found", `${place.handle} has no session in ${place.channel}`);
}
