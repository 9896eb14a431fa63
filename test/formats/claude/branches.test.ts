/** Branches, sub-agents, and the newest part of a session. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claudeFormat } from "@continuo/native/claude";
import type { OpenedSession } from "@continuo/native/kit";
import { describe, expect, test } from "vitest";
import {
  answer,
  call,
  folder,
  historyOf,
  ID,
  line,
  open,
  places,
  result,
  text,
  useHome,
  user,
} from "./session-lines.ts";

useHome();

describe("branches", () => {
  const lines = [
    user("u1", null, "q1"),
    answer("a1", "u1", "A1"),
    user("u2", "a1", "q2"),
    answer("a2", "u2", "A2"),
    user("u3", "a1", "q3"),
    answer("a3", "u3", "A3"),
  ];

  test("every branch is a leaf, the active one first", async () => {
    using session = await open(lines);
    expect(session.leaves.map(({ id, active, messages, label }) => [id, active, messages, label])).toEqual([
      ["a3", true, 4, "q3"],
      ["a2", false, 4, "q2"],
    ]);
    const other = await Array.fromAsync(session.history({ leaf: "a2" }));
    expect(other.map((message) => message.id)).toEqual(["u1", "a1", "u2", "a2"]);
    await expect(Array.fromAsync(session.history({ leaf: "nothing" }))).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("trailing attachments and results of parallel calls are no branches", async () => {
    using session = await open([
      user("u1", null, "q1"),
      answer("b1", "u1", [call("t1")], { message: { id: "m", content: [call("t1")] } }),
      answer("b2", "b1", [call("t2")], { message: { id: "m", content: [call("t2")] } }),
      user("r1", "b1", [result("t1", "1")]),
      user("r2", "b2", [result("t2", "2")]),
      answer("a2", "r2", "done"),
      line("attachment", "x", "u1", { attachment: { type: "date" } }),
      { type: "last-prompt", leafUuid: "a2", sessionId: ID },
    ]);
    expect(session.leaves.map((leaf) => leaf.id)).toEqual(["a2"]);
    const history = await Array.fromAsync(session.history());
    expect(history.map((message) => message.id)).toEqual(["u1", "b1", "r1", "r2", "a2"]);
    expect(session.problems).toEqual([]);
  });

  test("compacted messages stay in the history, and the summary is marked", async () => {
    const history = await historyOf(
      user("u1", null, "q1"),
      answer("a1", "u1", "A1"),
      line("system", "b", null, {
        subtype: "compact_boundary",
        content: "Conversation compacted",
        logicalParentUuid: "a1",
      }),
      user("s", "b", "S", { isCompactSummary: true }),
    );
    expect(history.map((message) => [message.id, message.origin])).toEqual([
      ["u1", "person"],
      ["a1", "agent"],
      ["b", "notification"],
      ["s", "summary"],
    ]);
  });

  test("records of the active path are marked", async () => {
    using session = await open(lines);
    const entries = await Array.fromAsync(session.entries());
    expect(entries.map(({ id, active }) => [id, active])).toEqual([
      ["u1", true],
      ["a1", true],
      ["u2", false],
      ["a2", false],
      ["u3", true],
      ["a3", true],
    ]);
  });
});

describe("sub-agents", () => {
  const main = [
    user("u1", null, "q"),
    answer("a1", "u1", [call("t1", { prompt: "p" })]),
    user("r1", "a1", [result("t1", "launched")], { toolUseResult: { agentId: "ab1" } }),
  ];

  async function withSubagent(path: string, meta: object | null): Promise<OpenedSession> {
    const file = join(folder, path);
    mkdirSync(join(file, ".."), { recursive: true });
    const own = [
      user("s1", null, "p", { isSidechain: true, agentId: "ab1" }),
      answer("s2", "s1", "done", { isSidechain: true, agentId: "ab1" }),
    ];
    writeFileSync(file, own.map((each) => `${JSON.stringify(each)}\n`).join(""));
    if (meta !== null) writeFileSync(file.replace(".jsonl", ".meta.json"), JSON.stringify(meta));
    return open(main);
  }

  test.each([
    [
      "with a note beside it",
      `${ID}/subagents/agent-ab1.jsonl`,
      { agentType: "explore", description: "d", toolUseId: "t1", model: "m" },
      { type: "explore", description: "d", model: "m" },
    ],
    [
      "known by the result of its call",
      `${ID}/subagents/agent-ab1.jsonl`,
      null,
      { type: null, description: null, model: null },
    ],
    [
      "beside the session, as in older versions",
      "agent-ab1.jsonl",
      null,
      { type: null, description: null, model: null },
    ],
  ])("%s", async (_, path, meta, told) => {
    using session = await withSubagent(path, meta);
    const location = join(folder, path);
    expect(session.details.subagents).toMatchObject([{ id: "ab1", location, toolCallId: "t1", ...told }]);
    const [, started] = await Array.fromAsync(session.history());
    expect(started?.content).toMatchObject([{ type: "tool_call", childSessionId: "ab1" }]);

    const found = await claudeFormat.recognise(location, places);
    if (found === null) throw new Error("not recognised");
    expect(found).toMatchObject({ sessionId: "ab1", location });
    using child = await claudeFormat.open(found, places, {});
    expect((await Array.fromAsync(child.history())).map((message) => message.id)).toEqual(["s1", "s2"]);
    expect(child.details).toMatchObject({ title: "p", problems: [] });
    rmSync(location);
    rmSync(join(folder, ID), { recursive: true, force: true });
  });

  test("side-chain lines inside of a session are sub-agents, not branches", async () => {
    const inside = [
      user("s1", "a0", "sub", { isSidechain: true }),
      answer("s2", "s1", "sub done", { isSidechain: true }),
    ];
    const lines = [user("u1", null, "q"), answer("a0", "u1", "A"), ...inside, user("u2", "a0", "q2")];
    using session = await open(lines);
    expect(session.leaves.map((leaf) => leaf.id)).toEqual(["u2"]);
    const location = `${join(folder, `${ID}.jsonl`)}#s1`;
    expect(session.details.subagents).toMatchObject([{ id: "s1", location, toolCallId: null }]);
    const found = await claudeFormat.recognise(location, places);
    if (found === null) throw new Error("not recognised");
    using child = await claudeFormat.open(found, places, {});
    expect(child.leaves.map((leaf) => leaf.id)).toEqual(["s2"]);
  });
});

describe("only the newest part", () => {
  const turns = Array.from({ length: 400 }, (_, n) => [
    user(`u${n}`, n === 0 ? null : `a${n - 1}`, `question ${n}`),
    answer(`a${n}`, `u${n}`, [text(`answer ${n}`)]),
  ]).flat();

  test("ends like the whole session, begins later, and reports no problem of the unread part", async () => {
    using whole = await open(turns);
    using part = await open(turns, 10_000);
    const all = (await Array.fromAsync(whole.history())).map(({ id, content }) => ({ id, content }));
    const newest = (await Array.fromAsync(part.history())).map(({ id, content }) => ({ id, content }));
    expect(newest.length).toBeGreaterThan(20);
    expect(newest.length).toBeLessThan(100);
    expect(newest).toEqual(all.slice(-newest.length));
    expect([part.partial, whole.partial]).toEqual([true, false]);
    expect(part.problems).toEqual([]);
    expect(part.details.messages.total).toBe(newest.length);
  });

  test("half an answer at its start is left out", async () => {
    const blocks = Array.from({ length: 30 }, (_, n) =>
      line("assistant", `b${n}`, n === 0 ? "u0" : `b${n - 1}`, {
        apiBlockIndex: n,
        message: { id: "m", content: [text("x".repeat(300))] },
      }),
    );
    using part = await open(
      [user("u0", null, "q"), ...blocks, user("u1", "b29", "next"), answer("a1", "u1", "A")],
      3000,
    );
    expect((await Array.fromAsync(part.history())).map((message) => message.id)).toEqual(["u1", "a1"]);
  });

  test("a window inside of one long line is made wider", async () => {
    using part = await open([user("u0", null, "q"), answer("a0", "u0", "x".repeat(50_000))], 1000);
    expect((await Array.fromAsync(part.history())).map((message) => message.id)).toContain("a0");
  });
});
