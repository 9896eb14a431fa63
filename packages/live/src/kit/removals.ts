/**
 * A session that a person removes is hidden immediately, can be restored for a while, and is then deleted. A removal is
 * one claim of the store, so it does not need the session's log, which may be closed or damaged.
 */

import { isContinuoError, type Session, type Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";
import { isFields } from "./values.ts";

export interface Removal {
  readonly sessionId: string;
  readonly generation: number;
  /** The id of the change that wrote this claim: of two simultaneous changes only one is stored. */
  readonly changeId: string;
  /** `deleting`: the time for undo is over. `restored`: a person brought the session back. */
  readonly status: "removed" | "deleting" | "restored";
  /** The keys that referred to the session when it was removed; the first one is shown. */
  readonly keys: readonly string[];
  readonly videoId: string;
  /** `video`: the session was removed with the other sessions of its video. */
  readonly with: "session" | "video";
  readonly atMs: number;
  /** The time until which the session can be brought back. */
  readonly untilMs: number;
}

const PREFIX = "live/removed/";

/** The last removal of the session, even if it was undone. */
export async function findRemoval(store: Store, sessionId: string): Promise<Removal | null> {
  return removalOf(await store.getClaim(`${PREFIX}${sessionId}`));
}

/** `false` if something else changed the removal in the meantime. */
export async function putRemoval(
  store: Store,
  { sessionId, generation, status, ...removal }: Omit<Removal, "changeId">,
): Promise<boolean> {
  const { keys, videoId, with: part, atMs, untilMs } = removal;
  const data = { keys: fittingKeys(keys), videoId, with: part, atMs, untilMs };
  const name = `${PREFIX}${sessionId}`;
  try {
    await store.putClaim({ name, generation, owner: crypto.randomUUID(), status, data });
    return true;
  } catch (error) {
    if (isContinuoError(error, "fenced")) return false;
    throw error;
  }
}

/** Forgets the removal of a session that is deleted. */
export async function forgetRemoval(
  store: Store,
  { sessionId, generation, changeId }: Removal,
): Promise<void> {
  await store.deleteClaim({ name: `${PREFIX}${sessionId}`, generation, owner: changeId });
}

export async function listRemovals(
  store: Store,
  page: {
    readonly status?: Removal["status"];
    readonly limit?: number;
    readonly cursor?: string;
  },
): Promise<{ readonly items: readonly Removal[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await store.listClaims({ ...page, prefix: PREFIX });
  return { items: items.flatMap((claim) => removalOf(claim) ?? []), nextCursor };
}

/** True while the session is hidden. */
export async function isRemoved(store: Store, sessionId: string): Promise<boolean> {
  const removal = await findRemoval(store, sessionId);
  return removal !== null && removal.status !== "restored";
}

/** The row of the session; `null` if it was removed, was deleted, or never existed. */
export async function findSession(store: Store, sessionId: string): Promise<Session | null> {
  const session = await store.getSession(sessionId);
  return session === null || (await isRemoved(store, sessionId)) ? null : session;
}

/** Returns the session or its nearest ancestor that is not removed; `null` if there is none. */
export async function nearestShown(store: Store, session: Session | null): Promise<Session | null> {
  let next = session;
  for (let n = 0; n <= LIMITS.ancestors && next !== null; n++) {
    if (!(await isRemoved(store, next.sessionId))) return next;
    next = next.parentId === null ? null : await store.getSession(next.parentId);
  }
  return null;
}

function removalOf(claim: Awaited<ReturnType<Store["getClaim"]>>): Removal | null {
  if (claim === null || !isFields(claim.data)) return null;
  const { name, owner: changeId, generation, status, data } = claim;
  if (status !== "removed" && status !== "deleting" && status !== "restored") return null;
  return {
    sessionId: name.slice(PREFIX.length),
    generation,
    changeId,
    status,
    keys: Array.isArray(data.keys) ? data.keys.map(String) : [],
    videoId: String(data.videoId),
    with: data.with === "video" ? "video" : "session",
    atMs: Number(data.atMs),
    untilMs: Number(data.untilMs),
  };
}

/** The first key, and as many further keys as fit. */
function fittingKeys(keys: readonly string[]): readonly string[] {
  let chars = 0;
  return keys.filter((key, n) => {
    chars += key.length;
    return n === 0 || chars <= LIMITS.removedKeysChars;
  });
}
