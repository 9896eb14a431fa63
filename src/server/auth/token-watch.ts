/** Whether the tokens of open connections still count: they stay open for days, and end within a second of a revocation. */

import { setImmediate } from "node:timers/promises";
import { ContinuoError, type Store } from "../../model/index.ts";
import { type Grant, LIMITS, type OnLost } from "../context/index.ts";

export interface TokenWatch {
  /** Calls `onLost` once, when the token or the token of its page was revoked or has expired. */
  watch(grant: Grant, onLost: OnLost): Disposable;
}

interface Watcher {
  readonly workspaceId: string;
  readonly tokenIds: readonly string[];
  readonly onLost: OnLost;
}

/** @param ending aborts when nothing is to be watched any more */
export function createTokenWatch(tokens: (workspaceId: string) => Store, ending: AbortSignal): TokenWatch {
  const watchers = new Set<Watcher>();
  let isLooking = false;
  const timer = setInterval(async () => {
    if (watchers.size === 0 || isLooking) return;
    isLooking = true;
    // A store that is unavailable for a moment is asked again.
    await look(watchers, tokens).catch(() => undefined);
    isLooking = false;
  }, LIMITS.tokenLookMs).unref();
  ending.addEventListener("abort", () => clearInterval(timer), { once: true });
  return {
    watch: ({ workspaceId, tokenId, page }, onLost) => {
      const tokenIds = [tokenId, page?.parentId ?? null].filter((id) => id !== null);
      const watcher = { workspaceId, tokenIds, onLost };
      if (tokenIds.length > 0) watchers.add(watcher);
      return { [Symbol.dispose]: () => void watchers.delete(watcher) };
    },
  };
}

async function look(watchers: Set<Watcher>, tokens: (workspaceId: string) => Store): Promise<void> {
  const ids = Map.groupBy(
    [...watchers].flatMap(({ workspaceId, tokenIds }) => tokenIds.map((id) => ({ workspaceId, id }))),
    ({ workspaceId }) => workspaceId,
  );
  const active = new Set<string>();
  const looked = new Set<string>();
  for (const [workspaceId, found] of ids) {
    const all = [...new Set(found.map(({ id }) => id))];
    for (let from = 0; from < all.length; from += LIMITS.tokensPerLook) {
      const tokenIds = all.slice(from, from + LIMITS.tokensPerLook);
      const { items } = await tokens(workspaceId).listTokens({ tokenIds, limit: LIMITS.tokensPerLook });
      for (const id of tokenIds) looked.add(id);
      for (const { tokenId, state } of items) if (state === "active") active.add(tokenId);
    }
  }
  let ended = 0;
  for (const watcher of watchers) {
    // Connections that came meanwhile are for the next round.
    if (watcher.tokenIds.every((id) => active.has(id) || !looked.has(id))) continue;
    watchers.delete(watcher);
    watcher.onLost(new ContinuoError("unauthorized", "the token has expired or was revoked"));
    if (++ended % LIMITS.endedAtOnce === 0) await setImmediate();
  }
}
