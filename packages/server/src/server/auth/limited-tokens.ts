/** The tokens that have quotas for a day, for messages and for streams. */

import { allows } from "@continuo/core/wire";
import type { Grant } from "../context/index.ts";

type Holder = Grant & { readonly tokenId: string };

/** False for a token that administers the workspace: it may fill the workspace, and may use up its server. */
export function hasDailyQuotas(grant: Grant): grant is Holder {
  return grant.tokenId !== null && !allows(grant.scopes, { kind: "admin" });
}
