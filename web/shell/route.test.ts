import { afterEach, expect, test, vi } from "vitest";
import { followAddress, goTo, parseRoute, route, sessionLink, writeAddress } from "./route.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ["", { page: "list" }],
  ["#/", { page: "list" }],
  ["#/?text=a%2Fb&project=/session/x", { page: "list" }],
  ["#/health", { page: "health" }],
  ["#/inbox", { page: "inbox" }],
  ["#/usage?days=7", { page: "usage" }],
  ["#/files/%2Fw%2Fa%20b.ts", { page: "file", path: "/w/a b.ts" }],
  ["#/files", { page: "unknown" }],
  ["#/health2", { page: "unknown" }],
  ["#/nothing/here?text=tea", { page: "unknown" }],
  ["#/session/a/turn/7?view=model", { page: "session", key: "a", turn: 7, tab: "conversation" }],
  ["#/channels", { page: "channels", name: null }],
  ["#/channels/", { page: "channels", name: null }],
  ["#/channels/a%20b%2F", { page: "channels", name: "a b/" }],
  ["#/live", { page: "live", key: null, at: null }],
  ["#/live/a%2Fb", { page: "live", key: "a/b", at: null }],
  ["#/live/a/at/17", { page: "live", key: "a", at: 17 }],
  ["#/live/a/at/-1", { page: "live", key: "a", at: null }],
  ["#/live/a/to/17", { page: "unknown" }],
  ["#/inbox/", { page: "inbox" }],
  ["#/inbox/here", { page: "unknown" }],
  ["#/channels/a/b", { page: "unknown" }],
  ["#/compare/a/b/at/7", { page: "compare", left: "a", right: "b" }],
  ["#/compare/a", { page: "unknown" }],
  ["#/session", { page: "unknown" }],
  ["#/session/a/", { page: "session", key: "a", turn: null, tab: "conversation" }],
  ["#/session/a/nothing", { page: "unknown" }],
  ["#/session/a/files/b", { page: "unknown" }],
  ["#/session/a/film/12", { page: "session", key: "a", turn: null, tab: "film" }],
  ["#/session/a/turn/7/b", { page: "unknown" }],
  ["#/session/a/turn", { page: "unknown" }],
  ["#/session/a%2Fb", { page: "session", key: "a/b", turn: null, tab: "conversation" }],
  ["#/session/a/turn/7", { page: "session", key: "a", turn: 7, tab: "conversation" }],
  ["#/session/a/turn/x", { page: "unknown" }],
  ["#/session/a/files", { page: "session", key: "a", turn: null, tab: "files" }],
  ["#/session/%E0%A4%A", { page: "session", key: "%E0%A4%A", turn: null, tab: "conversation" }],
])("the address %j", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

test("a link leads to its session, whatever characters its key has", () => {
  const key = "continuo:a/b#c?d %";
  expect(parseRoute(sessionLink(key, "turn/3"))).toEqual({
    page: "session",
    key,
    turn: 3,
    tab: "conversation",
  });
});

test("a page writes into its own address, and not into one that the browser names before it is read", () => {
  const place = { hash: "#/" };
  const told: (() => void)[] = [];
  vi.stubGlobal("location", place);
  vi.stubGlobal("addEventListener", (_: string, listener: () => void) => told.push(listener));
  vi.stubGlobal("history", { replaceState: (_: null, __: string, link: string) => (place.hash = link) });
  followAddress();
  goTo("#/session/a");
  writeAddress("#/session/a/turn/3");
  expect(place.hash).toBe("#/session/a/turn/3");
  place.hash = "#/session/a/turn/1";
  writeAddress("#/session/a/turn/4");
  expect(place.hash).toBe("#/session/a/turn/1");
  for (const tell of told) tell();
  expect(route.value).toEqual({ page: "session", key: "a", turn: 1, tab: "conversation" });
  writeAddress("#/session/a/turn/2");
  expect(place.hash).toBe("#/session/a/turn/2");
});
