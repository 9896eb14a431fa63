import { keyOf } from "@continuo/agents/pages";
import type { SubagentInfo } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { KeyedRow, RowSource, Rows } from "./rows.ts";
import { findMade, ownKey, resolveSession } from "./session-lookup.ts";

interface RowFields {
  readonly agent: string;
  readonly sessionId: string;
  readonly [field: string]: unknown;
}

function rowOf(fields: RowFields): KeyedRow {
  const location = `/sessions/${fields.sessionId}`;
  const row = {
    title: fields.sessionId,
    cwd: "/app",
    location,
    nativeRefs: [],
    importedFrom: null,
    ...fields,
  };
  const counted = { turns: 12, tokens: 34_000, costUsd: 1.5, facts: { lastWords: "Done." } };
  return { row, shown: { key: keyOf(row), ...row, ...counted } } as unknown as KeyedRow;
}

/** The list before it is forgotten, and the present list of the machine. */
function sourceOf(before: readonly KeyedRow[], now: readonly KeyedRow[] = before): RowSource {
  let rows = before;
  return {
    rows: async () => ({ byKey: new Map(rows.map((one) => [one.shown.key, one])) }) as unknown as Rows,
    forget: () => {
      rows = now;
    },
  } as unknown as RowSource;
}

const CLAUDE = rowOf({ agent: "claude", sessionId: "a1" });
const noSubagents = async (): Promise<readonly SubagentInfo[]> => [];

test("a session that began a moment ago is found, and an unknown session is not", async () => {
  const source = sourceOf([], [CLAUDE]);
  expect(await resolveSession("claude:a1", source, noSubagents)).toMatchObject({ key: "claude:a1" });
  await expect(resolveSession("claude:none", source, noSubagents)).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a sub-agent has its own task, file and size, and nothing that was counted for its parent", async () => {
  const info: SubagentInfo = {
    id: "sub",
    location: "/sessions/a1/sub.jsonl",
    type: "explorer",
    description: "Look at the tests",
    toolCallId: "t1",
    model: null,
    sizeBytes: 321,
  };
  const named = await resolveSession("claude:a1>sub", sourceOf([CLAUDE]), async () => [info]);
  expect(named).toMatchObject({
    key: "claude:a1>sub",
    parentKey: "claude:a1",
    row: { sessionId: "sub", title: "Look at the tests", location: info.location, sizeBytes: 321 },
    shown: { sessionId: "sub", title: "Look at the tests", sizeBytes: 321, cwd: "/app" },
  });
  expect(named.shown).toMatchObject({ turns: null, tokens: null, costUsd: null, facts: null });
  const unnamed = { ...info, description: null };
  const typed = await resolveSession("claude:a1>sub", sourceOf([CLAUDE]), async () => [unnamed]);
  expect(typed.shown.title).toBe("explorer");
  await expect(resolveSession("claude:a1>sub", sourceOf([CLAUDE]), noSubagents)).rejects.toMatchObject({
    code: "not_found",
  });
});

test("the address of an agent's session leads to the conversation that continues it, also for an unusual id", async () => {
  const strange = { agent: "pi", sessionId: "a b/c", location: "/sessions/strange.jsonl" };
  const imported = rowOf({ agent: "continuo", sessionId: "own-1", importedFrom: strange });
  const continued = rowOf({
    agent: "continuo",
    sessionId: "own-2",
    nativeRefs: [{ agent: "codex", sessionId: "c9", location: "/sessions/c9" }],
  });
  const source = sourceOf([imported, continued]);
  const resolved = async (key: string): Promise<string> =>
    (await resolveSession(key, source, noSubagents)).key;
  expect(await resolved(keyOf(strange))).toBe("continuo:own-1");
  expect(await resolved("codex:c9")).toBe("continuo:own-2");
});

test("a session that was just created is in the list that its creator sees", async () => {
  // An id names a session only together with its agent.
  const alike = rowOf({ agent: "codex", sessionId: "own-1" });
  const own = rowOf({ agent: "continuo", sessionId: "own-1" });
  const source = sourceOf([alike], [alike, own]);
  expect(await ownKey("own-1", source)).toBe("continuo:own-1");
  expect([...(await source.rows()).byKey.keys()]).toContain("continuo:own-1");
  const made = { agent: "claude", sessionId: "a1", location: "/sessions/a1" };
  expect((await findMade(made, sourceOf([], [CLAUDE])))?.key).toBe("claude:a1");
  expect(await findMade(made, sourceOf([CLAUDE], []))).toBeNull();
});

test("a sub-agent that another sub-agent started is found below it", async () => {
  const about = { type: "explorer", description: null, toolCallId: null, model: null, sizeBytes: 1 };
  const below: Readonly<Record<string, string>> = { "claude:a1": "sub", "claude:a1>sub": "deep" };
  const subagentsOf = async (key: string): Promise<readonly SubagentInfo[]> => {
    const id = below[key];
    return id === undefined ? [] : [{ ...about, id, location: `/sessions/${id}.jsonl` }];
  };
  const named = await resolveSession("claude:a1>sub>deep", sourceOf([CLAUDE]), subagentsOf);
  expect(named).toMatchObject({ parentKey: "claude:a1>sub", row: { location: "/sessions/deep.jsonl" } });
});
