import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type Block, type Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { rounds } from "../../../../test/sizes/counts.ts";
import { agentOfAdapterFormat, readNativeSession } from "../native/index.ts";
import type { AdapterFormat, SessionAdapter } from "./append/index.ts";
import { renameNativeSession } from "./rename.ts";
import { openSessionAdapter, type SessionAdapterOptions } from "./session-adapter.ts";

const FORMATS: readonly AdapterFormat[] = ["ccsdk", "codex", "pi-agent", "gemini", "opencode"];
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FIXTURES = join(import.meta.dirname, "../../../../test/fixtures");
const OPENCODE_DATABASE = join(FIXTURES, "opencode/text-and-thinking/home/opencode/opencode.db");

let home: string;
let places: Places;

beforeEach(() => {
  home = scratchFolder("adapter");
  places = { home, env: {} };
  // Continuo does not make the database of opencode; this one was made by the real opencode.
  const data = join(home, ".local", "share", "opencode");
  mkdirSync(data, { recursive: true });
  copyFileSync(OPENCODE_DATABASE, join(data, "opencode.db"));
});

function create(format: AdapterFormat, options: Partial<SessionAdapterOptions> = {}): SessionAdapter {
  return openSessionAdapter({
    format,
    places,
    create: { cwd: join(home, "project"), title: "Tea" },
    ...options,
  });
}

function again(adapter: SessionAdapter, options: Partial<SessionAdapterOptions> = {}): SessionAdapter {
  return openSessionAdapter({
    format: adapter.format,
    sessionFile: adapter.sessionFile,
    places,
    lockWaitMs: 50,
    ...options,
  });
}

const text = (words: string): Block => ({ type: "text", text: words });

/** Gemini CLI records a call as `NAME__ID`. */
const bare = (id: string): string => id.replace(/^Read__/u, "");

/** Returns the content of a message, without its place. */
function said(message: Message): unknown {
  const content = message.content.map(({ native: _native, ...block }) =>
    block.type === "tool_result"
      ? {
          type: block.type,
          toolCallId: bare(block.toolCallId),
          isError: block.isError,
          content: block.content.map(({ native: _inner, ...inner }) => inner),
        }
      : withoutRaw(block),
  );
  return { role: message.role, content };
}

function withoutRaw(block: Omit<Block, "native">): unknown {
  const { rawArgs: _rawArgs, ...rest } = block as { rawArgs?: string; id?: string };
  return rest.id === undefined ? rest : { ...rest, id: bare(rest.id) };
}

const conversation = (history: readonly Message[]): Message[] =>
  history.filter(({ role, origin }) => role !== "system" && origin !== "injected");

test("the slug that Claude Code gave a session is reported", async () => {
  const project = join(FIXTURES, "claude/compaction/home/projects/-home-dev-project");
  const sessionFile = join(project, "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a.jsonl");
  await using adapter = openSessionAdapter({ format: "ccsdk", sessionFile, places });
  expect((await adapter.getMetadata()).slug).toBe("starry-fluttering-pearl");
});

describe.each(FORMATS)("%s", (format) => {
  test("no file is opened before the first call, and a session begins with its first message", async () => {
    const adapter = create(format);
    expect(existsSync(join(home, ".continuo"))).toBe(false);
    expect(await adapter.loadHistory()).toEqual([]);
    expect(existsSync(adapter.sessionFile)).toBe(format === "opencode");
    const id = await adapter.appendUserMessage("Compare the two notes.");
    const [message] = conversation(await adapter.loadHistory());
    expect(message).toMatchObject({ id, role: "user", content: [{ type: "text" }] });
    if (format !== "opencode") expect(statSync(adapter.sessionFile).mode & 0o777).toBe(0o600);
    await adapter.close();
  });

  test("appended messages can be found by their ids: text, image, thinking, parallel calls, results, usage", async () => {
    await using adapter = create(format);
    const ids = [
      await adapter.appendUserMessage("Schau \u2028 é 你好 \u0000", [
        { mimeType: "image/png", data: PICTURE },
      ]),
      await adapter.appendAssistantMessage(
        [
          { type: "thinking", text: "Both." },
          { type: "text", text: "I read." },
          { type: "tool_call", id: "call_1", name: "Read", args: { path: "one.md" } },
          { type: "tool_call", id: "call_2", name: "Read", args: { path: "two.md" } },
        ],
        { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3 },
      ),
      await adapter.appendToolResult("call_2", "no such file", true),
      await adapter.appendToolResult("call_1", "a note"),
      await adapter.appendAssistantMessage("Done."),
    ];
    const history = conversation(await adapter.loadHistory());
    expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(new Set(history.map(({ id }) => id))).toEqual(new Set(ids));
    expect(history[1]?.content.map(({ type }) => type)).toEqual([
      "thinking",
      "text",
      "tool_call",
      "tool_call",
    ]);
    expect(history[1]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 3 });
    const results = new Map(
      history.flatMap((one) => (one.role === "tool" ? [[bare(one.toolCallId ?? ""), one]] : [])),
    );
    expect(results.get("call_1")).toMatchObject({ toolName: "Read", toolOutput: "a note" });
    expect(results.get("call_2")?.content).toMatchObject([{ isError: true }]);
    expect(history[0]?.content.find(({ type }) => type === "image")).toMatchObject({ data: PICTURE });
  });

  test("an existing session is found, is listed under its title, and has no problems", async () => {
    await using adapter = create(format);
    await adapter.appendUserMessage("Compare the two notes.");
    await adapter.appendAssistantMessage("They differ.");
    const { sessionId, cwd, title, slug } = await adapter.getMetadata();
    const slugs = { gemini: "project", opencode: sessionId.slice(-8).toLowerCase() };
    expect({ cwd, title, slug }).toEqual({
      cwd: join(home, "project"),
      title: "Tea",
      slug: format === "gemini" || format === "opencode" ? slugs[format] : null,
    });
    const session = await readNativeSession(`${agentOfAdapterFormat(format)?.name}:${sessionId}`, { places });
    expect(session.problems).toEqual([]);
  });

  test("a new title is shown, and the conversation continues after it", async () => {
    await using adapter = create(format);
    await adapter.appendUserMessage("Compare the two notes.");
    const { sessionId } = await adapter.getMetadata();
    await renameNativeSession(`${agentOfAdapterFormat(format)?.name}:${sessionId}`, " Coffee\n now ", {
      places,
    });
    expect((await adapter.getMetadata()).title).toBe("Coffee now");
    await adapter.appendAssistantMessage("They differ.");
    expect(conversation(await adapter.loadHistory())).toHaveLength(2);
    expect((await adapter.getMetadata()).title).toBe("Coffee now");
  });

  test("every message reads back as it was appended", async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (messages) => {
        const adapter = create(format);
        const ids: string[] = [];
        for (const message of messages) ids.push(await appendTo(adapter, message));
        const history = conversation(await adapter.loadHistory());
        await adapter.close();
        expect(history.map(said)).toEqual(messages);
        expect(history.map(({ id }) => id)).toEqual(ids);
      }),
      { numRuns: rounds(25) },
    );
  });

  test("an adapter that is opened later continues after records that another program has written since", async () => {
    await using first = create(format);
    await first.appendUserMessage("One.");
    const { sessionId } = await first.getMetadata();
    await using second = again(first, { sessionId });
    await second.appendAssistantMessage("Two.");
    await first.appendUserMessage("Three.");
    await second.appendAssistantMessage("Four.");
    const texts = conversation(await first.loadHistory()).map(
      ({ content }) => content[0]?.type === "text" && content[0].text,
    );
    expect(texts).toEqual(["One.", "Two.", "Three.", "Four."]);
  });

  test("no other writer gets between a call and its result", async () => {
    await using first = create(format);
    await first.appendUserMessage("One.");
    await first.appendAssistantMessage([{ type: "tool_call", id: "call_1", name: "Read", args: {} }]);
    const { sessionId } = await first.getMetadata();
    await using second = again(first, { sessionId });
    await expect(second.appendUserMessage("Two.")).rejects.toMatchObject({ code: "busy" });
    await first.appendToolResult("call_1", "a note");
    await second.appendUserMessage("Two.");
  });

  test("content that the agent cannot store is refused, and nothing is written", async () => {
    await using adapter = create(format);
    await adapter.appendUserMessage("One.");
    const before = conversation(await adapter.loadHistory());
    const wrong = [
      () => adapter.appendToolResult("call_1", "a note"),
      () => adapter.appendUserMessage([]),
      () => adapter.appendUserMessage([{ type: "unknown", raw: 1 }]),
      () => adapter.appendAssistantMessage([{ type: "tool_call", id: "call|1", name: "Read", args: {} }]),
      () => adapter.appendAssistantMessage([{ type: "tool_call", id: "call_1", name: "", args: {} }]),
      () =>
        adapter.appendAssistantMessage([
          { type: "tool_call", id: "call_1", name: "r".repeat(129), args: {} },
        ]),
      () =>
        adapter.appendAssistantMessage([
          { type: "tool_call", id: "call_1", name: "Read", args: {} },
          { type: "tool_call", id: "call_1", name: "Read", args: {} },
        ]),
      () =>
        adapter.appendAssistantMessage([
          { type: "tool_call", id: "call_1", name: "Read", args: ["a list"] as never },
        ]),
      () => adapter.appendUserMessage(""),
      () => adapter.appendUserMessage([{ type: "thinking", text: "Hm." }]),
      () => adapter.appendUserMessage("Look.", [{ mimeType: "image/svg+xml", data: "PHN2Zy8+" }]),
      () => adapter.appendUserMessage("Look.", [{ mimeType: "image/png", data: "" }]),
      () => adapter.appendUserMessage("Look.", [{ mimeType: "image/png" }]),
    ];
    for (const append of wrong) await expect(append()).rejects.toMatchObject({ code: "invalid" });
    expect(conversation(await adapter.loadHistory())).toEqual(before);
  });

  test("blocks that an agent or its model would not read are left out or repaired", async () => {
    const half = "\ud83d";
    await using adapter = create(format);
    await adapter.appendUserMessage([text(""), text(`One${half}.`)]);
    await adapter.appendAssistantMessage([
      text(""),
      { type: "tool_call", id: "call_1", name: "Read", args: { [half]: [half] } },
    ]);
    await adapter.appendToolResult("call_1", half);
    const [asked, called, answered] = await adapter.loadHistory().then((all) => all.slice(-3));
    const [call] = called?.content ?? [];
    expect({
      asked: asked?.content.map(({ native: _native, ...block }) => block),
      calls: called?.content.length,
      call,
      said: answered?.toolOutput,
    }).toEqual({
      asked: [text("One\ufffd.")],
      calls: 1,
      call: expect.objectContaining({ args: { "\ufffd": ["\ufffd"] } }),
      said: "\ufffd",
    });
  });

  test("flush and close can be called again, and a closed adapter refuses other calls", async () => {
    const adapter = create(format);
    const written = adapter.appendUserMessage("One.");
    await adapter.flush();
    await adapter.flush();
    await written;
    await adapter.close();
    await adapter.close();
    await expect(adapter.appendUserMessage("Two.")).rejects.toMatchObject({ code: "unavailable" });
    await expect(adapter.loadHistory()).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("a new session has an absolute path as its folder, and a title of one line", async () => {
  const places: Places = { home, env: {} };
  const relative = (): unknown =>
    openSessionAdapter({ format: "pi-agent", create: { cwd: "project" }, places });
  expect(relative).toThrow(expect.objectContaining({ code: "usage" }));
  const title = "A\u001b[2J\ntitle";
  await using adapter = openSessionAdapter({ format: "pi-agent", create: { cwd: home, title }, places });
  await adapter.appendUserMessage("One.");
  expect((await adapter.getMetadata()).title).toBe("A [2J title");
});

test("a full disk leaves the session unchanged", async () => {
  await using adapter = create("ccsdk");
  await adapter.appendUserMessage("One.");
  const { sessionFile } = adapter;
  const before = readFileSync(sessionFile);
  const script = `
    const { openSessionAdapter } = await import(${JSON.stringify(import.meta.resolve("./index.ts"))});
    process.on("SIGXFSZ", () => undefined);
    const places = { home: ${JSON.stringify(home)}, env: {} };
    const adapter = openSessionAdapter({ format: "ccsdk", sessionFile: ${JSON.stringify(sessionFile)}, places });
    await adapter.appendUserMessage("x".repeat(200_000)).catch((error) => console.log(error.code));
    await adapter.close();`;
  // The limit is in blocks of 512 bytes: the file is smaller than the limit, and would be larger with the message.
  const limit = 'ulimit -f 100; exec "$0" --input-type=module --eval "$1"';
  const { stdout } = spawnSync("sh", ["-c", limit, process.execPath, script], { encoding: "utf8" });
  expect(stdout.trim()).toBe("unwritable");
  expect(readFileSync(sessionFile)).toEqual(before);
});

test("a session that its agent has open is refused", async () => {
  await using adapter = create("ccsdk");
  await adapter.appendUserMessage("One.");
  const { sessionId } = await adapter.getMetadata();
  const before = readFileSync(adapter.sessionFile);
  const running = join(home, ".claude", "sessions");
  mkdirSync(running);
  writeFileSync(join(running, `${process.pid}.json`), JSON.stringify({ sessionId }));
  await expect(adapter.appendUserMessage("Two.")).rejects.toMatchObject({ code: "session_live" });
  const renaming = renameNativeSession(`claude:${sessionId}`, "Other", { places });
  await expect(renaming).rejects.toMatchObject({ code: "session_live" });
  expect(readFileSync(adapter.sessionFile)).toEqual(before);
});

test("an incomplete line stays, and the next record begins on a new line", async () => {
  await using adapter = create("ccsdk");
  await adapter.appendUserMessage("One.");
  appendFileSync(adapter.sessionFile, '{"type":"user","uu');
  await adapter.appendAssistantMessage("Two.");
  expect(readFileSync(adapter.sessionFile, "utf8")).toContain('{"type":"user","uu\n{');
  expect(conversation(await adapter.loadHistory())).toHaveLength(2);
});

test("a missing format or place is a usage error", () => {
  expect(() => openSessionAdapter({ format: "ccsdk" })).toThrow(/sessionFile/u);
  expect(() => openSessionAdapter({ format: "cursor" as "ccsdk", sessionFile: "/x" })).toThrow(
    expect.objectContaining({
      message: 'there is no session format "cursor"',
      hint: `Name the agent: ${AGENT_NAMES.join(", ")}.`,
    }),
  );
});

test("an agent's name opens the same format as its name in the contract of adapters", () => {
  const formatOf = (format: SessionAdapterOptions["format"]) =>
    openSessionAdapter({ format, sessionFile: "/x" }).format;
  expect(AGENT_NAMES.map(formatOf)).toEqual(["ccsdk", "codex", "gemini", "pi-agent", "opencode", "copilot"]);
  expect((["ccsdk", "pi-agent"] as const).map(formatOf)).toEqual(["ccsdk", "pi-agent"]);
});

async function appendTo(adapter: SessionAdapter, { role, content }: TurnMessage): Promise<string> {
  if (role === "user") return await adapter.appendUserMessage(content);
  if (role === "assistant") return await adapter.appendAssistantMessage(content);
  const [result] = content;
  if (result?.type !== "tool_result") throw new Error("a tool message holds a result");
  return await adapter.appendToolResult(result.toolCallId, result.content, result.isError);
}

interface TurnMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: readonly Block[];
}

/** Words that no agent takes for a command or for its own reminders. */
const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).map((text) => `W ${text}.`);
const calls = fc.array(fc.tuple(words, fc.boolean()), { maxLength: 3 });

/** A question, an answer with some calls, their results in order, and a last word. */
const turns: fc.Arbitrary<TurnMessage[]> = fc
  .array(fc.tuple(words, words, calls, words), { minLength: 1, maxLength: 3 })
  .map((rounds) =>
    rounds.flatMap(([question, answer, made, last], round): TurnMessage[] => [
      { role: "user", content: [{ type: "text", text: question }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: answer },
          ...made.map(
            ([input], at): Block => ({
              type: "tool_call",
              id: `call_${round}_${at}`,
              name: "Read",
              args: { input },
            }),
          ),
        ],
      },
      ...made.map(
        ([output, isError], at): TurnMessage => ({
          role: "tool",
          content: [
            {
              type: "tool_result",
              toolCallId: `call_${round}_${at}`,
              isError,
              content: [{ type: "text", text: output }],
            },
          ],
        }),
      ),
      { role: "assistant", content: [{ type: "text", text: last }] },
    ]),
  );
