/** Keys of sessions: which session a key refers to. Each key is one claim of the store. */

import { type CallOptions, ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import { isFields, LIMITS, sha256 } from "../kit/index.ts";

export interface KeyEntry {
  readonly key: string;
  readonly sessionId: string;
  /** Grows each time the key gets another session. */
  readonly generation: number;
}

const PREFIX = "live/key/";

/** A key can be any text. Errors: `invalid` for an empty one, `too_large`. */
export function assertKey(key: string): void {
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
  return claim === null ? null : { key, sessionId: claim.owner, generation: claim.generation };
}

/** `null` if the key got another session after the entry was read. */
export async function setKey(store: Store, entry: KeyEntry): Promise<KeyEntry | null> {
  const { key, sessionId, generation } = entry;
  const claim = { name: nameOf(key), generation, owner: sessionId, status: "open", data: { key } };
  try {
    await store.putClaim(claim);
    return entry;
  } catch (error) {
    if (isContinuoError(error, "fenced")) return null;
    throw error;
  }
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

/** A name of fixed length, without characters that a name in the store cannot have. */
function nameOf(key: string): string {
  return `${PREFIX}${sha256(key)}`;
}
