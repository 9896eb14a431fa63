import { expect, test } from "vitest";
import { ContinuoError } from "../model/index.ts";
import { errorFromWire, toWireError } from "./errors.ts";
import { addressOf, isName, pathOfLog } from "./paths.ts";
import { allows, formatScope, parseScope, readOnly } from "./scopes.ts";

test("a scope is read, written and read again", () => {
  for (const text of [
    "channel:team:read,write",
    "session:0190-ab:c*:read",
    "live:*:write",
    "stream:a/b/*:read",
    "approval:ann:write",
    "chat:customer-7:read,write",
    "machine:read",
    "machine:read,write",
    "metrics",
    "admin",
  ]) {
    expect(formatScope(parseScope(text))).toBe(text);
  }
});

test("a text that is not a scope is a usage error", () => {
  for (const text of [
    "",
    "channel",
    "channel:team",
    "channel::read",
    "channel:a*b:read",
    "machine",
    "machine:x:read",
    "admin:read",
    "other:a:read",
    "channel:a:read,",
    "channel:a\n:read",
  ]) {
    expect(() => parseScope(text), text).toThrow(expect.objectContaining({ code: "usage" }));
  }
});

test("a scope allows its own name, its prefix and its access, and nothing else", () => {
  const scopes = ["channel:team:read", "session:app-*:read,write"].map(parseScope);
  expect(allows(scopes, { kind: "channel", name: "team", access: "read" })).toBe(true);
  expect(allows(scopes, { kind: "channel", name: "team", access: "write" })).toBe(false);
  expect(allows(scopes, { kind: "channel", name: "team2", access: "read" })).toBe(false);
  expect(allows(scopes, { kind: "session", name: "app-1", access: "write" })).toBe(true);
  expect(allows(scopes, { kind: "session", name: "ap", access: "read" })).toBe(false);
  expect(allows(scopes, { kind: "stream", name: "team", access: "read" })).toBe(false);
  expect(allows(scopes, { kind: "machine", access: "read" })).toBe(false);
  expect(allows(scopes, { kind: "admin" })).toBe(false);
});

test("admin allows every log and no native session", () => {
  const scopes = [parseScope("admin")];
  expect(allows(scopes, { kind: "channel", name: "team", access: "write" })).toBe(true);
  expect(allows(scopes, { kind: "admin" })).toBe(true);
  expect(allows(scopes, { kind: "machine", access: "read" })).toBe(false);
});

test("no two paths lead to one log", () => {
  const paths = [
    "channels/team",
    "sessions/0190",
    "a",
    "a/b",
    "streams/a",
    "server/keys",
    "0190",
    "channel/team",
  ];
  const ids = paths.map((path) => addressOf(path).logId);
  expect(new Set(ids).size).toBe(paths.length);
  expect(ids.map(pathOfLog)).toEqual(paths);
});

test("no path leads to a log of the server", () => {
  expect(pathOfLog("server/subscriptions")).toBe(null);
  expect(addressOf("server/subscriptions").logId).toBe("streams/server/subscriptions");
});

test("a path that names no log is invalid", () => {
  for (const path of [
    "",
    "/a",
    "channels/",
    "channels/a/b",
    "channels/a:b",
    "channels/..",
    "channels/a\u0000",
    "sessions/",
    "sessions/a/b",
    "sessions/server/keys",
  ]) {
    expect(() => addressOf(path), path).toThrow(expect.objectContaining({ code: "invalid" }));
  }
});

test("a name has no colon, slash, control character or lone surrogate", () => {
  expect(["team", "ä b", "a.b", "@x"].map(isName)).toEqual([true, true, true, true]);
  expect(["", " a", "a:b", "a/b", "a\n", "\ud800", ".", "..", "x".repeat(129), 7].some(isName)).toBe(false);
});

test("an error survives the wire, and an internal one says nothing about the server", () => {
  const error = new ContinuoError("handle_taken", "the handle is taken", { details: { handle: "a" } });
  const read = errorFromWire(JSON.parse(JSON.stringify(toWireError(error))), 409);
  expect([read.code, read.message, read.hint, read.details]).toEqual([
    error.code,
    error.message,
    error.hint,
    error.details,
  ]);
  expect(JSON.stringify(toWireError(new Error("/secret/path")))).not.toContain("secret");
  expect(errorFromWire("<html>", 502).code).toBe("unavailable");
  expect(errorFromWire({ error: { code: "constructor" } }, 500).code).toBe("unavailable");
});

test("the scopes that a reader gets cannot write, and allow nothing new", () => {
  const left = (texts: readonly string[]): readonly string[] =>
    readOnly(texts.map(parseScope)).map(formatScope);
  expect(left(["channel:team:read,write", "live:*:write", "machine:read,write", "session:a:read"])).toEqual([
    "channel:team:read",
    "machine:read",
    "session:a:read",
  ]);
  expect(left(["admin"])).toEqual([
    "channel:*:read",
    "session:*:read",
    "chat:*:read",
    "live:*:read",
    "stream:*:read",
    "approval:*:read",
  ]);
});
