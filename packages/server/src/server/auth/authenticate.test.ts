import type { Store, Token } from "@continuo/core/model";
import { pageLabel } from "@continuo/core/wire";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Peer } from "../context/index.ts";
import { createAuthenticate } from "./authenticate.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

const PEER: Peer = { address: "203.0.113.7", isLoopback: false };

interface Known {
  token: Token | null;
  parent: "active" | "revoked";
  asked: number;
}

function authenticating(more: Partial<Token> = {}): {
  readonly known: Known;
  readonly ask: (sentAs?: "header" | "cookie", peer?: Peer) => Promise<unknown>;
} {
  const token = {
    tokenId: "t",
    workspaceId: "w",
    handle: null,
    label: null,
    scopes: ["admin"],
    state: "active",
    issuedFrom: "network",
    expiresAt: null,
    ...more,
  } as unknown as Token;
  const known: Known = { token, parent: "active", asked: 0 };
  const store = {
    authenticate: async () => {
      known.asked += 1;
      return known.token;
    },
    forWorkspace: () => ({ getToken: async () => ({ state: known.parent }) }),
  } as unknown as Store;
  const authenticate = createAuthenticate(store);
  const ask = async (sentAs: "header" | "cookie" = "header", peer: Peer = PEER): Promise<unknown> =>
    await authenticate({ secret: "secret", sentAs }, peer).catch(({ code }) => code);
  return { known, ask };
}

test("the store is asked about a token once a second, and a revoked token is no longer accepted after that", async () => {
  const { known, ask } = authenticating();
  expect(await ask()).toMatchObject({ tokenId: "t" });
  known.token = null;
  vi.advanceTimersByTime(900);
  expect(await ask()).toMatchObject({ tokenId: "t" });
  vi.advanceTimersByTime(200);
  expect([await ask(), known.asked]).toEqual(["unauthorized", 2]);
});

test("a remembered token expires at its own time", async () => {
  const expiresAt = new Date(Date.now() + 300).toISOString();
  const { known, ask } = authenticating({ expiresAt });
  expect(await ask()).toMatchObject({ tokenId: "t" });
  known.token = null;
  vi.advanceTimersByTime(400);
  expect(await ask()).toBe("unauthorized");
});

test("a page ends with the token that opened it, and is accepted only in the way in which it must be sent", async () => {
  const tab = authenticating({ label: pageLabel({ kind: "tab", parentId: "parent" }) });
  expect([await tab.ask(), await tab.ask("cookie")]).toMatchObject([{ tokenId: "t" }, "unauthorized"]);
  tab.known.parent = "revoked";
  vi.advanceTimersByTime(1_100);
  expect(await tab.ask()).toBe("unauthorized");
  const cookie = authenticating({ label: pageLabel({ kind: "cookie", parentId: "parent" }) });
  expect([await cookie.ask("cookie"), await cookie.ask()]).toMatchObject([{ tokenId: "t" }, "unauthorized"]);
  const code = authenticating({ label: pageLabel({ kind: "code", parentId: "parent" }) });
  expect([await code.ask(), await code.ask("cookie")]).toEqual(["unauthorized", "unauthorized"]);
});

test("only a token that was issued on this machine reaches the machine", async () => {
  const scopes = ["machine:read,write", "channel:*:read", "a later version's:read"];
  const scopesOf = async (issuedFrom: Token["issuedFrom"]): Promise<unknown> => {
    const grant = await authenticating({ scopes, issuedFrom }).ask();
    return (grant as { readonly scopes: readonly { readonly kind: string }[] }).scopes.map(
      ({ kind }) => kind,
    );
  };
  expect(await scopesOf("network")).toEqual(["channel"]);
  expect(await scopesOf("loopback")).toEqual(["machine", "channel"]);
});

test("a client that guesses is limited, whichever addresses of its network it uses", async () => {
  const { known, ask } = authenticating();
  known.token = null;
  const guess = (address: string): Promise<unknown> => ask("header", { address, isLoopback: false });
  for (let n = 1; n <= 20; n++) expect(await guess(`2001:db8::${n}`)).toBe("unauthorized");
  expect(await guess("2001:db8::99")).toBe("rate_limited");
  expect(await guess("2001:db8:0:1::1")).toBe("unauthorized");
});
