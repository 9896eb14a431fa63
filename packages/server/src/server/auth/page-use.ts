/**
 * When each page was last used. A page that nothing uses ends; if a token opens too many pages, the one that was used
 * longest ago ends too. All servers of a database share this: each renews a lease of the page now and then, so that a
 * change of the system time ends no page. Servers of an earlier version read the claim of the page.
 */

import { ContinuoError, type Store } from "@continuo/core/model";
import { SERVER_LOGS } from "@continuo/core/wire";
import {
  type Authenticate,
  type Grant,
  LIMITS,
  type PageName,
  type PageUse,
  type Quotas,
} from "../context/index.ts";

/** The prefix of the leases and claims that hold the last use of each page. */
export const PAGE_USES: string = `${SERVER_LOGS}page-uses`;

/** The interval of writes. Another server may consider a page unused this many milliseconds too early. */
const WRITE_MS = LIMITS.pageIdleMs / 8;
const OWNER = "page";

interface KnownPage {
  readonly page: PageName;
  /** This and the next field are times of a clock that nobody can set. */
  usedAt: number;
  writtenAt: number;
  connections: number;
}

interface Surroundings {
  /** A page ends if it was unused for this time. */
  readonly idleMs: number;
  readonly ending: AbortSignal;
  readonly report: (line: string) => void;
}

export function createPageUse(
  tokens: (workspaceId: string) => Store,
  { ending, report, idleMs }: Surroundings,
): PageUse {
  const pages = new Map<string, KnownPage>();
  const see = (page: PageName): KnownPage => {
    const seen = pages.get(page.tokenId) ?? newlyKnown(page);
    if (pages.size >= LIMITS.rememberedTokens) forgetUnconnected(pages);
    pages.set(page.tokenId, seen);
    seen.usedAt = performance.now();
    return seen;
  };
  const write = async (seen: KnownPage): Promise<void> => {
    const { page, usedAt } = seen;
    const store = tokens(page.workspaceId);
    const data = { usedAt: new Date().toISOString() };
    await store.putClaim({ name: nameOf(page), generation: 1, owner: OWNER, status: "used", data });
    await store.acquireLease(nameOf(page), { owner: OWNER, ttlMs: idleMs });
    seen.writtenAt = usedAt;
  };
  const timer = setInterval(async () => {
    for (const { page, connections } of pages.values()) {
      if (connections === 0) continue;
      await write(see(page)).catch((error) => report(`the use of a page was not written down: ${error}`));
    }
  }, WRITE_MS).unref();
  ending.addEventListener("abort", () => clearInterval(timer), { once: true });
  return {
    opened: async (page) => {
      await write(see(page));
      await endTooMany(tokens(page.workspaceId), page);
    },
    used: async (page) => {
      const seen = pages.get(page.tokenId);
      const isKnown =
        seen !== undefined && (seen.connections > 0 || performance.now() - seen.usedAt <= idleMs);
      if (!isKnown) await assertUsed(tokens(page.workspaceId), page, idleMs);
      const now = see(page);
      if (now.usedAt - now.writtenAt > WRITE_MS) await write(now);
    },
    connected: (page) => {
      const seen = see(page);
      seen.connections++;
      return {
        [Symbol.dispose]: () => {
          seen.connections--;
          seen.usedAt = performance.now();
        },
      };
    },
    closed: async (page) => {
      pages.delete(page.tokenId);
      await forget(tokens(page.workspaceId), nameOf(page));
    },
  };
}

/** Each request of a page is a use of it, and so is each open connection. */
export function withPageUse(authenticate: Authenticate, use: PageUse): Authenticate {
  return async (credentials, peer) => {
    const grant = await authenticate(credentials, peer);
    const page = pageOf(grant);
    if (page !== null) await use.used(page);
    return grant;
  };
}

export function withPageConnections(quotas: Quotas, use: PageUse): Quotas {
  return {
    ...quotas,
    connect: (grant, onLost, channel) => {
      const connection = quotas.connect(grant, onLost, channel);
      const page = pageOf(grant);
      if (page === null) return connection;
      const used = use.connected(page);
      let isOpen = true;
      return {
        [Symbol.dispose]: () => {
          if (isOpen) used[Symbol.dispose]();
          isOpen = false;
          connection[Symbol.dispose]();
        },
      };
    },
  };
}

/** `null` for a grant of a token that belongs to no page. */
function pageOf({ tokenId, workspaceId, page }: Grant): PageName | null {
  return tokenId === null || page === null ? null : { tokenId, workspaceId, parentId: page.parentId };
}

/** The first use that this server sees is written down, however young its process is. */
function newlyKnown(page: PageName): KnownPage {
  return { page, usedAt: performance.now(), writtenAt: Number.NEGATIVE_INFINITY, connections: 0 };
}

function nameOf({ parentId, tokenId }: PageName): string {
  return `${PAGE_USES}/${parentId}/${tokenId}`;
}

function forgetUnconnected(pages: Map<string, KnownPage>): void {
  for (const [tokenId, { connections }] of pages) if (connections === 0) pages.delete(tokenId);
}

/** Errors: `unauthorized`. */
async function assertUsed(store: Store, page: PageName, idleMs: number): Promise<void> {
  if (await isUsed(store, page, idleMs)) return;
  await store.revokeToken(page.tokenId);
  throw new ContinuoError("unauthorized", "the page was not used for too long", {
    hint: "Open the page again.",
  });
}

/** A page that a server of an earlier version opened has no lease; an even earlier one wrote no claim either. */
async function isUsed(store: Store, page: PageName, idleMs: number): Promise<boolean> {
  const { items } = await store.listLeases({ prefix: nameOf(page), limit: 1 });
  const [lease] = items;
  if (lease !== undefined) return lease.state === "held";
  const claim = await store.getClaim(nameOf(page));
  const { usedAt } = (claim?.data ?? {}) as { readonly usedAt?: unknown };
  return claim === null || Date.now() - Date.parse(String(usedAt)) <= idleMs;
}

/** Ends the pages of this token beyond the limit. The new page counts as the last one that was used. */
async function endTooMany(store: Store, { parentId }: PageName): Promise<void> {
  const { items } = await store.listLeases({ prefix: `${PAGE_USES}/${parentId}/`, limit: 1_000 });
  const newestFirst = items.toSorted((a, b) => Date.parse(b.expiresAt) - Date.parse(a.expiresAt));
  for (const { name } of newestFirst.slice(LIMITS.pagesOfToken)) {
    await store.revokeToken(name.slice(name.lastIndexOf("/") + 1));
    await forget(store, name);
  }
}

async function forget(store: Store, name: string): Promise<void> {
  await store.deleteClaim({ name, generation: 1, owner: OWNER });
  const lease = await store.getLease(name);
  if (lease !== null) await store.releaseLease(lease);
}
