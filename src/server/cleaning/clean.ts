/** What is removed, workspace by workspace. */

import { isContinuoError, present, type Store } from "../../model/index.ts";
import { USED_CODES } from "../auth/index.ts";

/** How long expired tokens stay in lists. */
const KEPT_MS = 7 * 86_400_000;
/** After a day the tokens of used codes have expired long before. */
const CODES_KEPT_MS = 86_400_000;

export interface CleaningCounts {
  readonly logs: number;
  readonly tokens: number;
  readonly codes: number;
}

export async function cleanAll(store: Store, { now }: { readonly now: number }): Promise<CleaningCounts> {
  const total = { logs: 0, tokens: 0, codes: 0 };
  for (const workspaceId of await store.listWorkspaces()) {
    const own = store.forWorkspace(workspaceId);
    total.logs += await own.removeExpired();
    total.tokens += await own.removeTokens({ endedBefore: new Date(now - KEPT_MS).toISOString() });
    total.codes += await forgetCodes(own, now - CODES_KEPT_MS);
  }
  return total;
}

async function forgetCodes(store: Store, before: number): Promise<number> {
  let count = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<Store["listClaims"]>> = await store.listClaims(
      present({ prefix: `${USED_CODES}/`, limit: 1_000, cursor }),
    );
    for (const { name, generation, owner, updatedAt } of page.items) {
      if (Date.parse(updatedAt) >= before) continue;
      try {
        await store.deleteClaim({ name, generation, owner });
        count++;
      } catch (error) {
        // The claim has changed since, so it is no longer an old one.
        if (!isContinuoError(error, "fenced")) throw error;
      }
    }
    cursor = page.nextCursor;
  }
  return count;
}
