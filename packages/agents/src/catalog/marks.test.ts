import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockSession, type Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { markArchived, markMoved, markSession, movedToOf, readMarks, refuseMoved, toTag } from "./marks.ts";
import { type ListedSession, OWN, type OwnRow } from "./rows.ts";

let home: string;
let places: Places;
beforeEach(() => {
  home = scratchFolder("marks");
  places = { home, env: { CONTINUO_HOME: join(home, ".continuo") } };
});

function row(agent: string, sessionId: string): ListedSession {
  return {
    agent,
    sessionId,
    title: null,
    cwd: null,
    createdAt: null,
    updatedAt: null,
    gitBranch: null,
    sizeBytes: null,
    archived: false,
    live: null,
    location: "",
    problems: [],
  };
}

function own(sessionId: string, importedFrom: OwnRow["importedFrom"]): OwnRow {
  return { ...row(OWN, sessionId), agent: OWN, nativeRefs: [], lastAgent: null, importedFrom };
}

const file = (): string => join(home, ".continuo", "marks.json");
const marksOf = (session: ListedSession): unknown => readMarks(places).mark(session).marks;

test("a session keeps its pin and its tags until they are taken off, and other sessions have none", async () => {
  const claude = row("claude", "a");
  await markSession(claude, { pinned: true, addTags: ["Tea", "later"] }, { places });
  expect(marksOf(claude)).toEqual({ pinned: true, tags: ["later", "tea"] });
  expect(marksOf(row("codex", "a"))).toBeUndefined();
  await markSession(claude, { addTags: ["soon"] }, { places });
  expect(marksOf(claude)).toEqual({ pinned: true, tags: ["later", "soon", "tea"] });
  await markSession(claude, { pinned: false, removeTags: ["TEA", "soon"] }, { places });
  expect(marksOf(claude)).toEqual({ pinned: false, tags: ["later"] });
  await markSession(claude, { removeTags: ["later"] }, { places });
  expect(marksOf(claude)).toBeUndefined();
});

test("marks follow a session that moved into Continuo, and are then kept by its new name", async () => {
  await markSession(row("claude", "a"), { addTags: ["tea"] }, { places });
  const moved = own("n", { agent: "claude", sessionId: "a" });
  expect(marksOf(moved)).toEqual({ pinned: false, tags: ["tea"] });
  await markSession(moved, { pinned: true }, { places });
  expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({
    version: 1,
    sessions: { "continuo:n": { pinned: true, tags: ["tea"] } },
  });
});

test("marks of a later version stay when other marks change, and no change is lost if several happen at the same time", async () => {
  mkdirSync(join(home, ".continuo"));
  const later = { version: 1, views: ["x"], sessions: { "claude:a": { status: "done", archived: true } } };
  writeFileSync(file(), JSON.stringify(later));
  const tags = ["a", "b", "c", "d"];
  await Promise.all(tags.map((tag) => markSession(row("claude", "a"), { addTags: [tag] }, { places })));
  expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({
    version: 1,
    views: ["x"],
    sessions: { "claude:a": { status: "done", archived: true, tags } },
  });
});

test("a change waits for that of another process, and keeps it", async () => {
  const other = await lockSession("/marks", "marks", { places, waitMs: 0, signal: undefined });
  const marking = markSession(row("claude", "a"), { pinned: true }, { places });
  const waits = pause(100, "it waits");
  expect(await Promise.race([marking, waits])).toBe("it waits");
  const theirs = { version: 1, sessions: { "codex:b": { pinned: true } } };
  mkdirSync(join(home, ".continuo"), { recursive: true });
  writeFileSync(file(), JSON.stringify(theirs));
  other.release();
  await marking;
  expect([row("claude", "a"), row("codex", "b")].map(marksOf)).toMatchObject([
    { pinned: true },
    { pinned: true },
  ]);
});

test.each(["[]", "no JSON", '{"version":2,"sessions":{"claude:a":{"pinned":true}}}'])(
  "a file with %j marks nothing, and is not overwritten",
  async (text) => {
    mkdirSync(join(home, ".continuo"));
    writeFileSync(file(), text);
    expect(marksOf(row("claude", "a"))).toBeUndefined();
    const marked = markSession(row("claude", "a"), { pinned: true }, { places });
    await expect(marked).rejects.toMatchObject({ code: "corrupt" });
    expect(readFileSync(file(), "utf8")).toBe(text);
  },
);

test.each(["", " ", "a b", "a,b", "-a", "a\u202eb", "\u001b[1m", "x".repeat(41)])(
  "%j is not a tag",
  async (tag) => {
    expect(() => toTag(tag)).toThrow("is not a tag");
    const marked = markSession(row("claude", "a"), { addTags: [tag] }, { places });
    await expect(marked).rejects.toMatchObject({ code: "invalid" });
  },
);

test("a tag is kept in small letters; a session has at most 20", async () => {
  expect(["Übung", "v1.2/x_y-z", "ZÉRO", "e\u0301"].map(toTag)).toEqual(["übung", "v1.2/x_y-z", "zéro", "é"]);
  const twenty = Array.from({ length: 20 }, (_, at) => `t${at}`);
  await markSession(row("pi", "a"), { addTags: twenty }, { places });
  await expect(markSession(row("pi", "a"), { addTags: ["more"] }, { places })).rejects.toMatchObject({
    code: "invalid",
  });
});

const MOVED = {
  machine: "ssh://laptop",
  agent: "claude",
  sessionId: "b",
  cwd: "/there",
  at: "2026-11-27T10:00:00.000Z",
};

test("a session that was moved names the other machine and is not continued here, until the move is taken back", async () => {
  const claude = row("claude", "a");
  await markSession(claude, { addTags: ["tea"] }, { places });
  expect(() => refuseMoved(claude, places)).not.toThrow();
  await markMoved(claude, MOVED, { places });
  expect(readMarks(places).mark(claude)).toMatchObject({ movedTo: MOVED, marks: { tags: ["tea"] } });
  expect(() => refuseMoved(claude, places)).toThrow("the session was moved to ssh://laptop, as claude:b");
  expect(() => refuseMoved(row("codex", "a"), places)).not.toThrow();
  await markMoved(claude, null, { places });
  expect([movedToOf(claude, places), marksOf(claude)]).toEqual([null, { pinned: false, tags: ["tea"] }]);
  expect(readMarks(places).mark(claude)).not.toHaveProperty("movedTo");
});

test("a session that its agent archived stays archived, whatever a person archives here", async () => {
  const archived = { ...row("codex", "a"), archived: true };
  const isArchived = (one: ListedSession): boolean => readMarks(places).mark(one).archived;
  await markArchived(row("claude", "b"), true, { places });
  await markArchived(archived, true, { places });
  expect([isArchived(row("claude", "b")), isArchived(archived)]).toEqual([true, true]);
  const marked = [row("claude", "b"), archived, row("claude", "a")].map(readMarks(places).isArchived);
  expect(marked).toEqual([true, true, false]);
  for (const one of [row("claude", "b"), archived]) await markArchived(one, false, { places });
  await markSession(archived, { pinned: true }, { places });
  expect([isArchived(row("claude", "b")), isArchived(archived)]).toEqual([false, true]);
});

test("marks that are removed leave nothing in the file, and a tag that is added and removed at once does not exist", async () => {
  await markSession(
    row("claude", "a"),
    { pinned: true, addTags: ["tea", "now"], removeTags: ["now"] },
    { places },
  );
  expect(marksOf(row("claude", "a"))).toEqual({ pinned: true, tags: ["tea"] });
  await markSession(row("claude", "a"), { pinned: false, removeTags: ["tea"] }, { places });
  expect(JSON.parse(readFileSync(file(), "utf8")).sessions).toEqual({});
});
