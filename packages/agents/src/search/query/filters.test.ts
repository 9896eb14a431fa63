import { expect, test } from "vitest";
import { isOfSession, isOfTurn } from "./filters.ts";
import { parseQuery } from "./query.ts";

const SESSION = { agent: "claude", cwd: "/home/ann/Shop", location: "/f.jsonl", gitBranch: "main" } as const;

const isOf = (text: string, session: Partial<Record<"cwd" | "gitBranch", null>> = {}): boolean =>
  isOfSession({ ...SESSION, ...session }, parseQuery(`word ${text}`, { toTime: (time) => time }));

test("filters match the agent, the folder and the branch of a session, and negated filters exclude them", () => {
  for (const filter of ["agent:Claude", "project:shop", "branch:MAIN"]) {
    expect([isOf(filter), isOf(`-${filter}`)], filter).toEqual([true, false]);
  }
  for (const filter of ["agent:codex", "project:other", "branch:dev"]) {
    expect([isOf(filter), isOf(`-${filter}`)], filter).toEqual([false, true]);
  }
  expect(isOf("agent:codex agent:claude -project:other")).toBe(true);
});

test("a session without a folder is matched by the path of its file, and one without a branch matches no branch", () => {
  expect([isOf("project:f.jsonl", { cwd: null }), isOf("-project:f.jsonl", { cwd: null })]).toEqual([
    true,
    false,
  ]);
  expect([isOf("branch:main", { gitBranch: null }), isOf("-branch:main", { gitBranch: null })]).toEqual([
    false,
    true,
  ]);
});

test("a turn matches only if it has every wanted tool, and a turn without a time has the time of its session", () => {
  const turn = { at: null, tools: ["Bash", "Edit"], files: [], errors: 0 };
  const isOfTurnNow = (text: string): boolean =>
    isOfTurn(turn, { updatedAt: "2026-05-02" }, parseQuery(`word ${text}`, { toTime: (time) => time }));
  expect([isOfTurnNow("tool:bash tool:edit"), isOfTurnNow("tool:bash tool:read")]).toEqual([true, false]);
  expect([isOfTurnNow("since:2026-05-01"), isOfTurnNow("since:2026-05-03")]).toEqual([true, false]);
  // `since:` includes a turn at exactly that time, and `-since:` excludes it.
  expect([isOfTurnNow("since:2026-05-02"), isOfTurnNow("-since:2026-05-02")]).toEqual([true, false]);
});
