import { expect, test } from "vitest";
import { openCommand, parseRoute, sessionLink } from "./route.ts";

test.each([
  ["", { page: "list" }],
  ["#/", { page: "list" }],
  ["#/health", { page: "health" }],
  ["#/channels", { page: "channels", name: null }],
  ["#/channels/", { page: "channels", name: null }],
  ["#/channels/a%20b%2F", { page: "channels", name: "a b/" }],
  ["#/live", { page: "live", key: null, at: null }],
  ["#/live/a%2Fb", { page: "live", key: "a/b", at: null }],
  ["#/live/a/at/17", { page: "live", key: "a", at: 17 }],
  ["#/live/a/at/-1", { page: "live", key: "a", at: null }],
  ["#/session", { page: "list" }],
  ["#/session/a%2Fb", { page: "session", key: "a/b", turn: null, tab: "conversation" }],
  ["#/session/a/turn/7", { page: "session", key: "a", turn: 7, tab: "conversation" }],
  ["#/session/a/turn/x", { page: "session", key: "a", turn: null, tab: "conversation" }],
  ["#/session/a/files", { page: "session", key: "a", turn: null, tab: "files" }],
  ["#/session/%E0%A4%A", { page: "session", key: "%E0%A4%A", turn: null, tab: "conversation" }],
])("the address %j", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

test("a link leads to its session, whatever its key contains", () => {
  const key = "continuo:a/b#c?d %";
  expect(parseRoute(sessionLink(key, "turn/3"))).toEqual({
    page: "session",
    key,
    turn: 3,
    tab: "conversation",
  });
});

const ORIGIN = "http://127.0.0.1:4748";

test("the command that opens a page again has its address", () => {
  const address = `${ORIGIN}/#/session/claude%3A4bf3/turn/7`;
  expect(openCommand(address)).toBe(`continuo view '${address}'`);
  expect(openCommand(`${ORIGIN}/`)).toBe(`continuo view '${ORIGIN}/'`);
  expect(openCommand(`${ORIGIN}/#/${"x".repeat(3_000)}`)).toBe(`continuo view '${ORIGIN}'`);
});

test.each([
  "#/session/x'; echo stolen; '",
  '#/x" `echo stolen` $(echo stolen)\n echo stolen',
  "#/x\u202e\u0000ö\\'; echo stolen #",
])("a link with %j makes no command of its own, because the address stays one quoted word", (hash) => {
  expect(openCommand(`${ORIGIN}/${hash}`)).toMatch(
    /^continuo view 'http:\/\/127\.0\.0\.1:4748\/#[!-&(-~]*'$/u,
  );
});
