/** The keys of sessions. Each key is a claim in the store, which names the session of the key. */

import {
  type CallOptions,
  type ClaimWrite,
  ContinuoError,
  isContinuoError,
  type Session,
  type Store,
  shellWord,
} from "@continuo/core/model";
import { findRemoval, isFields, isoOf, LIMITS, type Removal, sha256 } from "../kit/index.ts";

export interface KeyEntry {
  readonly key: string;
  readonly sessionId: string;
  /** Grows each time the key gets another session. */
  readonly generation: number;
  /** `left`: the tab of the key ended its viewing, but others may still be in the session. `open` by default. */
  readonly status?: "open" | "left";
}

const PREFIX = "live/key/";

/** A key can be any well-formed text. Errors: `invalid` for another text or an empty one, `too_large`. */
function assertKey(key: string): void {
  if (key === "") throw new ContinuoError("invalid", "the key of a session is empty");
  if (key.length > LIMITS.keyLength) {
    throw new ContinuoError("too_large", `the key is longer than ${LIMITS.keyLength} characters`, {
      details: { limit: LIMITS.keyLength },
    });
  }
  if (!key.isWellFormed()) throw new ContinuoError("invalid", "the key is not well-formed Unicode");
}

export async function findKey(store: Store, key: string, call: CallOptions = {}): Promise<KeyEntry | null> {
  assertKey(key);
  const claim = await store.getClaim(nameOf(key), call);
  if (claim === null) return null;
  const { owner: sessionId, generation, status } = claim;
  return { key, sessionId, generation, status: status === "left" ? "left" : "open" };
}

/** `null` if the key got another session after the entry was read. */
export async function setKey(store: Store, entry: KeyEntry): Promise<KeyEntry | null> {
  try {
    await store.putClaim(claimOf(entry));
    return entry;
  } catch (error) {
    if (isContinuoError(error, "fenced")) return null;
    throw error;
  }
}

/** The claim of a key that refers to this session. */
export function claimOf({ key, sessionId, generation, status = "open" }: KeyEntry): Omit<ClaimWrite, "type"> {
  return { name: nameOf(key), generation, owner: sessionId, status, data: { key } };
}

export async function listKeys(
  store: Store,
  page: { readonly limit?: number; readonly cursor?: string },
): Promise<{ readonly items: readonly KeyEntry[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await store.listClaims({ ...page, prefix: PREFIX });
  return {
    items: items.flatMap(({ data, owner, generation }) =>
      isFields(data) && typeof data.key === "string" ? [{ key: data.key, sessionId: owner, generation }] : [],
    ),
    nextCursor,
  };
}

/** The keys of the session whose tabs have not left it; not all of them if there are very many. */
export async function openKeys(store: Store, sessionId: string): Promise<readonly string[]> {
  const { items } = await store.listClaims({
    prefix: PREFIX,
    owner: sessionId,
    status: "open",
    limit: LIMITS.tabs,
  });
  return items.flatMap(({ data }) => (isFields(data) && typeof data.key === "string" ? [data.key] : []));
}

/** Errors: `not_found`. */
export async function sessionIdOfKey(store: Store, key: string): Promise<string> {
  const entry = await findKey(store, key);
  const session = entry === null ? null : await store.getSession(entry.sessionId);
  if (session !== null) {
    const removal = await findRemoval(store, session.sessionId);
    if (removal === null || removal.status === "restored") return session.sessionId;
    throw removedError(key, removal);
  }
  throw new ContinuoError("not_found", "there is no session of this key", {
    hint: "Create it with PUT /v1/live/KEY.",
    details: { key },
  });
}

/** Errors: `log_closed` for a removed session, after which clients open the next one; `not_found`. */
export async function sessionIdForInput(store: Store, key: string): Promise<string> {
  try {
    return await sessionIdOfKey(store, key);
  } catch (error) {
    if (isContinuoError(error, "not_found") && error.details.removedAt !== undefined) {
      throw new ContinuoError("log_closed", error.message, {
        hint: "Send PUT with the key again: the next session begins without the notes of this one.",
        details: { key, state: "removed" },
      });
    }
    throw error;
  }
}

function removedError(key: string, { atMs, untilMs }: Removal): ContinuoError {
  return new ContinuoError("not_found", "the session of this key was removed", {
    hint: `Use \`continuo live undo ${shellWord(key)} --session\` before ${isoOf(untilMs)} to bring it back.`,
    details: { key, removedAt: isoOf(atMs), deletedAfter: isoOf(untilMs) },
  });
}

/** Every key that refers to the session, and the key with which it began. */
export async function keysOf(store: Store, { sessionId, metadata }: Session): Promise<readonly string[]> {
  const { items } = await store.listClaims({ prefix: PREFIX, owner: sessionId, limit: LIMITS.tabs });
  const keys = items.flatMap(({ data }) =>
    isFields(data) && typeof data.key === "string" ? [data.key] : [],
  );
  const first = isFields(metadata.live) ? metadata.live.key : undefined;
  return [...new Set([...(typeof first === "string" ? [first] : []), ...keys])];
}

/** Makes the key refer to the session from now on. */
export async function joinKey(store: Store, key: string, sessionId: string): Promise<void> {
  for (;;) {
    const entry = await findKey(store, key);
    if (entry?.sessionId === sessionId) return;
    const generation = (entry?.generation ?? 0) + 1;
    if ((await setKey(store, { key, sessionId, generation })) !== null) return;
  }
}

/** Records that the tab of the key came back to its session, or left it. */
export async function setKeyStatus(store: Store, key: string, status: "open" | "left"): Promise<void> {
  for (;;) {
    const entry = await findKey(store, key);
    if (entry === null || entry.status === status) return;
    const { sessionId, generation } = entry;
    if ((await setKey(store, { key, sessionId, generation: generation + 1, status })) !== null) return;
  }
}

/** A name of fixed length, without characters that a name in the store cannot have. */
function nameOf(key: string): string {
  return `${PREFIX}${sha256(key)}`;
}
