import type { ListQuery, MachineSession } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { pageOf, sorted, toFilter } from "./list.ts";

function session(key: string, more: Partial<MachineSession> = {}): MachineSession {
  const agent = "claude" as const;
  const marks = { pinned: false, tags: [] };
  const empty = {
    title: null,
    cwd: null,
    updatedAt: null,
    archived: false,
    problems: [],
    marks,
    place: null,
  };
  return { key, agent, sessionId: key, ...empty, ...more } as unknown as MachineSession;
}

const ALL: readonly MachineSession[] = ["a", "b", "c", "d", "e"].map((key) => session(key));

function keysOf(sessions: readonly MachineSession[], query: ListQuery): readonly string[] {
  return pageOf(sessions, query, []).sessions.map(({ key }) => key);
}

function filtered(query: ListQuery, sessions: readonly MachineSession[]): readonly string[] {
  return sessions.filter(toFilter(query)).map(({ key }) => key);
}

test("pages follow each other without a gap, count all sessions, and the last one has no next", () => {
  const first = pageOf(ALL, { limit: 2 }, []);
  const second = pageOf(ALL, { limit: 2, cursor: first.nextCursor ?? "" }, []);
  const third = pageOf(ALL, { limit: 2, cursor: second.nextCursor ?? "" }, []);
  const pages = [first, second, third];
  expect(pages.map(({ sessions }) => sessions.map(({ key }) => key).join(""))).toEqual(["ab", "cd", "e"]);
  expect(pages.map(({ total }) => total)).toEqual([5, 5, 5]);
  expect(third.nextCursor).toBe(null);
  expect(pageOf(ALL, { limit: 5 }, []).nextCursor).toBe(null);
});

test("a page continues after the last row of the page before, wherever that row is now, and at its old place if the row is gone", () => {
  const cursor = pageOf(ALL, { limit: 2 }, []).nextCursor ?? "";
  expect(keysOf([session("new"), ...ALL], { limit: 2, cursor })).toEqual(["c", "d"]);
  expect(
    keysOf(
      ALL.filter(({ key }) => key !== "b"),
      { limit: 2, cursor },
    ),
  ).toEqual(["d", "e"]);
  for (const bad of ["", "x", Buffer.from('["a",-1]').toString("base64url")]) {
    expect(() => pageOf(ALL, { cursor: bad }, [])).toThrow(expect.objectContaining({ code: "invalid" }));
  }
});

test("the first page counts folders and agents, the most frequent first", () => {
  const rows = ["/b", "/a", "/b", null].map((cwd, at) => session(String(at), { cwd }));
  const { projects, agents, nextCursor } = pageOf(rows, { limit: 3 }, []);
  expect(projects).toEqual([
    { cwd: "/b", sessions: 2 },
    { cwd: "/a", sessions: 1 },
  ]);
  expect(agents).toEqual([{ agent: "claude", sessions: 4 }]);
  expect(pageOf(rows, { cursor: nextCursor ?? "" }, []).projects).toEqual([]);
});

test.each([
  ["no order", undefined, "bacd"],
  ["the newest start first", "created", "cabd"],
  ["titles from A to Z, those without one last", "title", "badc"],
  ["the most bytes first, and unknown sizes last", "largest", "bcad"],
] as const)("sessions have %s", (_, sort, keys) => {
  const rows = [
    session("b", { title: "part 2", sizeBytes: 9, createdAt: null }),
    session("a", { title: "Part 10", sizeBytes: 0, createdAt: "2026-01-02" }),
    session("c", { title: null, sizeBytes: 5, createdAt: "2026-01-03" }),
    session("d", { title: "part 11", sizeBytes: null, createdAt: null }),
  ];
  const order = sorted(rows, sort === undefined ? {} : { sort }).map(({ key }) => key);
  expect(order.join("")).toBe(keys);
});

test("sessions pass the filters for agents, folders and titles only if all of them fit", () => {
  const rows = [
    session("a", { title: "Fix the Parser", cwd: "/Home/app" }),
    session("b", { agent: "codex", title: "fix tests", cwd: "/other" }),
    session("c"),
  ];
  expect(filtered({ agent: ["codex"] }, rows)).toEqual(["b"]);
  expect(filtered({ agent: [] }, rows)).toEqual(["a", "b", "c"]);
  expect(filtered({ title: "parser FIX" }, rows)).toEqual(["a"]);
  expect(filtered({ project: "home/APP" }, rows)).toEqual(["a"]);
  expect(filtered({ title: "fix", project: "other" }, rows)).toEqual(["b"]);
});

test("the begin of a period is part of it, and its end is not", () => {
  const rows = ["2026-01-01", "2026-01-02", null].map((updatedAt, at) => session(String(at), { updatedAt }));
  expect(filtered({ since: "2026-01-02" }, rows)).toEqual(["1"]);
  expect(filtered({ until: "2026-01-02" }, rows)).toEqual(["0"]);
  // Half a second later, as text, would be before the second.
  const half = [session("half", { updatedAt: "2026-01-02T10:00:00.500Z" })];
  expect(filtered({ since: "2026-01-02T10:00:00Z" }, half)).toEqual(["half"]);
  expect(filtered({ until: "2026-01-02T10:00:00Z" }, half)).toEqual([]);
});

test("archived sessions are left out, are included, or are the only ones", () => {
  const rows = [session("a"), session("b", { archived: true })];
  expect(filtered({}, rows)).toEqual(["a"]);
  expect(filtered({ archived: "include" }, rows)).toEqual(["a", "b"]);
  expect(filtered({ archived: "only" }, rows)).toEqual(["b"]);
});

test("pinned sessions come first, but not in a search or in another order; tags and parts narrow the list", () => {
  const marks = { pinned: true, tags: ["tea", "later"] };
  const all = [session("a"), session("b", { marks }), session("c", { place: { of: "live", name: "v" } })];
  const keys = (query: ListQuery) => sorted(all, query).map(({ key }) => key);
  expect(keys({})).toEqual(["b", "a", "c"]);
  expect(keys({ text: "x" })).toEqual(["a", "b", "c"]);
  expect(keys({ sort: "largest" })).toEqual(["a", "b", "c"]);
  expect(filtered({ tag: ["TEA", "later"] }, all)).toEqual(["b"]);
  expect(filtered({ tag: ["tea", "other"] }, all)).toEqual([]);
  expect(filtered({ part: "live" }, all)).toEqual(["c"]);
  expect(filtered({ part: "conversations", pinned: "only" }, all)).toEqual(["b"]);
  expect(pageOf(all, {}, []).tags).toEqual([
    { tag: "later", sessions: 1 },
    { tag: "tea", sessions: 1 },
  ]);
});
