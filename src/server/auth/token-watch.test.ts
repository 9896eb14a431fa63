import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store, Token } from "../../model/index.ts";
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

test("the holder of a connection hears once that its token, or the token of its page, was revoked", async () => {
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

test("without open connections, and without tokens, nothing is looked up", async () => {
  const { tokens, asked } = tokensWith(new Set());
  using _ending = ending();
  const watch = createTokenWatch(tokens, _ending.signal);
  watch.watch(grantOf(null), () => undefined);
  await vi.advanceTimersByTimeAsync(5 * LIMITS.tokenLookMs);
  expect(asked).toEqual([]);
});

test("a store that does not answer ends no connection", async () => {
  const listTokens = async () => {
    throw new Error("the database is away");
  };
  using _ending = ending();
  const watch = createTokenWatch(() => ({ listTokens }) as unknown as Store, _ending.signal);
  const onLost = vi.fn();
  watch.watch(grantOf("own"), onLost);
  await vi.advanceTimersByTimeAsync(5 * LIMITS.tokenLookMs);
  expect(onLost).not.toHaveBeenCalled();
});

function ending(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() };
}
