/**
 * Stores messages as a new session of Continuo's, a few at a time, so that memory is bounded however many there are.
 */

import { randomUUID } from "node:crypto";
import {
  isContinuoError,
  type Message,
  type NativeRef,
  type NewEvent,
  present,
  type Session,
  type Store,
} from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { isOwnerGone } from "@continuo/files";
import { newOwner } from "@continuo/store/sessions";
import { nativeKey } from "../catalog/index.ts";
import { TALK_LIMITS } from "./limits.ts";
import { toEvents } from "./to-events.ts";

export interface ImportedSession {
  readonly session: Session;
  readonly messages: number;
  /** Messages that stay only in the native session. */
  readonly leftOut: number;
}

export interface ImportOptions {
  readonly store: Store;
  readonly agent: string;
  readonly title: string | null;
  readonly cwd: string;
  /** The native session that contains all messages. */
  readonly ref: NativeRef;
  /** The source, for the session's metadata. */
  readonly from: Pick<NativeRef, "agent" | "sessionId"> & Readonly<Record<string, unknown>>;
  /** The number of older messages that are not imported. */
  readonly leftOut?: number;
  /** Called at intervals with the number of messages stored so far. */
  readonly onProgress?: (messages: number) => void;
}

/**
 * Creates a session with these messages, or no session if one of them fails. Errors: those of the store, and those of
 * reading.
 */
export async function importMessages(
  messages: AsyncIterable<Message> | Iterable<Message>,
  keeping: ImportOptions,
): Promise<ImportedSession> {
  const { store, agent, title, cwd, from } = keeping;
  const importing = nativeKey(from);
  await removeParts(store, importing);
  const sessionId = randomUUID();
  const record: ImportRecord = { by: newOwner(), title, events: 0 };
  await store.commitCursor({ logId: sessionId, name: IMPORT, data: record });
  const metadata = { takenFrom: from, importing };
  try {
    const session = await store.createSession(
      present({ sessionId, cwd, agent, title: title ?? undefined, metadata }),
    );
    return await fill(session, messages, { ...keeping, record });
  } catch (error) {
    await removeFailed(store, sessionId).catch(() => undefined);
    throw error;
  }
}

/**
 * The cursor of an import that has not ended. Its data are an `ImportRecord`, which each append of the import renews. The
 * metadata are not enough to recognize an import, because a program can give any session the same ones.
 */
const IMPORT = "continuo:import";

interface ImportRecord {
  /** The owner, which names the process. */
  readonly by: string;
  readonly title: string | null;
  /** The number of events that the import has appended, after the one that the session begins with. */
  readonly events: number;
}

/** Removes what an import that failed stored: its session, or only its record if the session was not created. */
async function removeFailed(store: Store, sessionId: string): Promise<void> {
  const session = await store.getSession(sessionId);
  if (session === null) return await store.resetCursor({ logId: sessionId, name: IMPORT });
  const record = await recordOfImport(store, session);
  await removePart(store, session, { ...record, reason: "not imported completely" });
}

/** Removes what killed imports of a native session left. A part stays if its import may still run. */
async function removeParts(store: Store, importing: string): Promise<void> {
  const { items } = await store.listSessions({ metadata: { importing }, limit: TALK_LIMITS.removedParts });
  for (const session of items) {
    const record = await recordOfImport(store, session);
    const { by } = record;
    const silentMs = Date.now() - Date.parse(session.lastActivityAt);
    const isOver = by !== undefined && (isOwnerGone(by) || silentMs > TALK_LIMITS.importSilenceMs);
    if (isOver) await removePart(store, session, { ...record, reason: "its import was killed" });
  }
}

/**
 * Removes a session that has nothing except what its import put there. It stays if anybody renamed it, forked from it,
 * or appended to it, such as the prompt of a run.
 */
async function removePart(
  store: Store,
  session: Session,
  { events, title, reason }: Partial<ImportRecord> & { readonly reason: string },
): Promise<void> {
  const { sessionId, metadata } = session;
  const { agent, sessionId: nativeId } = recordOf(metadata.takenFrom);
  const isOfImport = metadata.importing === nativeKey({ agent: String(agent), sessionId: String(nativeId) });
  if (events === undefined || !isOfImport || session.title !== title) return;
  if ((await store.listSessions({ parentId: sessionId, limit: 1 })).items.length > 0) return;
  try {
    // The log is closed only if it has no other event. From then on, nobody can append one.
    await store.append(sessionId, [], { expectedSequence: 1 + events, also: [{ type: "close" }] });
    await store.deleteSession(sessionId, { reason });
  } catch (error) {
    // Somebody else has appended an event, or another import has removed the session.
    const isExpected = (["conflict", "not_found", "gone"] as const).some((code) =>
      isContinuoError(error, code),
    );
    if (!isExpected) throw error;
  }
}

/** Empty for a session that no import made. */
async function recordOfImport(
  store: Store,
  { sessionId }: Pick<Session, "sessionId">,
): Promise<Partial<ImportRecord>> {
  return recordOf((await store.getCursor({ logId: sessionId, name: IMPORT }))?.data);
}

async function fill(
  { sessionId }: Session,
  messages: AsyncIterable<Message> | Iterable<Message>,
  {
    store,
    ref,
    from,
    leftOut: older = 0,
    onProgress,
    record,
  }: ImportOptions & { readonly record: ImportRecord },
): Promise<ImportedSession> {
  let [kept, tooLarge, chars, stored] = [0, 0, 0, 0];
  let batch: NewEvent[] = [];
  const flush = async (): Promise<void> => {
    stored += batch.length;
    const data: ImportRecord = { ...record, events: stored };
    if (batch.length > 0)
      await store.append(sessionId, batch, { also: [{ type: "cursor", name: IMPORT, data }] });
    batch = [];
    chars = 0;
    onProgress?.(kept);
  };
  for await (const message of messages) {
    const events = toEvents(message);
    const size = events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
    if (size > TALK_LIMITS.messageChars) {
      tooLarge += 1;
      continue;
    }
    kept += 1;
    batch.push(...events);
    chars += size;
    if (batch.length >= TALK_LIMITS.appendEvents || chars >= TALK_LIMITS.appendChars) await flush();
  }
  await flush();
  const leftOut = older + tooLarge;
  const takenFrom = { ...from, messages: kept, leftOut };
  const baseSequence = await store.latestSequence(sessionId);
  const session = await store.updateSession(sessionId, {
    metadata: { takenFrom, importing: null, ...referenceTo(ref, baseSequence) },
  });
  await store.resetCursor({ logId: sessionId, name: IMPORT });
  return { session, messages: kept, leftOut };
}

/** The entry in the metadata of a session about the native session that contains all messages. */
export function referenceTo(ref: NativeRef, baseSequence: number): ReferenceMetadata {
  const { agent, sessionId, location, cwd } = ref;
  const reference = { sessionId, model: null, location, cwd, baseSequence, verifiedAt: null, state: "live" };
  return { providerSessionId: sessionId, providerSessions: { [agent]: reference } };
}

export interface ReferenceMetadata {
  readonly providerSessionId: string;
  readonly providerSessions: Readonly<Record<string, unknown>>;
}
