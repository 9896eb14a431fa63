/**
 * Stores messages as a new session of Continuo's, a few at a time, so that memory is bounded however many there are.
 */

import {
  isContinuoError,
  type Message,
  type NativeRef,
  type NewEvent,
  present,
  type Session,
  type Store,
} from "@continuo/core/model";
import { isOwnerGone } from "@continuo/files";
import { newOwner } from "@continuo/store/sessions";
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
  readonly agent: string | null;
  readonly title: string | null;
  readonly cwd: string;
  /** The native session that contains all messages. */
  readonly ref: NativeRef | null;
  readonly parentId?: string;
  /** The source, for the session's metadata. */
  readonly from: Readonly<Record<string, unknown>>;
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
  const { store, agent, title, cwd, parentId, from, ref } = keeping;
  const importing = ref === null ? null : `${ref.agent}:${ref.sessionId}`;
  if (importing !== null) await removeParts(store, importing);
  const marks = importing === null ? {} : { importing, importedBy: newOwner() };
  const { sessionId } = await store.createSession(
    present({
      cwd,
      agent: agent ?? undefined,
      title: title ?? undefined,
      parentId,
      metadata: { takenFrom: from, ...marks },
    }),
  );
  try {
    return await fill(sessionId, messages, keeping);
  } catch (error) {
    await store.deleteSession(sessionId, { reason: "not imported completely" }).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes what killed imports of a native session left. A part stays if its import may still run, or if somebody sent a
 * message in it.
 */
async function removeParts(store: Store, importing: string): Promise<void> {
  const { items } = await store.listSessions({ metadata: { importing }, limit: TALK_LIMITS.removedParts });
  for (const { sessionId, metadata } of items) {
    const { importedBy } = metadata;
    if (typeof importedBy !== "string" || !isOwnerGone(importedBy)) continue;
    if ((await store.listRuns({ sessionId, limit: 1 })).items.length > 0) continue;
    await store.deleteSession(sessionId, { reason: "its import was killed" }).catch((error: unknown) => {
      // Another import has removed it.
      if (!isContinuoError(error, "not_found")) throw error;
    });
  }
}

async function fill(
  sessionId: string,
  messages: AsyncIterable<Message> | Iterable<Message>,
  { store, ref, from, leftOut: older = 0, onProgress }: ImportOptions,
): Promise<ImportedSession> {
  let [kept, tooLarge, chars] = [0, 0, 0];
  let batch: NewEvent[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await store.append(sessionId, batch);
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
  const done = { importing: null, importedBy: null };
  const metadata = { takenFrom: { ...from, messages: kept, leftOut }, ...(ref === null ? {} : done) };
  const baseSequence = await store.latestSequence(sessionId);
  const session = await store.updateSession(sessionId, {
    metadata: ref === null ? metadata : { ...metadata, ...referenceTo(ref, baseSequence) },
  });
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
