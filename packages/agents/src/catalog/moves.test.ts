import { expect, test } from "vitest";
import { earlierNames, ownerOf, ownersByName } from "./moves.ts";
import { OWN, type OwnRow } from "./rows.ts";

function row(sessionId: string, createdAt: string, given: Partial<OwnRow>): OwnRow {
  return {
    agent: OWN,
    sessionId,
    title: null,
    cwd: null,
    createdAt,
    updatedAt: createdAt,
    gitBranch: null,
    sizeBytes: null,
    archived: false,
    live: null,
    location: `store#${sessionId}`,
    problems: [],
    nativeRefs: [],
    lastAgent: null,
    importedFrom: null,
    ...given,
  };
}

const ref = (agent: string, sessionId: string) => ({ agent, sessionId, location: null, cwd: null });

const later = row("later", "2026-02-01", { importedFrom: { agent: "claude", sessionId: "a" } });
const first = row("first", "2026-01-01", {
  importedFrom: { agent: "claude", sessionId: "a" },
  nativeRefs: [ref("claude", "b"), ref("codex", "a")],
});
const continued = row("continued", "2026-01-01", { nativeRefs: [ref("claude", "a"), ref("pi", "c")] });
const rows = [later, continued, first];

test.each([
  ["the first session that was imported from it", "claude", "a", "first"],
  ["the session that continues in it", "pi", "c", "continued"],
  ["a session that was imported from another one and continues in it", "codex", "a", "first"],
  ["nowhere", "gemini", "a", undefined],
])("an agent's session is now in %s", (_, agent, sessionId, owner) => {
  expect(ownerOf({ agent, sessionId }, rows)?.sessionId).toBe(owner);
});

test("a session with only a part of an import does not take the place of the agent's session", () => {
  const part: OwnRow = {
    ...row("part", "2025-01-01", { importedFrom: { agent: "claude", sessionId: "a" } }),
    isPartial: true,
  };
  expect(ownerOf({ agent: "claude", sessionId: "a" }, [part])).toBeNull();
  expect(ownerOf({ agent: "claude", sessionId: "a" }, [part, ...rows])?.sessionId).toBe("first");
  expect(earlierNames({ ...part, nativeRefs: [ref("pi", "c")] })).toEqual([ref("pi", "c")]);
});

test("sessions that began at the same time have one order", () => {
  const twins = ["y", "x"].map((id) =>
    row(id, "2026-01-01", { importedFrom: { agent: "pi", sessionId: "d" } }),
  );
  expect([...ownersByName(twins)].map(([key, { sessionId }]) => [key, sessionId])).toEqual([["pi:d", "x"]]);
});

test("a conversation has the names of all its sessions, that of its first session first", () => {
  expect(earlierNames(first).map(({ agent, sessionId }) => `${agent}:${sessionId}`)).toEqual([
    "claude:a",
    "claude:b",
    "codex:a",
  ]);
  expect(earlierNames(row("new", "2026-01-01", {}))).toEqual([]);
});
