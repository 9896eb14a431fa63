/**
 * Watches the tokens of open connections. Connections stay open for days, and end within a second of a revocation. If
 * the store does not answer for `tokenUnseenMs` (10 s), they end too; clients connect again.
 */

import { setImmediate } from "node:timers/promises";
import { ContinuoError, present, type Store, type Token } from "@continuo/core/model";
import { type Grant, LIMITS, type OnLost } from "../context/index.ts";

export interface TokenWatch {
  /**
   * Calls `onLost` once: with `unauthorized` and `details.reason` when the token or the token of its page was `revoked`
   * or has `expired`, with `unavailable` when that could not be looked up for `tokenUnseenMs`.
   */
  watch(grant: Grant, onLost: OnLost): Disposable;
}

interface Watcher {
  readonly workspaceId: string;
  readonly tokenIds: readonly string[];
  readonly onLost: OnLost;
  /** The last round in which its tokens were active. */
  seenIn: number;
}

/** The number of rounds that a connection stays open without an answer of the store. */
const UNSEEN_ROUNDS = LIMITS.tokenUnseenMs / LIMITS.tokenLookMs;

/** @param ending aborts when watching must end */
export function createTokenWatch(tokens: (workspaceId: string) => Store, ending: AbortSignal): TokenWatch {
  const watchers = new Set<Watcher>();
  /** The round in which the running look-up began; 0 if none runs. */
  let looking = 0;
  // Counts rounds instead of time, because the store was not asked while this process did not run.
  let round = 0;
  const timer = setInterval(async () => {
    round++;
    const before = round - UNSEEN_ROUNDS;
    await endAll(watchers, ({ seenIn }) => (seenIn < before ? unseen() : null));
    // A look-up without an answer for this time is given up, and another one begins.
    if (watchers.size === 0 || (looking > 0 && looking >= before)) return;
    const own = round;
    looking = own;
    // A store that is unavailable for a moment is asked again.
    await look(watchers, { tokens, round }).catch(() => undefined);
    if (looking === own) looking = 0;
  }, LIMITS.tokenLookMs).unref();
  ending.addEventListener("abort", () => clearInterval(timer), { once: true });
  return {
    watch: ({ workspaceId, tokenId, page, by }, onLost) => {
      // The person was authorized by the program, and has no token of the store.
      const tokenIds = by === undefined ? [tokenId, page?.parentId ?? null].filter((id) => id !== null) : [];
      const watcher = { workspaceId, tokenIds, onLost, seenIn: round };
      if (tokenIds.length > 0) watchers.add(watcher);
      return { [Symbol.dispose]: () => void watchers.delete(watcher) };
    },
  };
}

interface Look {
  readonly tokens: (workspaceId: string) => Store;
  readonly round: number;
}

async function look(watchers: Set<Watcher>, { tokens, round }: Look): Promise<void> {
  const ids = Map.groupBy(
    [...watchers].flatMap(({ workspaceId, tokenIds }) => tokenIds.map((id) => ({ workspaceId, id }))),
    ({ workspaceId }) => workspaceId,
  );
  const states = new Map<string, Token["state"]>();
  const looked = new Set<string>();
  for (const [workspaceId, found] of ids) {
    const all = [...new Set(found.map(({ id }) => id))];
    for (let from = 0; from < all.length; from += LIMITS.tokensPerLook) {
      const tokenIds = all.slice(from, from + LIMITS.tokensPerLook);
      const { items } = await tokens(workspaceId).listTokens({ tokenIds, limit: LIMITS.tokensPerLook });
      for (const id of tokenIds) looked.add(id);
      for (const { tokenId, state } of items) states.set(tokenId, state);
    }
  }
  await endAll(watchers, (watcher) => {
    // Connections that are opened in the meantime are checked in the next round.
    const ended = watcher.tokenIds.find((id) => looked.has(id) && states.get(id) !== "active");
    if (ended !== undefined) return lost(states.get(ended));
    watcher.seenIn = Math.max(watcher.seenIn, round);
    return null;
  });
}

/** Ends a few connections at a time, so that other work does not wait. */
async function endAll(
  watchers: Set<Watcher>,
  reasonOf: (watcher: Watcher) => ContinuoError | null,
): Promise<void> {
  let ended = 0;
  for (const watcher of watchers) {
    const reason = reasonOf(watcher);
    if (reason === null) continue;
    watchers.delete(watcher);
    watcher.onLost(reason);
    if (++ended % LIMITS.endedAtOnce === 0) await setImmediate();
  }
}

/** @param state `undefined` for a token that is no longer in the store */
function lost(state: Token["state"] | undefined): ContinuoError {
  const end = state === "revoked" ? "was revoked" : state === "expired" ? "has expired" : "was removed";
  return new ContinuoError("unauthorized", `the token ${end}`, { details: present({ reason: state }) });
}

function unseen(): ContinuoError {
  return new ContinuoError("unavailable", "the token cannot be looked up now", {
    hint: "Connect again: the server lets the token in when its store answers.",
  });
}
