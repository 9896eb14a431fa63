/** The name under which a request acts, as the audit log records it. */

import type { Principal } from "@continuo/core/model";
import type { Grant } from "../context/index.ts";

/** A page acts under the name of the token with which it was opened. */
export function principalOf({
  tokenId,
  page,
  peer,
  by,
}: Pick<Grant, "tokenId" | "page" | "peer" | "by">): Principal {
  if (by !== undefined) return { who: by === null ? "anyone" : `person:${by}`, from: peer.address };
  return { who: tokenId === null ? "anyone" : `token:${page?.parentId ?? tokenId}`, from: peer.address };
}
