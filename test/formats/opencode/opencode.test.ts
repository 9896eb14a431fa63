import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listNativeSessions, openNativeSession } from "@continuo/agents";
import { isContinuoError } from "@continuo/core/model";
import { opencodeFormat } from "@continuo/native/opencode";
import { describe, expect, test } from "vitest";
import {
  answer,
  FIRST_MS,
  findIn,
  openIn,
  placesOf,
  SESSION,
  type SessionOf,
  STEP,
  TEA,
  text,
  toolPart,
  user,
  useScratch,
  writeDatabase,
} from "./sessions.ts";

const { folder, databaseOf } = useScratch();

async function idsIn(options: Parameters<typeof listNativeSessions>[0]): Promise<string[]> {
  const rows = await listNativeSessions({ agents: ["opencode"], archived: "include", ...options });
  return rows.map(({ sessionId }) => sessionId);
}

describe("sessions are found", () => {
  const rowOf = (id: string, more: SessionOf["row"] = {}): SessionOf => ({ row: { id, ...more } });

  test("where the environment says, else in the home; a place without a database holds none", async () => {
    const home = folder();
    writeDatabase(join(home, ".local/share/opencode/opencode.db"), [rowOf("ses_home")]);
    writeDatabase(join(home, "data/opencode/opencode.db"), [rowOf("ses_data")]);
    writeDatabase(join(home, "data/opencode/opencode-local.db"), [rowOf("ses_local")]);
    writeDatabase(join(home, "data/opencode/other.db"), [rowOf("ses_other")]);
    const at = (env: Record<string, string>): Promise<string[]> => idsIn({ places: { home, env } });
    expect(await at({})).toEqual(["ses_home"]);
    expect(await at({ XDG_DATA_HOME: join(home, "data") })).toEqual(["ses_data", "ses_local"]);
    expect(await at({ XDG_DATA_HOME: join(home, "data"), OPENCODE_DB: "other.db" })).toEqual(["ses_other"]);
    expect(await at({ OPENCODE_DB: join(home, "data/opencode/other.db") })).toEqual(["ses_other"]);
    expect(await at({ OPENCODE_DB: ":memory:" })).toEqual([]);
    expect(await at({ XDG_DATA_HOME: join(home, "nowhere") })).toEqual([]);
  });

  test("of one folder, by whatever name it has", async () => {
    const cwd = join(folder(), "tea");
    mkdirSync(cwd);
    symlinkSync(cwd, `${cwd}-link`);
    const path = databaseOf(
      rowOf("ses_1", { directory: cwd }),
      rowOf("ses_2", { directory: `${cwd}-link` }),
      rowOf("ses_3", { directory: `${cwd}-gone` }),
    );
    expect(await idsIn({ places: placesOf(path), cwd: `${cwd}-link` })).toEqual(["ses_1", "ses_2"]);
    expect(await idsIn({ places: placesOf(path), cwd: `${cwd}-gone` })).toEqual(["ses_3"]);
  });

  test("archived ones too, marked", async () => {
    const path = databaseOf(rowOf("ses_1", { time_archived: FIRST_MS }), rowOf("ses_2"));
    const found = await findIn(path);
    expect(found.map(({ sessionId, archived }) => [sessionId, archived])).toEqual([
      ["ses_1", true],
      ["ses_2", false],
    ]);
  });

  test("a session that another one started is a detail of it, and is listed where that one is missing", async () => {
    const path = databaseOf(
      rowOf("ses_1"),
      rowOf("ses_2", { parent_id: "ses_1" }),
      rowOf("ses_3", { parent_id: "ses_2" }),
      rowOf("ses_4", { parent_id: "ses_gone" }),
      rowOf("ses_5", { parent_id: "ses_6" }),
      rowOf("ses_6", { parent_id: "ses_5" }),
    );
    const found = await findIn(path);
    expect(found.map(({ sessionId, problems }) => [sessionId, ...problems.map(({ code }) => code)])).toEqual([
      ["ses_1"],
      ["ses_4", "missing_parent_session"],
      ["ses_5", "cycle"],
      ["ses_6", "cycle"],
    ]);
    using session = await openIn(path, "ses_1");
    expect(session.details.subagents.map(({ id, location }) => [id, location])).toEqual([
      ["ses_2", `${path}#ses_2`],
    ]);
    using child = await openIn(path, "ses_3");
    expect(child.details.sessionId).toBe("ses_3");
  });

  test("without one look at their messages, but for those that are shown", async () => {
    const path = databaseOf({ messages: TEA });
    const database = new DatabaseSync(path);
    database.exec("drop table message; create table message (id, session_id, data)");
    database.close();
    const [found] = await findIn(path);
    if (found === undefined) throw new Error("expected a session");
    expect((await opencodeFormat.skim(found, { part: "ends" })).title).toBe("Tea");
  });
});

describe("a file is recognised", () => {
  test("a session by its database and id, at any place", async () => {
    const path = databaseOf({ messages: TEA });
    const moved = join(folder(), "a b#c.db");
    copyFileSync(path, moved);
    using session = await openNativeSession(`${moved}#${SESSION}`, { places: placesOf("/nowhere.db") });
    expect(session.details.location).toBe(`${moved}#${SESSION}`);
    expect(session.details.messages.total).toBe(2);
  });

  test("the only session of a database needs no name; one of several does", async () => {
    using session = await openIn(databaseOf({ messages: TEA }));
    expect(session.details.sessionId).toBe(SESSION);
    const several = databaseOf({}, { row: { id: "ses_2" } });
    await expect(openIn(several)).rejects.toSatisfy(
      (error) => isContinuoError(error, "ambiguous") && JSON.stringify(error.details).includes("ses_2"),
    );
    await expect(openIn(several, "ses_3")).rejects.toSatisfy((error) => isContinuoError(error, "not_found"));
  });

  test("no other database and no other JSON is recognised", async () => {
    const other = join(folder(), "x.db");
    new DatabaseSync(other).exec("create table tea (id)");
    expect(await opencodeFormat.recognise(`${other}#${SESSION}`, placesOf(other))).toBeNull();
    for (const [name, words] of [
      ["a.json", '{"messages": []}'],
      ["b.json", '{"info": {"id": "thread"}, "messages": []}'],
      ["c.jsonl", '{"type": "session"}'],
    ] as const) {
      const path = join(folder(), name);
      writeFileSync(path, words);
      expect(await opencodeFormat.recognise(path, placesOf(other))).toBeNull();
    }
  });
});

describe("the title", () => {
  const DEFAULT = "New session - 2026-05-06T07:00:00.000Z";
  const put = { ...user("msg_0", ""), parts: [{ id: "prt_0", data: text("Reminder", { synthetic: true }) }] };

  test.each([
    ["Tea", "Tea"],
    ["  Tea \n time ", "Tea time"],
    [DEFAULT, "Name the timer."],
    [DEFAULT.replace("New", "Child"), "Name the timer."],
    [`${DEFAULT} or so`, `${DEFAULT} or so`],
    ["", "Name the timer."],
  ])("of a session called %j is %j", async (title, expected) => {
    const path = databaseOf({ row: { title }, messages: [put, ...TEA] });
    const [row] = await listNativeSessions({ agents: ["opencode"], places: placesOf(path) });
    expect(row?.title).toBe(expected);
  });

  test("is unknown where nobody said anything", async () => {
    using session = await openIn(databaseOf({ row: { title: DEFAULT }, messages: [put] }));
    expect(session.details.title).toBeNull();
  });
});

test("details hold what the row, the messages and the workspace tell", async () => {
  const tokens = (input: number): object => ({
    input,
    output: 5,
    reasoning: 2,
    total: input + 7,
    cache: { read: 3, write: 1 },
  });
  const child = toolPart(
    "c1",
    { status: "completed", output: "One.", metadata: { sessionId: "ses_child" }, time: {} },
    "task",
  );
  const path = databaseOf(
    {
      row: { workspace_id: "wrk_1", directory: "/home/dev/tea" },
      messages: [
        user("msg_1", "Count them."),
        answer("msg_2", [STEP, child], { tokens: tokens(10), cost: 0.5 }),
        answer("msg_3", [text("One.")], { tokens: tokens(20), cost: 0.25, modelID: "scripted-2" }),
      ],
    },
    {
      row: {
        id: "ses_child",
        parent_id: SESSION,
        agent: "general",
        model: '{"id":"scripted-1","providerID":"scripted"}',
        title: "Count",
      },
      messages: [user("msg_c", "Count")],
    },
  );
  const database = new DatabaseSync(path);
  database.exec("insert into workspace values ('wrk_1', 'worktree', 'steeping', 'global')");
  database.close();
  using session = await openIn(path, SESSION);
  const { sizeBytes, subagents, ...details } = session.details;
  expect(details).toEqual({
    agent: "opencode",
    sessionId: SESSION,
    location: `${path}#${SESSION}`,
    cwd: "/home/dev/tea",
    title: "Tea",
    gitBranch: "steeping",
    createdAt: "2026-05-06T07:00:00.000Z",
    updatedAt: "2026-05-06T07:01:00.000Z",
    archived: false,
    live: null,
    problems: [],
    messages: { total: 4, user: 1, assistant: 2, tool: 1, system: 0 },
    toolCalls: 1,
    branches: 1,
    records: 8,
    unknownRecords: {},
    models: ["scripted-1", "scripted-2"],
    usage: {
      inputTokens: 30,
      outputTokens: 14,
      reasoningTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 2,
      totalTokens: 44,
      costUsd: 0.75,
    },
    agentVersions: ["1.18.33"],
    forkedFrom: null,
  });
  expect(sizeBytes).toBeGreaterThan(400);
  expect(subagents).toEqual([
    {
      id: "ses_child",
      location: `${path}#ses_child`,
      type: "general",
      description: "Count",
      toolCallId: "c1",
      model: "scripted-1",
      sizeBytes: expect.any(Number),
    },
  ]);
});

describe("a revert", () => {
  const LINE = [
    ...TEA,
    user("msg_3", "Something shorter?"),
    answer("msg_4", [
      STEP,
      text("tea"),
      toolPart("c1", { status: "completed", output: "x", time: {} }),
      text("done"),
    ]),
  ];
  async function leavesOf(revert: unknown): Promise<unknown[]> {
    using session = await openIn(databaseOf({ row: { revert: JSON.stringify(revert) }, messages: LINE }));
    const leaves: unknown[] = [];
    for (const { id, active, label, messages } of session.leaves) {
      const history = await Array.fromAsync(session.history({ leaf: id }));
      expect(history).toHaveLength(messages);
      leaves.push([id, active, label, messages]);
    }
    const entries = await Array.fromAsync(session.entries());
    return [...leaves, entries.filter(({ active }) => active).map(({ id }) => id)];
  }
  const all = ["msg_1", "prt_msg_1", "msg_2", "prt_msg_2_0", "prt_msg_2_1", "msg_3", "prt_msg_3"];

  test("takes messages out, which end in a leaf of their own", async () => {
    expect(await leavesOf({ messageID: "msg_3" })).toEqual([
      ["msg_2", true, "Name the timer.", 2],
      ["msg_4", false, "Something shorter?", 5],
      all.slice(0, 5),
    ]);
  });

  test("may cut an answer: the active leaf is the last part that is left", async () => {
    expect(await leavesOf({ messageID: "msg_4", partID: "prt_msg_4_2" })).toEqual([
      ["prt_msg_4_1", true, "Something shorter?", 4],
      ["msg_4", false, "Something shorter?", 5],
      [...all, "msg_4", "prt_msg_4_0", "prt_msg_4_1"],
    ]);
  });

  test("of everything leaves an empty branch, called after the session", async () => {
    expect(await leavesOf({ messageID: "msg_1" })).toEqual([
      [SESSION, true, null, 0],
      ["msg_4", false, "Something shorter?", 5],
      [],
    ]);
  });

  test.each([{ messageID: "msg_9" }, {}, "nonsense", null])("to %j reverts nothing", async (revert) => {
    expect((await leavesOf(revert)).slice(0, -1)).toEqual([["msg_4", true, "Something shorter?", 5]]);
  });

  test("of an unknown leaf is refused", async () => {
    using session = await openIn(databaseOf({ messages: LINE }));
    const history = Array.fromAsync(session.history({ leaf: "msg_9" }));
    await expect(history).rejects.toSatisfy((error) => isContinuoError(error, "not_found"));
    expect((await Array.fromAsync(session.history({ leaf: "msg_2" }))).at(-1)?.id).toBe("msg_2");
  });
});

describe("the newest part of a session", () => {
  const LONG = Array.from({ length: 40 }, (_, at) => [
    user(`msg_${at + 100}a`, `Question ${at}`),
    answer(`msg_${at + 100}b`, [text("words ".repeat(50))]),
  ])
    .flat()
    .map((message, at) => ({ ...message, at: FIRST_MS + at * 1000 }));

  test("is read from a question on, and says that it is a part", async () => {
    const path = databaseOf({ messages: LONG });
    const [found] = await findIn(path);
    if (found === undefined) throw new Error("expected a session");
    using part = await opencodeFormat.open(found, placesOf(path), { newestBytes: 1000 });
    using whole = await opencodeFormat.open(found, placesOf(path), {});
    const messages = await Array.fromAsync(part.history());
    expect([part.partial, messages[0]?.role]).toEqual([true, "user"]);
    expect(messages.length).toBeLessThan(12);
    const all = await Array.fromAsync(whole.history());
    expect(messages.slice(1)).toEqual(all.slice(1 - messages.length));
    expect(part.problems).toEqual([]);
    expect((await Array.fromAsync(part.entries())).length).toBe(part.details.records);
  });

  test("is all of it where it is short", async () => {
    const path = databaseOf({ messages: TEA });
    const [found] = await findIn(path);
    if (found === undefined) throw new Error("expected a session");
    using session = await opencodeFormat.open(found, placesOf(path), { newestBytes: 1_000_000 });
    expect([session.partial, session.details.messages.total]).toEqual([false, 2]);
  });
});
