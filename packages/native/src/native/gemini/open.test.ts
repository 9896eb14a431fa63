import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { OpenedSession, OpenOptions } from "../kit/index.ts";
import { geminiFormat } from "./index.ts";

type Json = Readonly<Record<string, unknown>>;

const scratch = scratchFolder("gemini-open");
let places: Places;
beforeAll(() => {
  places = { home: join(scratch, "home"), env: {} };
});

const HEADER = { sessionId: "0faaaaaa-0000-4000-8000-00000000000a", projectHash: "x", kind: "main" };

async function openRecords(records: readonly Json[], options: OpenOptions = {}): Promise<OpenedSession> {
  const path = join(mkdtempSync(join(scratch, "file-")), "session-1.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [HEADER, ...records].map((record) => `${JSON.stringify(record)}\n`).join(""));
  const found = await geminiFormat.recognise(path, places);
  if (found === null) throw new Error("not recognised");
  return await geminiFormat.open(found, places, options);
}

const user = (id: string, content: unknown = id): Json => ({ id, type: "user", content });
const gemini = (id: string, more: Json = {}): Json => ({ id, type: "gemini", content: id, ...more });
const response = (id: string, output: string): Json => ({
  functionResponse: { id, name: "read_file", response: { output } },
});

describe("the newest part of a session", () => {
  const turns = Array.from({ length: 400 }, (_, n) => [user(`u${n}`), gemini(`g${n}`)]).flat();

  test("is read without the rest, and says so", async () => {
    using session = await openRecords(turns, { newestBytes: 1000 });
    expect(session.partial).toBe(true);
    const ids = (await Array.fromAsync(session.history())).map(({ id }) => id);
    expect(ids.at(-1)).toBe("g399");
    expect(ids.length).toBeGreaterThan(4);
    expect(ids.length).toBeLessThan(40);
    expect(session.problems).toEqual([]);
  });

  test("grows until it holds a message, because a rewind by itself shows nothing", async () => {
    using session = await openRecords([...turns, { $rewindTo: "u399" }], { newestBytes: 40 });
    const ids = (await Array.fromAsync(session.history())).map(({ id }) => id);
    expect(ids.at(-1)).toBe("g398");
  });

  test("is the whole file if it is small", async () => {
    using session = await openRecords([user("a")], { newestBytes: 10_000 });
    expect(session.partial).toBe(false);
  });
});

describe("results", () => {
  const call = { id: "t1", name: "read_file", args: { file_path: "a" } };

  test("of parallel calls whose lists repeat each other can be told apart", async () => {
    const both = [
      response("t1", "one"),
      { inlineData: { mimeType: "image/png", data: "aA==" } },
      response("t2", "two"),
    ];
    const calls = [
      { ...call, result: both, status: "success" },
      { ...call, id: "t2", result: both, status: "success" },
    ];
    using session = await openRecords([user("a"), gemini("g", { toolCalls: calls }), user("r", both)]);
    const tools = (await Array.fromAsync(session.history())).filter(({ role }) => role === "tool");
    expect(tools.map(({ toolCallId, toolOutput, content }) => [toolCallId, toolOutput, content])).toEqual([
      [
        "t1",
        "one",
        [
          expect.objectContaining({
            content: [
              { type: "text", text: "one" },
              { type: "image", mimeType: "image/png", data: "aA==" },
            ],
          }),
        ],
      ],
      ["t2", "two", [expect.objectContaining({ content: [{ type: "text", text: "two" }] })]],
    ]);
    expect(tools.map(({ metadata }) => metadata.records)).toEqual([
      [{ line: 3 }, { line: 4 }],
      [{ line: 3 }, { line: 4 }],
    ]);
  });

  test("that are the only content of a user message belong to the call before them", async () => {
    using session = await openRecords([
      gemini("g", { content: [{ functionCall: call, thoughtSignature: "sig" }] }),
      user("r", [response("t1", "one")]),
    ]);
    const [answer, tool] = await Array.fromAsync(session.history());
    expect(answer?.content).toEqual([
      { type: "tool_call", id: "t1", name: "read_file", args: { file_path: "a" }, signature: "sig" },
    ]);
    expect(tool).toMatchObject({
      id: "r",
      toolCallId: "t1",
      toolName: "read_file",
      toolInput: { file_path: "a" },
      toolOutput: "one",
    });
  });

  test("say how they ended", async () => {
    const ends = ["success", "error", "cancelled"].map((status, n) => ({
      ...call,
      id: `t${n}`,
      status,
      result: "x",
    }));
    using session = await openRecords([gemini("g", { toolCalls: ends })]);
    const results = (await Array.fromAsync(session.history())).flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.status, block.isError]] : [])),
    );
    expect(results).toEqual([
      ["ok", false],
      ["error", true],
      ["cancelled", true],
    ]);
  });
});

describe("a result that is recorded again", () => {
  const call = { id: "t1", name: "read_file", args: {} };
  const withResult = gemini("g", {
    toolCalls: [{ ...call, result: [response("t1", "one")], status: "success" }],
  });

  test("far from its call is the same result, and a result with other content stays", async () => {
    const again = [
      user("u"),
      user("r1", [response("t1", "one")]),
      user("v"),
      user("r2", [response("t1", "two")]),
    ];
    using session = await openRecords([withResult, ...again]);
    const tools = (await Array.fromAsync(session.history())).filter(({ role }) => role === "tool");
    expect(tools.map(({ id, toolOutput }) => [id, toolOutput])).toEqual([
      ["g#2", "one"],
      ["r2", "two"],
    ]);
  });

  test("after a compaction has a place there too, under an id of its own", async () => {
    const summary = user("s", "<state_snapshot>short</state_snapshot>");
    using session = await openRecords([
      user("a"),
      withResult,
      { $set: { messages: [summary, gemini("ok")] } },
      user("b"),
      withResult,
    ]);
    const history = await Array.fromAsync(session.history());
    expect(history.map(({ id }) => id)).toEqual(["a", "g", "g#2", "s", "ok", "b", "g@6", "g@6#2"]);
    expect(geminiFormat.modelView(history).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
  });
});

test("an answer that was written again without its call is a branch", async () => {
  const call = { functionCall: { id: "t1", name: "read_file", args: {} } };
  using session = await openRecords([
    user("a"),
    gemini("g", { content: [call] }),
    gemini("g", { content: [] }),
  ]);
  expect(session.leaves).toHaveLength(2);
});

test("the row of a file has a title near its end, whatever follows it", async () => {
  const path = join(scratch, "session-title.jsonl");
  const records = [
    HEADER,
    user("a"),
    gemini("b"),
    { $set: { summary: "Greetings" } },
    { $set: { lastUpdated: "2026-05-06T07:00:00.000Z" } },
  ];
  for (const order of [records, [...records.slice(0, 3), ...records.slice(3).reverse()]]) {
    writeFileSync(path, order.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const found = await geminiFormat.recognise(path, places);
    if (found === null) throw new Error("not recognised");
    expect((await geminiFormat.skim(found, { part: "whole" })).title).toBe("Greetings");
  }
});

test("parts of every kind become blocks, and none is lost", async () => {
  const odd = { executableCode: { language: "PYTHON", code: "1" } };
  const extra = { text: "with more", thoughtSignature: "s", videoMetadata: { fps: 1 } };
  using session = await openRecords([
    user("u", [
      "plain",
      { text: "text" },
      { inlineData: { mimeType: "application/pdf", data: "aA==", displayName: "a.pdf" } },
      { fileData: { mimeType: "image/png", fileUri: "https://example.com/a.png" } },
      odd,
      extra,
    ]),
  ]);
  const [message] = await Array.fromAsync(session.history());
  expect(message?.content).toEqual([
    { type: "text", text: "plain" },
    { type: "text", text: "text" },
    { type: "file", mimeType: "application/pdf", name: "a.pdf", data: "aA==" },
    { type: "image", mimeType: "image/png", url: "https://example.com/a.png" },
    { type: "unknown", raw: odd },
    { type: "unknown", raw: extra },
  ]);
});

test("tokens: cached input is not counted as input, thoughts count as output, an answer that is written twice counts once", async () => {
  const tokens = { input: 100, output: 10, cached: 40, thoughts: 5, tool: 3, total: 118 };
  using session = await openRecords([
    user("u"),
    gemini("g", { tokens }),
    gemini("g", { tokens, model: "m" }),
  ]);
  const usage = {
    inputTokens: 63,
    outputTokens: 15,
    cacheReadTokens: 40,
    reasoningTokens: 5,
    totalTokens: 118,
  };
  expect(session.details).toMatchObject({ usage, models: ["m"], branches: 1 });
});

test("a version of an answer with fewer fields is completed from its first line", async () => {
  const timestamp = "2026-05-06T07:00:01.000Z";
  const thought = { subject: "Tea", description: "Hot." };
  const first = gemini("g", {
    content: "Yes.",
    timestamp,
    thoughts: [thought],
    model: "m",
    tokens: { input: 1, output: 1 },
  });
  const again = {
    id: "g",
    type: "gemini",
    timestamp: "2026-05-07T00:00:00.000Z",
    content: [{ text: "**Tea** Hot.", thought: true }, { text: "Yes." }],
  };
  using session = await openRecords([user("u"), first, { $set: { messages: [user("u"), again] } }]);
  const [, answer] = await Array.fromAsync(session.history());
  expect(answer).toMatchObject({
    timestamp,
    model: "m",
    usage: { inputTokens: 1 },
    content: [
      { type: "thinking", text: "**Tea** Hot." },
      { type: "text", text: "Yes." },
    ],
    metadata: { records: [{ line: 3 }, { line: 4 }] },
  });
});

test("an unknown branch is an error; a branch is read by its id", async () => {
  using session = await openRecords([user("a"), gemini("b"), { $rewindTo: "b" }, user("c")]);
  expect(session.leaves.map(({ id, active }) => [id, active])).toEqual([
    ["c", true],
    ["b", false],
  ]);
  const branch = await Array.fromAsync(session.history({ leaf: "b" }));
  expect(branch.map(({ id }) => id)).toEqual(["a", "b"]);
  await expect(Array.fromAsync(session.history({ leaf: "x" }))).rejects.toMatchObject({ code: "not_found" });
});
