/**
 * Watches the tokens of open connections. Connections stay open for days, and end within a second of a revocation. If
 * the store does not answer for `tokenUnseenMs` (10 s), they end too; clients connect again. A program that authorizes
 * people itself is asked again every `askAgainMs` (5 s), with the same two ends.
 */

import { setImmediate } from "node:timers/promises";
import { ContinuoError, present, type Store, type Token } from "@continuo/core/model";
import { type ConnectionUse, type Grant, LIMITS, type OnLost } from "../context/index.ts";

export interface TokenWatch {
  /**
   * Calls `onLost` once: with `unauthorized` and `details.reason` when the token or the token of its page was `revoked`
   * or has `expired`, with `unavailable` when that could not be looked up for `tokenUnseenMs`. It is `unauthorized`,
   * too, when the program no longer authorizes the person.
   */
  watch(grant: Grant, onLost: OnLost, use?: ConnectionUse): Disposable;
}

interface Watcher {
  readonly workspaceId: string;
  readonly tokenIds: readonly string[];
  readonly onLost: OnLost;
  /** The last round in which its tokens were active. */
  seenIn: number;
}

/** A connection of a person whom the program authorized. */
interface Authorized {
  readonly ask: () => Promise<boolean>;
  readonly onLost: OnLost;
  /** The last round in which the program allowed the connection. */
  allowedIn: number;
  /** The round of the first question since then; `null` if none was asked. */
  askedIn: number | null;
}

const ASKING_ROUNDS = LIMITS.askAgainMs / LIMITS.tokenLookMs;
/** The number of rounds that a connection stays open without an answer of the store. */
const UNSEEN_ROUNDS = LIMITS.tokenUnseenMs / LIMITS.tokenLookMs;

/** @param ending aborts when watching must end */
export function createTokenWatch(tokens: (workspaceId: string) => Store, ending: AbortSignal): TokenWatch {
  const watchers = new Set<Watcher>();
  const people = new Set<Authorized>();
  const asking = new Set<Authorized>();
  /** The round in which the running look-up began; 0 if none runs. */
  let looking = 0;
  // Counts rounds instead of time, because the store was not asked while this process did not run.
  let round = 0;
  const timer = setInterval(async () => {
    round++;
    const before = round - UNSEEN_ROUNDS;
    await endAll(people, ({ askedIn }) => (askedIn !== null && askedIn < before ? unseen() : null));
    askPrograms({ people, asking, round });
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
    watch: ({ workspaceId, tokenId, page, by, askAgain }, onLost, use = {}) => {
      if (askAgain !== undefined) {
        const person = { ask: () => askAgain(use), onLost, allowedIn: round, askedIn: null };
        people.add(person);
        return { [Symbol.dispose]: () => void people.delete(person) };
      }
      // The person was authorized by the program, and has no token of the store.
      const tokenIds = by === undefined ? [tokenId, page?.parentId ?? null].filter((id) => id !== null) : [];
      const watcher = { workspaceId, tokenIds, onLost, seenIn: round };
      if (tokenIds.length > 0) watchers.add(watcher);
      return { [Symbol.dispose]: () => void watchers.delete(watcher) };
    },
  };
}

interface Questions {
  readonly people: Set<Authorized>;
  /** The connections about which the program is being asked. */
  readonly asking: Set<Authorized>;
  readonly round: number;
}

function askPrograms({ people, asking, round }: Questions): void {
  for (const person of asking) if (!people.has(person)) asking.delete(person);
  for (const person of people) {
    if (asking.size >= LIMITS.askedTogether) return;
    if (asking.has(person) || round - person.allowedIn < ASKING_ROUNDS) continue;
    asking.add(person);
    person.askedIn ??= round;
    void askProgram(person, { people, round }).finally(() => asking.delete(person));
  }
}

/** A program that cannot answer is asked again in the next round. */
async function askProgram(person: Authorized, { people, round }: Omit<Questions, "asking">): Promise<void> {
  const isAllowed = await person.ask().catch(() => null);
  if (isAllowed === null) return;
  person.allowedIn = round;
  person.askedIn = null;
  if (!isAllowed && people.delete(person)) person.onLost(disallowed());
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
async function endAll<Watched extends { readonly onLost: OnLost }>(
  watchers: Set<Watched>,
  reasonOf: (watcher: Watched) => ContinuoError | null,
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

function disallowed(): ContinuoError {
  return new ContinuoError("unauthorized", "the program no longer allows this connection", {
    hint: "Log in again.",
  });
}

function unseen(): ContinuoError {
  return new ContinuoError("unavailable", "the token cannot be looked up now", {
    hint: "Connect again: the server lets the token in when its store answers.",
  });
}
