/** Gets or creates the session of a key, on any server, however often a client asks for it. */

import { ContinuoError, isContinuoError, type Session, type Store } from "@continuo/core/model";
import {
  type Clock,
  isFields,
  isoOf,
  LIMITS,
  type LiveSessionRequest,
  type LiveState,
} from "../kit/index.ts";
import { isFinal } from "../state/index.ts";
import { findKey, type KeyEntry, setKey } from "./keys.ts";

export interface OpenedSession {
  readonly sessionId: string;
  readonly origin: "created" | "found";
}

export interface OpenLiveSessionOptions {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Errors: `invalid`, the store's. */
export async function openLiveSession(
  store: Store,
  key: string,
  request: LiveSessionRequest,
  options: OpenLiveSessionOptions,
): Promise<OpenedSession> {
  for (;;) {
    const entry = await findKey(store, key);
    if (entry === null) {
      const made = await setKey(store, { key, sessionId: options.newId(), generation: 1 });
      if (made !== null) return create(store, made, { request, parentId: null, ...options });
      continue;
    }
    const session = await store.getSession(entry.sessionId);
    // The process that took the key died before it created the session, or the session was deleted with its video.
    if (session === null && !(await wasDeleted(store, entry.sessionId))) {
      return create(store, entry, { request, parentId: null, ...options });
    }
    if (session !== null && !isFinal(session.status as LiveState)) {
      return { sessionId: entry.sessionId, origin: "found" };
    }
    const next = { key, sessionId: options.newId(), generation: entry.generation + 1 };
    const parentId = session === null ? null : entry.sessionId;
    if ((await setKey(store, next)) !== null) return create(store, next, { request, parentId, ...options });
  }
}

interface Creation extends OpenLiveSessionOptions {
  readonly request: LiveSessionRequest;
  readonly parentId: string | null;
}

async function create(
  store: Store,
  { key, sessionId }: KeyEntry,
  { request, parentId, clock }: Creation,
): Promise<OpenedSession> {
  const { videoId, title, lanes = "one", noteWriter } = request;
  const createdAt = isoOf(clock.now());
  const live = { key, videoId, lanes, createdAt, parentId, noteWriter: noteWriter ?? null };
  try {
    await store.createSession({
      sessionId,
      status: "created",
      metadata: { live },
      ...(title === undefined ? {} : { title }),
      ...(parentId === null ? {} : { parentId }),
    });
    return { sessionId, origin: "created" };
  } catch (error) {
    // Two servers found the key without its session at the same time.
    if (isContinuoError(error, "conflict")) return { sessionId, origin: "found" };
    throw error;
  }
}

async function wasDeleted(store: Store, logId: string): Promise<boolean> {
  const { items } = await store.listDeletedLogs({ logId, limit: 1 });
  return items.length > 0;
}

/** Errors: `invalid`. */
export function parseSessionRequest(body: unknown): LiveSessionRequest {
  if (!isFields(body)) throw new ContinuoError("invalid", "the body is not an object");
  const { videoId, title, ephemeral, lanes, noteWriter } = body;
  if (typeof videoId !== "string" || videoId === "" || videoId.length > LIMITS.nameLength) {
    throw new ContinuoError("invalid", "videoId must be a text that is not empty");
  }
  for (const [name, value] of Object.entries({ title, noteWriter })) {
    if (value === undefined || (typeof value === "string" && value.length <= LIMITS.nameLength)) continue;
    throw new ContinuoError("invalid", `${name} must be a text of at most ${LIMITS.nameLength} characters`);
  }
  if (ephemeral !== undefined && ephemeral !== "allow") {
    throw new ContinuoError("invalid", 'ephemeral must be "allow"');
  }
  if (lanes !== undefined && lanes !== "one" && lanes !== "split") {
    throw new ContinuoError("invalid", 'lanes must be "one" or "split"');
  }
  return body as unknown as LiveSessionRequest;
}

/** True if a row of the store is a continuous session. */
export function isLiveSession({ metadata }: Session): boolean {
  return isFields(metadata.live);
}
