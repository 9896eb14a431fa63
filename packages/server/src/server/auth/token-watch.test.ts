import type { Store, Token } from "@continuo/core/model";
import { FINAL_CODES } from "@continuo/core/wire";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Grant, LIMITS } from "../context/index.ts";
import { createTokenWatch } from "./token-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PEER = { address: "127.0.0.1", isLoopback: true };

function grantOf(tokenId: string | null, parentId: string | null = null): Grant {
  const page = parentId === null ? null : ({ kind: "tab", parentId } as const);
  return { tokenId, workspaceId: "default", handle: null, page, scopes: [], peer: PEER };
}

/** Stores whose tokens are all active, except those in `ended`; `asked` has the size of each list. */
function tokensWith(ended: ReadonlySet<string>): { tokens: (id: string) => Store; asked: number[] } {
  const asked: number[] = [];
  const listTokens = async ({ tokenIds = [] }: { tokenIds?: readonly string[] }) => {
    asked.push(tokenIds.length);
    const state = (id: string): Token["state"] => (ended.has(id) ? "revoked" : "active");
    return { items: tokenIds.map((tokenId) => ({ tokenId, state: state(tokenId) })), nextCursor: null };
  };
  return { tokens: () => ({ listTokens }) as unknown as Store, asked };
}

test("a connection has ended one second after its token was revoked", () => {
  expect(LIMITS.tokenLookMs + LIMITS.lostMs).toBeLessThan(1_000);
});

test("the holder of a connection is notified once that its token, or the token of its page, was revoked", async () => {
  const ended = new Set<string>();
  const { tokens } = tokensWith(ended);
  using _ending = ending();
  const watch = createTokenWatch(tokens, _ending.signal);
  const lost: string[] = [];
  const names = { own: grantOf("own"), page: grantOf("page", "own"), other: grantOf("other", "else") };
  for (const [name, grant] of Object.entries(names)) watch.watch(grant, ({ code }) => lost.push(name + code));
  watch.watch(grantOf("own"), () => lost.push("left"))[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  expect(lost).toEqual([]);
  ended.add("own");
  await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  expect(lost).toEqual(["ownunauthorized", "pageunauthorized"]);
  await vi.advanceTimersByTimeAsync(10 * LIMITS.tokenLookMs);
  expect(lost).toHaveLength(2);
});

test("ten thousand connections of one token cost one look-up, and those of as many tokens twenty", async () => {
  const { tokens, asked } = tokensWith(new Set());
  using _ending = ending();
  const watch = createTokenWatch(tokens, _ending.signal);
  const open = Array.from({ length: 10_000 }, () => watch.watch(grantOf("one"), () => undefined));
  await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  expect(asked).toEqual([1]);
  for (const one of open) one[Symbol.dispose]();
  for (let id = 0; id < 10_000; id++) watch.watch(grantOf(`t${id}`), () => undefined);
  await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  expect(asked.slice(1)).toEqual(Array.from({ length: 20 }, () => 500));
});

test("a connection that is opened while tokens are looked up is not ended by that look-up", async () => {
  const { tokens, asked } = tokensWith(new Set());
  const answers = Promise.withResolvers<void>();
  const slow = (workspaceId: string): Store => {
    const { listTokens } = tokens(workspaceId);
    return { listTokens: (query) => answers.promise.then(() => listTokens(query)) } as Store;
  };
  using _ending = ending();
  const watch = createTokenWatch(slow, _ending.signal);
  const lost: string[] = [];
  watch.watch(grantOf("early"), () => void lost.push("early"));
  await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  watch.watch(grantOf("late"), () => void lost.push("late"));
  answers.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect([asked, lost]).toEqual([[1], []]);
});

test("without open connections, and without tokens, nothing is looked up", async () => {
  const { tokens, asked } = tokensWith(new Set());
  using _ending = ending();
  const watch = createTokenWatch(tokens, _ending.signal);
  watch.watch(grantOf(null), () => undefined);
  await vi.advanceTimersByTimeAsync(5 * LIMITS.tokenLookMs);
  expect(asked).toEqual([]);
});

test("the holder of a connection learns whether its token has expired, was revoked, or was removed", async () => {
  const states = { late: "expired", out: "revoked" } as const;
  const items = Object.entries(states).map(([tokenId, state]) => ({ tokenId, state }));
  const tokens = (): Store => ({ listTokens: async () => ({ items, nextCursor: null }) }) as unknown as Store;
  using _ending = ending();
  const watch = createTokenWatch(tokens, _ending.signal);
  const lost: unknown[] = [];
  for (const id of ["late", "out", "gone"])
    watch.watch(grantOf(id), ({ message, details }) => void lost.push([message, details]));
  await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  expect(lost).toEqual([
    ["the token has expired", { reason: "expired" }],
    ["the token was revoked", { reason: "revoked" }],
    ["the token was removed", {}],
  ]);
});

/** A store that does not answer: a call fails at once, or never ends. */
function silentStore(kind: "fails" | "hangs"): (id: string) => Store {
  const listTokens = async (): Promise<never> => {
    if (kind === "hangs") await new Promise(() => undefined);
    throw new Error("the database is away");
  };
  return () => ({ listTokens }) as unknown as Store;
}

test("the tokens of each workspace are looked up in that workspace", async () => {
  const known = new Map([
    ["one", "a"],
    ["two", "b"],
  ]);
  const tokens = (workspaceId: string): Store => {
    const listTokens = async ({ tokenIds = [] }: { tokenIds?: readonly string[] }) => {
      const found = tokenIds.filter((id) => known.get(workspaceId) === id);
      return { items: found.map((tokenId) => ({ tokenId, state: "active" })), nextCursor: null };
    };
    return { listTokens } as unknown as Store;
  };
  using _ending = ending();
  const watch = createTokenWatch(tokens, _ending.signal);
  const lost: string[] = [];
  for (const [workspaceId, id] of known)
    watch.watch({ ...grantOf(id), workspaceId }, () => void lost.push(id));
  await vi.advanceTimersByTimeAsync(2 * LIMITS.tokenLookMs);
  expect(lost).toEqual([]);
  known.delete("two");
  await vi.advanceTimersByTimeAsync(2 * LIMITS.tokenLookMs);
  expect(lost).toEqual(["b"]);
});

test("a store that fails for a moment ends no connection", async () => {
  using _ending = ending();
  const watch = createTokenWatch(silentStore("fails"), _ending.signal);
  const onLost = vi.fn();
  watch.watch(grantOf("own"), onLost);
  await vi.advanceTimersByTimeAsync(5 * LIMITS.tokenLookMs);
  expect(onLost).not.toHaveBeenCalled();
});

test.each(["fails", "hangs"] as const)(
  "connections end as unavailable when the store %s for ten seconds, so that clients come again",
  async (kind) => {
    using _ending = ending();
    const watch = createTokenWatch(silentStore(kind), _ending.signal);
    const lost: string[] = [];
    watch.watch(grantOf("own"), ({ code }) => lost.push(code));
    watch.watch(grantOf(null), ({ code }) => lost.push(`no token: ${code}`));
    await vi.advanceTimersByTimeAsync(LIMITS.tokenUnseenMs - LIMITS.tokenLookMs);
    const late: string[] = [];
    watch.watch(grantOf("own"), ({ code }) => late.push(code));
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * LIMITS.tokenLookMs);
    expect([lost, late]).toEqual([["unavailable"], []]);
    await vi.advanceTimersByTimeAsync(LIMITS.tokenUnseenMs);
    expect([lost, late]).toEqual([["unavailable"], ["unavailable"]]);
    expect([LIMITS.tokenUnseenMs, FINAL_CODES.includes("unavailable")]).toEqual([10_000, false]);
  },
);

test("a store that answers again in time ends no connection, however often that happens", async () => {
  const { tokens } = tokensWith(new Set());
  let isAway = true;
  const silent = silentStore("fails");
  using _ending = ending();
  const watch = createTokenWatch((id) => (isAway ? silent(id) : tokens(id)), _ending.signal);
  const onLost = vi.fn();
  watch.watch(grantOf("own"), onLost);
  for (let times = 0; times < 5; times++) {
    isAway = true;
    await vi.advanceTimersByTimeAsync(LIMITS.tokenUnseenMs - LIMITS.tokenLookMs);
    isAway = false;
    await vi.advanceTimersByTimeAsync(LIMITS.tokenLookMs);
  }
  expect(onLost).not.toHaveBeenCalled();
});

test("a store that never answered one call is asked again", async () => {
  const { tokens, asked } = tokensWith(new Set());
  let isAway = true;
  const silent = silentStore("hangs");
  using _ending = ending();
  const watch = createTokenWatch((id) => (isAway ? silent(id) : tokens(id)), _ending.signal);
  watch.watch(grantOf("own"), () => undefined);
  await vi.advanceTimersByTimeAsync(2 * LIMITS.tokenLookMs);
  isAway = false;
  const onLost = vi.fn();
  await vi.advanceTimersByTimeAsync(LIMITS.tokenUnseenMs);
  watch.watch(grantOf("own"), onLost);
  await vi.advanceTimersByTimeAsync(2 * LIMITS.tokenUnseenMs);
  expect(asked.length).toBeGreaterThan(10);
  expect(onLost).not.toHaveBeenCalled();
});

/** The grant of a person about whom the program is asked again. */
function personWith(askAgain: NonNullable<Grant["askAgain"]>): Grant {
  return { ...grantOf("person/ann"), by: "ann", askAgain };
}

test("the program is asked again every five seconds, about the use of the connection, and its no ends it once", async () => {
  using _ending = ending();
  const { tokens, asked } = tokensWith(new Set());
  const watch = createTokenWatch(tokens, _ending.signal);
  let isAllowed = true;
  const askAgain = vi.fn(async () => isAllowed);
  const lost: string[] = [];
  watch.watch(personWith(askAgain), ({ code }) => lost.push(code), { channel: "team" });
  watch.watch(personWith(askAgain), () => lost.push("left"))[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(2 * LIMITS.askAgainMs + 3 * LIMITS.tokenLookMs);
  expect([askAgain.mock.calls, lost]).toEqual([[[{ channel: "team" }], [{ channel: "team" }]], []]);
  isAllowed = false;
  await vi.advanceTimersByTimeAsync(LIMITS.askAgainMs);
  expect(lost).toEqual(["unauthorized"]);
  await vi.advanceTimersByTimeAsync(10 * LIMITS.askAgainMs);
  expect([lost, askAgain.mock.calls.length, asked]).toEqual([["unauthorized"], 3, []]);
  expect(LIMITS.askAgainMs).toBe(5_000);
});

test.each(["fails", "hangs"] as const)(
  "a connection ends as unavailable when the program that is asked %s for ten seconds, and not before",
  async (kind) => {
    using _ending = ending();
    const watch = createTokenWatch(tokensWith(new Set()).tokens, _ending.signal);
    let isAway = true;
    const askAgain = async (): Promise<boolean> => {
      if (isAway && kind === "hangs") await new Promise(() => undefined);
      if (isAway) throw new Error("the program has no database");
      return true;
    };
    const lost: string[] = [];
    watch.watch(personWith(askAgain), ({ code }) => lost.push(code));
    await vi.advanceTimersByTimeAsync(LIMITS.askAgainMs + LIMITS.tokenUnseenMs - LIMITS.tokenLookMs);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(3 * LIMITS.tokenLookMs);
    expect(lost).toEqual(["unavailable"]);
    watch.watch(personWith(askAgain), ({ code }) => lost.push(code));
    await vi.advanceTimersByTimeAsync(LIMITS.askAgainMs - LIMITS.tokenLookMs);
    isAway = false;
    await vi.advanceTimersByTimeAsync(3 * LIMITS.tokenUnseenMs);
    expect(lost).toEqual(["unavailable"]);
  },
);

test("a program that does not answer is asked about a bounded number of connections", async () => {
  using _ending = ending();
  const watch = createTokenWatch(tokensWith(new Set()).tokens, _ending.signal);
  let asked = 0;
  const askAgain = (): Promise<boolean> => {
    asked++;
    return new Promise(() => undefined);
  };
  for (let n = 0; n < LIMITS.askedTogether + 5; n++) watch.watch(personWith(askAgain), () => undefined);
  await vi.advanceTimersByTimeAsync(LIMITS.askAgainMs + 5 * LIMITS.tokenLookMs);
  expect(asked).toBe(LIMITS.askedTogether);
});

function ending(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() };
}
