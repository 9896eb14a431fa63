/**
 * The authors of blobs: only they may refer to a blob, because an event that refers to it makes it readable. Knowing
 * the hash of a blob is not enough.
 */

import { ContinuoError, type Store } from "@continuo/core/model";
import { ANY_HANDLE, allows, SERVER_LOGS } from "@continuo/core/wire";
import type { Grant } from "../context/index.ts";

/** The prefix of the claims for stored blobs. */
export const STORED_BLOBS: string = `${SERVER_LOGS}blobs`;

export async function rememberOwner(store: Store, grant: Grant, hash: string): Promise<void> {
  const owner = ownerOf(grant);
  if (owner === null) return;
  await store.putClaim({ name: nameOf(hash, owner), generation: 1, owner, status: "stored" });
}

export async function owns(store: Store, grant: Grant, hash: string): Promise<boolean> {
  const owner = ownerOf(grant);
  return owner === null || (await store.getClaim(nameOf(hash, owner))) !== null;
}

/** An event that refers to blobs, and the log for which it is intended. */
export interface EventWithBlobs {
  readonly logId: string;
  readonly id?: string;
  readonly blobs?: readonly string[];
}

/**
 * An event that is already stored may be sent again, however long ago its blobs were stored. Errors: `not_found`, as
 * for a blob that does not exist.
 */
export async function requireOwner(
  store: Store,
  grant: Grant,
  { logId, id, blobs = [] }: EventWithBlobs,
): Promise<void> {
  for (const hash of blobs) {
    if (await owns(store, grant, hash)) continue;
    if (id !== undefined && (await store.read(logId, { id })).events.length > 0) return;
    throw new ContinuoError("not_found", `there is no blob ${hash} of this token`, {
      hint: "Store it with POST /v1/blobs and the same token first.",
      details: { hash },
    });
  }
}

/** The participant or the token; `null` for a token that may refer to every blob. Pages count as their token. */
function ownerOf({ tokenId, handle, page, scopes }: Grant): string | null {
  if (tokenId === null || allows(scopes, { kind: "admin" })) return null;
  if (handle !== null && handle !== ANY_HANDLE) return `handle/${handle}`;
  return `token/${page?.parentId ?? tokenId}`;
}

function nameOf(hash: string, owner: string): string {
  return `${STORED_BLOBS}/${hash}/${owner}`;
}
