/** A session as the server shows it. */

import type { Store } from "@continuo/core/model";
import {
  type Damage,
  findSession,
  isoOf,
  isRemoved,
  LIMITS,
  type LiveHealth,
  type LiveSession,
  type NoteWriter,
} from "./kit/index.ts";
import type { SessionOwner } from "./owner/index.ts";
import { contextHash, depthOf, type Follower, ledgerCursor, stateOf } from "./state/index.ts";

export interface ViewContext {
  /** The owner, if this server is the owner. */
  readonly owner: SessionOwner | undefined;
  readonly kind: "stored" | "ephemeral";
  readonly role: "owner" | "reader";
  readonly writerOf: (name: string | null) => NoteWriter;
}

const SPENT = "The budget of the session is spent: notes are made without a model.";

export function toLiveSession(
  key: string,
  follower: Follower,
  { owner, kind, role, writerOf }: ViewContext,
): LiveSession {
  const { fold, fault, sessionId } = follower;
  const { videoId, title, parentId, level, restarts, cost, budget, health, lanes } = fold;
  return {
    sessionId,
    key,
    videoId,
    title,
    parentId,
    ...(fold.carry === "none" ? {} : { tookNotesOver: true }),
    ...(fold.page.sequence === 0 ? {} : { hasPage: true }),
    state: stateOf(follower),
    level,
    depth: depthOf(fold),
    restarts,
    noteIds: [...fold.notes.values()]
      .filter(({ status }) => status !== "archived")
      .map(({ noteId }) => noteId),
    ledgerCursor: ledgerCursor(fold),
    contextHash: contextHash(fold),
    ...(role === "reader" ? {} : writerFacts(writerOf, fold.noteWriter)),
    cost,
    budget,
    health: {
      ...health,
      lastCheckpointError: owner?.lastCheckpointError ?? health.lastCheckpointError,
      degradedReason: health.degradedReason ?? fault,
      degradedAt: health.degradedAt ?? follower.faultAt,
      standIn: fold.standIn?.reason ?? (budget === "spent" ? SPENT : null),
      damaged: damagedOf(follower),
    },
    lanes,
    ephemeral: kind === "ephemeral",
    createdAt: isoOf(fold.createdAtMs),
    lastActivityAt: isoOf(fold.lastInputAtMs),
    closedAt: fold.closedAtMs === null ? null : isoOf(fold.closedAtMs),
  };
}

/** A session can name a writer that its server does not have any more. */
function writerFacts(
  writerOf: (name: string | null) => NoteWriter,
  wanted: string | null,
): Pick<LiveSession, "noteWriter" | "isWriterFree"> {
  try {
    const { name, isFree } = writerOf(wanted);
    return { noteWriter: name, ...(isFree === true ? { isWriterFree: true } : {}) };
  } catch {
    return {};
  }
}

function damagedOf({ damages, fold }: Follower): LiveHealth["damaged"] {
  const shown = (status: "found" | "quarantined") => (damage: Damage) => {
    const { sequence, through, type, reason } = damage;
    return { sequence, through, type, reason, status };
  };
  return [...damages.map(shown("found")), ...fold.quarantined.map(shown("quarantined"))]
    .toSorted((a, b) => a.sequence - b.sequence)
    .slice(0, LIMITS.shownDamages);
}

/**
 * Returns the session, and whether the session that it continues was removed or deleted. Errors: those of the store.
 */
export async function withParentStatus(store: Store, session: LiveSession): Promise<LiveSession> {
  const { parentId } = session;
  if (parentId === null) return session;
  if (await isRemoved(store, parentId)) return { ...session, parentStatus: "removed" };
  return (await store.getSession(parentId)) === null ? { ...session, parentStatus: "deleted" } : session;
}

/** The keys of each session, in the order of the list. */
function bySession(
  items: readonly { readonly key: string; readonly sessionId: string }[],
): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const { key, sessionId } of items) keys.set(sessionId, [...(keys.get(sessionId) ?? []), key]);
  return keys;
}

/** Returns the sessions that exist, each only once with all of its keys. */
export async function sessionsOf(
  store: Store,
  items: readonly { readonly key: string; readonly sessionId: string }[],
  viewOf: (key: string, sessionId: string) => Promise<LiveSession>,
): Promise<readonly LiveSession[]> {
  const sessions: LiveSession[] = [];
  for (const [sessionId, keys] of bySession(items)) {
    const [key = ""] = keys;
    if ((await findSession(store, sessionId)) === null) continue;
    const session = await viewOf(key, sessionId);
    sessions.push(keys.length === 1 ? session : { ...session, keys });
  }
  return sessions;
}
