import type { Session, SessionInfo } from "@continuo/core/model";
import { expect, test } from "vitest";
import { byNewest, forkOriginOf, nameOf, nativeRefsOf, toOwnRow, withNative } from "./rows.ts";

const session = (metadata: Session["metadata"]): Session => ({
  sessionId: "own",
  status: "open",
  title: null,
  agent: null,
  cwd: null,
  parentId: null,
  metadata,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-02T00:00:00.000Z",
  lastActivityAt: "2026-01-02T00:00:00.000Z",
});

const native = (agent: SessionInfo["agent"], more: Partial<SessionInfo>): SessionInfo => ({
  agent,
  sessionId: "1",
  location: "/f",
  cwd: null,
  title: null,
  gitBranch: null,
  createdAt: null,
  updatedAt: null,
  sizeBytes: 1,
  archived: false,
  live: false,
  problems: [],
  ...more,
});

test.each([
  [{}],
  [{ providerSessions: null }],
  [{ providerSessions: { claude: 1, pi: null, codex: { sessionId: 2 } } }],
])("%j refers to no native session", (metadata) => expect(nativeRefsOf(session(metadata))).toEqual([]));

test("a native session adds missing facts to its conversation; a session of another agent with the same id does not", () => {
  const row = toOwnRow(session({ providerSessions: { claude: { sessionId: "1" } } }), "/db");
  const other = native("codex", { title: "Other", cwd: "/other", updatedAt: "2026-09-09T00:00:00.000Z" });
  expect(withNative(row, [other])).toEqual(row);
  const same = native("claude", {
    title: "T",
    cwd: "/app",
    updatedAt: "2026-01-03T00:00:00.000Z",
    live: true,
  });
  expect(withNative(row, [other, same])).toEqual({
    ...row,
    title: "T",
    cwd: "/app",
    updatedAt: "2026-01-03T00:00:00.000Z",
    live: true,
  });
  expect(withNative({ ...row, title: "Own" }, [native("claude", { title: "T" })]).title).toBe("Own");
});

const from = { agent: "claude", sessionId: "n" };

test.each([
  ["an import of a conversation", { importing: "claude:n", takenFrom: from }, true],
  ["an import of a program", { importing: "claude:n", importedFrom: from }, true],
  ["a program's own value", { importing: true, importedFrom: from }, undefined],
  ["a session that was imported from nowhere", { importing: "claude:n" }, undefined],
  ["a session that was imported from another one", { importing: "pi:n", takenFrom: from }, undefined],
  ["nothing", { importing: "undefined:undefined", takenFrom: {} }, undefined],
])(
  "the mark of an incomplete import counts only for the session that it names: %s",
  (_, metadata, isPartial) => {
    expect(toOwnRow(session(metadata), "/db").isPartial).toBe(isPartial);
  },
);

const changed = (sessionId: string, times: Partial<Session>): Session => ({
  ...session({}),
  sessionId,
  ...times,
});

test("an own session is as new as its last append, which its row follows only once a minute", () => {
  const lastActivityAt = "2026-01-02T00:00:40.000Z";
  expect(toOwnRow(changed("own", { lastActivityAt }), "/db").updatedAt).toBe(lastActivityAt);
  const renamedAt = "2026-01-02T00:05:00.000Z";
  expect(toOwnRow(changed("own", { updatedAt: renamedAt }), "/db").updatedAt).toBe(renamedAt);
});

test("of two own sessions that changed in the same millisecond, the one that changed last is the newest", () => {
  const rows = ["b", "c", "a"].map((id, at) => toOwnRow(changed(id, { activityOrder: at + 9 }), "/db"));
  expect(rows.sort(byNewest).map(({ sessionId }) => sessionId)).toEqual(["a", "c", "b"]);
});

test("sessions of the same time stand in the order of their agents and ids", () => {
  const updatedAt = "2026-01-02T00:00:00.000Z";
  const names = ["b", "a"].flatMap((sessionId) =>
    (["pi", "claude"] as const).map((agent) => native(agent, { sessionId, updatedAt })),
  );
  expect(names.sort(byNewest).map(({ agent, sessionId }) => `${agent}:${sessionId}`)).toEqual([
    "claude:a",
    "claude:b",
    "pi:a",
    "pi:b",
  ]);
});

test("two files of one session that changed at the same time stand in the order of their paths", () => {
  const updatedAt = "2026-01-02T00:00:00.000Z";
  const files = ["/b", "/a"].map((location) => native("pi", { sessionId: "one", updatedAt, location }));
  expect(files.sort(byNewest).map(({ location }) => location)).toEqual(["/a", "/b"]);
});

test("an own session belongs to the channel of its participant or to its continuous session, else to neither", () => {
  const placeOf = (metadata: Session["metadata"]) => toOwnRow(session(metadata), "/db").place;
  expect(placeOf({ channel: "team", handle: "ann" })).toEqual({ of: "channel", name: "team" });
  expect(placeOf({ live: { key: "view-1" } })).toEqual({ of: "live", name: "view-1" });
  expect([placeOf({ channel: "team" }), placeOf({ live: true }), placeOf({})]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("an own session is named by its id, and a native one by its place", () => {
  expect([nameOf(toOwnRow(session({}), "/db")), nameOf(native("pi", {}))]).toEqual(["continuo:own", "/f"]);
});

test("the source of a fork is a session of the same agent, and a path is no id of one", () => {
  const forkOf = (forkedFrom: string) => forkOriginOf({ ...native("pi", {}), forkedFrom });
  expect(forkOf("1")).toEqual({ agent: "pi", sessionId: "1" });
  expect([forkOf("/f/1.jsonl"), forkOriginOf(native("pi", {}))]).toEqual([null, null]);
});

test("an own session that was imported from a fork has the source of that fork, and of no other native session", () => {
  const providerSessions = { claude: { sessionId: "1" }, codex: { sessionId: "2" } };
  const takenFrom = { agent: "codex", sessionId: "2" };
  const row = toOwnRow(session({ providerSessions, takenFrom }), "/db");
  const natives = [
    { ...native("claude", {}), forkedFrom: "a" },
    { ...native("codex", { sessionId: "2" }), forkedFrom: "b" },
  ];
  expect(forkOriginOf(withNative(row, natives))).toEqual({ agent: "codex", sessionId: "b" });
  expect(forkOriginOf(withNative(row, natives.slice(0, 1)))).toBeNull();
});
