/**
 * When each page was last used. A page that nothing uses ends; so does the one that was used longest ago, if its token opens one
 * page too many. All servers of a database share this: each writes down now and then which pages it saw.
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

/** The prefix of the claims that hold the last use of each page. */
export const PAGE_USES: string = `${SERVER_LOGS}page-uses`;

/** Another server may take a page for unused so much too early. */
const WRITE_MS = LIMITS.pageIdleMs / 8;
const OWNER = "page";

interface KnownPage {
  readonly page: PageName;
  usedAt: number;
  writtenAt: number;
  connections: number;
}

interface Surroundings {
  readonly ending: AbortSignal;
  readonly report: (line: string) => void;
}

export function createPageUse(
  tokens: (workspaceId: string) => Store,
  { ending, report }: Surroundings,
): PageUse {
  const pages = new Map<string, KnownPage>();
  const see = (page: PageName): KnownPage => {
    const seen = pages.get(page.tokenId) ?? { page, usedAt: 0, writtenAt: 0, connections: 0 };
    if (pages.size >= LIMITS.rememberedTokens) forgetUnconnected(pages);
    pages.set(page.tokenId, seen);
    seen.usedAt = Date.now();
    return seen;
  };
  const write = async (seen: KnownPage): Promise<void> => {
    const { page, usedAt } = seen;
    const data = { usedAt: new Date(usedAt).toISOString() };
    const claim = { name: nameOf(page), generation: 1, owner: OWNER, status: "used", data };
    await tokens(page.workspaceId).putClaim(claim);
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
        seen !== undefined && (seen.connections > 0 || Date.now() - seen.usedAt <= LIMITS.pageIdleMs);
      if (!isKnown) await assertUsed(tokens(page.workspaceId), page);
      const now = see(page);
      if (now.usedAt - now.writtenAt > WRITE_MS) await write(now);
    },
    connected: (page) => {
      const seen = see(page);
      seen.connections++;
      return {
        [Symbol.dispose]: () => {
          seen.connections--;
          seen.usedAt = Date.now();
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

/** `null` for a grant of a token that is no page's. */
export function pageOf({ tokenId, workspaceId, page }: Grant): PageName | null {
  return tokenId === null || page === null ? null : { tokenId, workspaceId, parentId: page.parentId };
}

function nameOf({ parentId, tokenId }: PageName): string {
  return `${PAGE_USES}/${parentId}/${tokenId}`;
}

function forgetUnconnected(pages: Map<string, KnownPage>): void {
  for (const [tokenId, { connections }] of pages) if (connections === 0) pages.delete(tokenId);
}

/** Errors: `unauthorized`. A page that another version of the server opened has no claim yet. */
async function assertUsed(store: Store, page: PageName): Promise<void> {
  const claim = await store.getClaim(nameOf(page));
  if (claim === null || Date.now() - usedAtOf(claim) <= LIMITS.pageIdleMs) return;
  await store.revokeToken(page.tokenId);
  throw new ContinuoError("unauthorized", "the page was not used for too long", {
    hint: "Open the page again.",
  });
}

/** Ends the pages of this token beyond the limit; the new one is among those that were used last. */
async function endTooMany(store: Store, { parentId }: PageName): Promise<void> {
  const { items } = await store.listClaims({ prefix: `${PAGE_USES}/${parentId}/`, limit: 1_000 });
  const newestFirst = items.toSorted((a, b) => usedAtOf(b) - usedAtOf(a));
  for (const { name } of newestFirst.slice(LIMITS.pagesOfToken)) {
    await store.revokeToken(name.slice(name.lastIndexOf("/") + 1));
    await forget(store, name);
  }
}

async function forget(store: Store, name: string): Promise<void> {
  await store.deleteClaim({ name, generation: 1, owner: OWNER });
}

function usedAtOf({ data }: { readonly data: unknown }): number {
  return Date.parse(String((data as { readonly usedAt?: unknown } | null)?.usedAt));
}
