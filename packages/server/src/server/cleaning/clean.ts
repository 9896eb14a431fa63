/** Removes what has expired, workspace by workspace. */

import { isContinuoError, listAll, type Store } from "@continuo/core/model";
import { PROCESS_PREFIX } from "@continuo/store/channels";
import { PAGE_USES, USED_CODES } from "../auth/index.ts";
import { STORED_BLOBS } from "../blobs/index.ts";
import { LIMITS } from "../context/index.ts";

/** Expired tokens stay in lists for this time. */
const KEPT_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
/** After a day, used codes and unused pages of a computer have expired. The lease of a phone's page keeps the page. */
const CODES_KEPT_MS = DAY_MS;
/**
 * The time within which the author of an attachment may refer to it: without a reference it expires at the end of this
 * time.
 */
const OWNERS_KEPT_MS = LIMITS.blobMs;
/** A released lease stays for this time, so that a holder that returns later is fenced too. */
const RELEASED_KEPT_MS = DAY_MS;
/**
 * The prefixes of leases that killed processes of runs left, and of records of servers' processes. The leases of
 * pages have an age limit of their own; all other leases are released when somebody finds them expired.
 */
const LEFT_LEASES = ["session/", "run/", PROCESS_PREFIX];
const LEFT_KEPT_MS = 30 * DAY_MS;

export interface CleaningCounts {
  readonly logs: number;
  readonly tokens: number;
  readonly codes: number;
  readonly leases: number;
  /** Attachments that no event refers to. */
  readonly blobs: number;
}

export async function cleanAll(store: Store, { now }: { readonly now: number }): Promise<CleaningCounts> {
  const total = { logs: 0, tokens: 0, codes: 0, leases: 0, blobs: 0 };
  for (const workspaceId of await store.listWorkspaces()) {
    const own = store.forWorkspace(workspaceId);
    total.logs += await own.removeExpired();
    total.tokens += await own.removeTokens({ endedBefore: new Date(now - KEPT_MS).toISOString() });
    total.codes += await forgetClaims(own, USED_CODES, now - CODES_KEPT_MS);
    await forgetClaims(own, PAGE_USES, now - CODES_KEPT_MS);
    await forgetClaims(own, STORED_BLOBS, now - OWNERS_KEPT_MS);
    total.blobs += (await own.collectBlobs({ only: "expired" })).removed;
    total.leases += await removeLeases(own);
  }
  return total;
}

async function removeLeases(store: Store): Promise<number> {
  let count = await store.removeLeases({ state: "released", endedForMs: RELEASED_KEPT_MS });
  for (const prefix of LEFT_LEASES) {
    count += await store.removeLeases({ state: "expired", endedForMs: LEFT_KEPT_MS, prefix });
  }
  count += await store.removeLeases({ state: "expired", endedForMs: CODES_KEPT_MS, prefix: `${PAGE_USES}/` });
  return count;
}

async function forgetClaims(store: Store, prefix: string, before: number): Promise<number> {
  let count = 0;
  const claims = listAll((place) => store.listClaims({ prefix: `${prefix}/`, limit: 1_000, ...place }));
  for await (const { name, generation, owner, updatedAt } of claims) {
    if (Date.parse(updatedAt) >= before) continue;
    try {
      await store.deleteClaim({ name, generation, owner });
      count++;
    } catch (error) {
      // The claim has changed since it was listed, so it is no longer an old one.
      if (!isContinuoError(error, "fenced")) throw error;
    }
  }
  return count;
}
