/** The place of Continuo's own sessions: which store is meant, and whether there is one. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session, Store } from "@continuo/core/model";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { existingStoreUrl, findOwn, listOwn, readOwn, storeUrlOf } from "./store.ts";

test("the path of a store begins in the current folder, and one in memory has no file", () => {
  const home = scratchFolder("store-places");
  const at = (store: string) => ({ home, cwd: join(home, "work"), env: { CONTINUO_STORE: store } });
  expect(
    ["sqlite:a.db", "sqlite:/b/a.db", "sqlite:///b/a%20b.db", "SQLITE:"].map((url) => storeUrlOf(at(url))),
  ).toEqual([
    `sqlite:${join(home, "work/a.db")}`,
    "sqlite:/b/a.db",
    "sqlite:/b/a b.db",
    `sqlite:${join(home, ".continuo/continuo.db")}`,
  ]);
  expect([existingStoreUrl(at("memory:")), existingStoreUrl(at("sqlite:a.db"))]).toEqual([null, null]);
  mkdirSync(join(home, "work"));
  writeFileSync(join(home, "work/a.db"), "");
  expect(existingStoreUrl(at("sqlite:a.db"))).toBe(`sqlite:${join(home, "work/a.db")}`);
  expect(existingStoreUrl(at("postgres://host/db"))).toBe("postgres://host/db");
});

function session(sessionId: string, more: Partial<Session> = {}): Session {
  const time = "2026-01-01T00:00:00.000Z";
  const times = { createdAt: time, updatedAt: time, lastActivityAt: time };
  const about = {
    status: "open",
    title: null,
    agent: null,
    cwd: null,
    parentId: null,
    metadata: {},
  } as const;
  return { sessionId, ...about, ...times, ...more };
}

/** A store whose list has one session a page. */
function storeOf(sessions: readonly Session[]): Store {
  const listSessions: Store["listSessions"] = async ({ cursor, prefix = "" } = {}) => {
    const matches = sessions.filter(({ sessionId }) => sessionId.startsWith(prefix));
    const at = Number(cursor ?? 0);
    return { items: matches.slice(at, at + 1), nextCursor: at + 1 < matches.length ? String(at + 1) : null };
  };
  const getSession = async (id: string) => sessions.find(({ sessionId }) => sessionId === id) ?? null;
  return { listSessions, getSession } as unknown as Store;
}

test("all pages of a store are listed, and a log beside a continuous session belongs to it", async () => {
  const sessions = [
    session("view", { metadata: { live: { key: "k1" } } }),
    session("notes", { parentId: "view" }),
    session("fork", { parentId: "talk" }),
    session("talk"),
  ];
  const rows = await listOwn(readOwn(storeOf(sessions), "/db"));
  expect(rows.map(({ location, place }) => [location, place])).toEqual([
    ["/db#view", { of: "live", name: "k1" }],
    ["/db#notes", { of: "live", name: "k1" }],
    ["/db#fork", undefined],
    ["/db#talk", undefined],
  ]);
});

test("the beginning of an id finds a session in upper and in lower case, and no text that can be no id", async () => {
  const own = readOwn(storeOf([session("abc-1"), session("ABD-2")]));
  const found = async (id: string) => (await findOwn(own, id)).map(({ sessionId }) => sessionId);
  expect(await found("AB")).toEqual(["ABD-2", "abc-1"]);
  expect(await found("abc")).toEqual(["abc-1"]);
  expect([await found(""), await found("a\u0000")]).toEqual([[], []]);
});
