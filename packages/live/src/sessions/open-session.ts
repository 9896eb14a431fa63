/** Gets or creates the session of a key. All servers, and all requests of a client, get the same session. */

import {
  type ClaimWrite,
  ContinuoError,
  isContinuoError,
  present,
  type Session,
  type Store,
} from "@continuo/core/model";
import { coversName } from "@continuo/core/wire";
import {
  type Clock,
  findSession,
  isFields,
  isoOf,
  LIMITS,
  type LiveSessionRequest,
  type LiveState,
  nearestShown,
} from "../kit/index.ts";
import { isFinal } from "../state/index.ts";
import { claimOf, findKey, type KeyEntry, setKey, setKeyStatus } from "./keys.ts";
import { claimOfVideo, findVideo } from "./video-sessions.ts";

export interface OpenedSession {
  readonly sessionId: string;
  readonly origin: "created" | "found";
}

export interface OpenLiveSessionOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** The names of keys that the client may read and write; a `*` at the end matches any rest of a name. */
  readonly reach: readonly string[];
}

/** Errors: `invalid`, and those of the store. */
export async function openLiveSession(
  store: Store,
  key: string,
  request: LiveSessionRequest,
  options: OpenLiveSessionOptions,
): Promise<OpenedSession> {
  for (;;) {
    const entry = await findKey(store, key);
    const last = entry === null ? null : await store.getSession(entry.sessionId);
    const own = last === null ? null : await findSession(store, last.sessionId);
    if (entry !== null && own !== null && !isOver(own)) {
      if (entry.status === "left") await setKeyStatus(store, key, "open");
      return { sessionId: entry.sessionId, origin: "found" };
    }
    // Earlier versions of Continuo took the key before they created the session, and the process may have died in
    // between.
    const isBegun = entry !== null && last === null && !(await wasDeleted(store, entry.sessionId));
    const shown = await nearestShown(store, last);
    if (request.continues === "video") {
      const opened = await openOfVideo(store, { key, entry, own: shown, isBegun }, { request, ...options });
      if (opened === "forbidden") request = { ...request, continues: "key" };
      else if (opened !== null) return opened;
      continue;
    }
    const next = { key, sessionId: options.newId(), generation: (entry?.generation ?? 0) + 1 };
    const parentId = shown === null || isBegun ? null : shown.sessionId;
    const made = await create(store, isBegun ? entry : next, { request, parentId, ...options });
    if (made !== null) return made;
  }
}

interface KeyPlace {
  readonly key: string;
  readonly entry: KeyEntry | null;
  /** The last created session of the key, without sessions that a person removed. */
  readonly own: Session | null;
  /** True if the key names a session that was not created yet. */
  readonly isBegun: boolean;
}

/**
 * Joins the open session of the video, or creates a session that continues the last one of the video. Returns `null` if
 * the state changed in the meantime, so that the caller tries again. Returns `"forbidden"` if the client may not read
 * that session, or if the client of that session may not read the input of this client.
 */
async function openOfVideo(
  store: Store,
  { key, entry, own, isBegun }: KeyPlace,
  options: Omit<Creation, "parentId" | "claims">,
): Promise<OpenedSession | null | "forbidden"> {
  const { newId, reach, request } = options;
  const video = await findVideo(store, request.videoId);
  const newest = video === null ? null : await store.getSession(video.sessionId);
  const before = await nearestShown(store, newest);
  const session = before !== null && videoOf(before) === request.videoId ? before : null;
  // Earlier versions of Continuo wrote the entry of the video before they created the session that it names.
  const isTaken = video !== null && newest === null && !(await wasDeleted(store, video.sessionId));
  if (video !== null && (session !== null || isTaken)) {
    const isNewest = session === null || session.sessionId === video.sessionId;
    if (!covers(reach, isNewest ? video.key : firstKeyOf(session))) return "forbidden";
    const isOpen = session === null || !isOver(session);
    if (isOpen && !covers(video.reach, key)) return "forbidden";
  }
  const generation = (entry?.generation ?? 0) + 1;
  if (video !== null && session !== null && !isOver(session)) {
    const joined = await setKey(store, { key, sessionId: session.sessionId, generation });
    return joined === null ? null : { sessionId: session.sessionId, origin: "found" };
  }
  const sessionId = isTaken ? video.sessionId : isBegun ? (entry?.sessionId ?? newId()) : newId();
  const next = { sessionId, generation: (video?.generation ?? 0) + 1, key, reach };
  const claims = isTaken ? [] : [claimOfVideo(request.videoId, next)];
  // The key may have a session that is older than the entry of its video.
  const last = session ?? (own !== null && videoOf(own) === request.videoId ? own : null);
  const parentId = last?.sessionId ?? null;
  return create(store, { key, sessionId, generation }, { ...options, parentId, claims });
}

function videoOf({ metadata }: Session): unknown {
  return isFields(metadata.live) ? metadata.live.videoId : undefined;
}

/** Returns the key that began the session. */
export function firstKeyOf({ metadata }: Session): string {
  return isFields(metadata.live) && typeof metadata.live.key === "string" ? metadata.live.key : "";
}

/** Returns true for a session that the tabs of its video share. */
export function isOfVideo({ metadata }: Session): boolean {
  return isFields(metadata.live) && metadata.live.continues === "video";
}

function isOver({ status }: Session): boolean {
  return isFinal(status as LiveState);
}

function covers(reach: readonly string[], key: string): boolean {
  return reach.some((name) => coversName(name, key));
}

interface Creation extends OpenLiveSessionOptions {
  readonly request: LiveSessionRequest;
  readonly parentId: string | null;
  /** Claims in addition to the claim of the key. */
  readonly claims?: readonly Omit<ClaimWrite, "type">[];
}

/**
 * Creates the session and claims its key in one commit. Returns `null` if the key, the video or the session was claimed
 * in the meantime.
 */
async function create(
  store: Store,
  entry: KeyEntry,
  { request, parentId, clock, claims = [] }: Creation,
): Promise<OpenedSession | null> {
  const { key, sessionId } = entry;
  const { videoId, title, lanes = "one", noteWriter } = request;
  const createdAt = isoOf(clock.now());
  const live = present({
    key,
    videoId,
    lanes,
    createdAt,
    parentId,
    noteWriter: noteWriter ?? null,
    continues: request.continues === "video" ? "video" : undefined,
    budget: request.budget,
  });
  try {
    await store.createSession({
      sessionId,
      status: "created",
      metadata: { live },
      claims: [claimOf(entry), ...claims],
      ...(title === undefined ? {} : { title }),
      ...(parentId === null ? {} : { parentId }),
    });
    return { sessionId, origin: "created" };
  } catch (error) {
    // Two servers found at the same time that the key, or its video, has no session.
    if (isContinuoError(error, "conflict") || isContinuoError(error, "fenced")) return null;
    throw error;
  }
}

async function wasDeleted(store: Store, logId: string): Promise<boolean> {
  const { items } = await store.listDeletedLogs({ logId, limit: 1 });
  return items.length > 0;
}

const FIELDS: readonly string[] = [
  "videoId",
  "title",
  "ephemeral",
  "lanes",
  "noteWriter",
  "continues",
  "budget",
];

/** Errors: `invalid`, also for an unknown field. */
export function parseSessionRequest(body: unknown): LiveSessionRequest {
  if (!isFields(body)) throw new ContinuoError("invalid", "the body is not an object");
  const unknown = Object.keys(body).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    throw new ContinuoError("invalid", `there is no field ${JSON.stringify(unknown.slice(0, 40))}`, {
      hint: `Use ${FIELDS.join(", ")}.`,
    });
  }
  const { videoId, title, ephemeral, lanes, noteWriter, continues, budget } = body;
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
  if (budget !== undefined && !isBudget(budget)) {
    throw new ContinuoError("invalid", "budget must be { maxTokens?, maxCostUsd? } with numbers from 0");
  }
  if (continues !== undefined && continues !== "video" && continues !== "key") {
    throw new ContinuoError("invalid", 'continues must be "video" or "key"');
  }
  return body as unknown as LiveSessionRequest;
}

function isBudget(value: unknown): boolean {
  if (!isFields(value)) return false;
  return Object.entries(value).every(
    ([name, limit]) =>
      (name === "maxTokens" || name === "maxCostUsd") && Number.isFinite(limit) && Number(limit) >= 0,
  );
}

/** Returns true if a row of the store is a continuous session. */
export function isLiveSession({ metadata }: Session): boolean {
  return isFields(metadata.live);
}
