/** One session of pi through its adapter: its report before there is a file, the order of its calls, and its errors. */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import type { SessionAdapter } from "./append/index.ts";
import { openSessionAdapter, type SessionAdapterOptions } from "./session-adapter.ts";

let home: string;
let places: Places;
beforeEach(() => {
  home = scratchFolder("append");
  places = { home, env: {} };
});

function open(options: Partial<SessionAdapterOptions> = {}): SessionAdapter {
  return openSessionAdapter({ format: "pi-agent", places, lockWaitMs: 50, ...options });
}

const begin = (options: Partial<SessionAdapterOptions> = {}): SessionAdapter =>
  open({ create: { cwd: "/home/dev", title: "Tea", gitBranch: "main" }, ...options });

describe("a session that is not there yet", () => {
  test("has no file until its first call, and reports in advance which file it will be", async () => {
    await using adapter = begin();
    expect(adapter.sessionFile).toBe("");
    const metadata = await adapter.getMetadata();
    expect(metadata).toEqual({
      sessionId: expect.any(String),
      cwd: "/home/dev",
      gitBranch: "main",
      title: "Tea",
      slug: null,
      version: null,
      createdAt: expect.any(String),
      updatedAt: metadata.createdAt,
    });
    expect(adapter.sessionFile).toContain(metadata.sessionId);
    expect([await adapter.loadHistory(), existsSync(adapter.sessionFile)]).toEqual([[], false]);
    await adapter.appendUserMessage("One.");
    expect(await adapter.getMetadata()).toMatchObject({
      sessionId: metadata.sessionId,
      cwd: "/home/dev",
      title: "Tea",
      createdAt: metadata.createdAt,
    });
  });

  test("has the file and the id that it is given", async () => {
    const sessionFile = join(home, "sessions/given.jsonl");
    await using adapter = begin({ sessionFile, sessionId: "01997c1e-5b00-7a11-8c22-9d33ae44bf55" });
    expect(adapter.sessionFile).toBe(sessionFile);
    await adapter.appendUserMessage("One.");
    expect(readFileSync(sessionFile, "utf8")).toContain('"id":"01997c1e-5b00-7a11-8c22-9d33ae44bf55"');
  });

  test("is not begun in a file that is there by then", async () => {
    await using adapter = begin();
    await adapter.getMetadata();
    const file = adapter.sessionFile;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "of another\n");
    await expect(adapter.appendUserMessage("One.")).rejects.toMatchObject({
      code: "conflict",
      message: `${file} already contains a session`,
    });
    expect(readFileSync(file, "utf8")).toBe("of another\n");
  });
});

describe("a session that is there", () => {
  let sessionFile: string;
  let sessionId: string;
  beforeEach(async () => {
    await using adapter = begin();
    await adapter.appendUserMessage("One.");
    sessionFile = adapter.sessionFile;
    ({ sessionId } = await adapter.getMetadata());
  });

  async function words(): Promise<unknown[]> {
    await using adapter = open({ sessionFile });
    const said = (await adapter.loadHistory()).filter(({ origin }) => origin !== "notification");
    return said.map(({ content: [block] }) => block?.type === "text" && block.text);
  }

  test("is found by its file, with or without its id", async () => {
    for (const id of [{}, { sessionId }]) {
      await using adapter = open({ sessionFile, ...id });
      expect(await adapter.getMetadata()).toMatchObject({ sessionId, title: "Tea", slug: null });
    }
  });

  test.each([
    ["other.jsonl", {}, ""],
    ["other.jsonl", { sessionId: "x" }, " x"],
  ])("is not found in the file %s, with %j", async (name, id, named) => {
    const file = join(home, name);
    await using adapter = open({ sessionFile: file, ...id });
    await expect(adapter.loadHistory()).rejects.toMatchObject({
      code: "not_found",
      message: `there is no session${named} of pi in ${file}`,
    });
  });

  test("is not found by another id than its own", async () => {
    await using adapter = open({ sessionFile, sessionId: "another" });
    await expect(adapter.getMetadata()).rejects.toMatchObject({
      code: "not_found",
      message: `there is no session another of pi in ${sessionFile}`,
    });
  });

  test("gets messages in the order of the calls, even after a call that failed", async () => {
    await using adapter = open({ sessionFile });
    const calls = [
      adapter.appendAssistantMessage("Two."),
      adapter.appendToolResult("no such call", "x"),
      adapter.appendUserMessage("Three."),
      adapter.appendAssistantMessage("Four.", { inputTokens: 7, outputTokens: 2 }),
    ];
    await adapter.flush();
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(await words()).toEqual(["One.", "Two.", "Three.", "Four."]);
    const ids = (await adapter.loadHistory()).map(({ id }) => id);
    expect(settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))).toEqual(ids.slice(-3));
    expect((await adapter.loadHistory()).at(-1)?.usage).toMatchObject({ inputTokens: 7, outputTokens: 2 });
  });

  test("is left to other writers between messages, and not between a call and its result", async () => {
    await using one = open({ sessionFile });
    await using two = open({ sessionFile });
    await one.appendAssistantMessage("Two.");
    await two.appendUserMessage("Three.");
    await one.appendAssistantMessage([{ type: "tool_call", id: "c", name: "look", args: {} }]);
    await expect(two.appendUserMessage("Four.")).rejects.toMatchObject({ code: "busy" });
    await one.appendToolResult("c", "seen", true);
    await two.appendAssistantMessage("Four.");
    const [result] = (await one.loadHistory()).filter(({ role }) => role === "tool");
    expect(result?.content).toMatchObject([{ toolCallId: "c", isError: true }]);
  });

  test("is left to other writers when the adapter is closed, whatever call waits for its result", async () => {
    const one = open({ sessionFile });
    await one.appendAssistantMessage([{ type: "tool_call", id: "c", name: "look", args: {} }]);
    await one.close();
    await using two = open({ sessionFile });
    await two.appendToolResult("c", "seen");
    const [result] = (await two.loadHistory()).filter(({ role }) => role === "tool");
    expect(result?.content).toMatchObject([{ toolCallId: "c", isError: false }]);
  });

  test("removes the part of a message that a killed process left before it appends the next one", async () => {
    const size = statSync(sessionFile).size;
    const note = { how: "append", path: sessionFile, size, text: '{"type":"message"}\n' };
    const unfinished = join(home, ".continuo/unfinished");
    writeFileSync(join(unfinished, "4194304-1.json"), JSON.stringify({ note }));
    appendFileSync(sessionFile, '{"type":"mess');
    await using adapter = open({ sessionFile });
    await adapter.appendAssistantMessage("Two.");
    expect(readFileSync(sessionFile, "utf8")).not.toMatch(/"mess(?!age)/u);
    expect([await words(), readdirSync(unfinished)]).toEqual([["One.", "Two."], []]);
  });

  test("is not changed by a call that is aborted, or comes after the end", async () => {
    const reason = new Error("no longer wanted");
    await using aborted = open({ sessionFile, signal: AbortSignal.abort(reason) });
    const refused = { code: "cancelled", cause: reason };
    await expect(aborted.appendUserMessage("Two.")).rejects.toMatchObject(refused);
    const closed = open({ sessionFile });
    await closed.close();
    await expect(closed.appendUserMessage("Two.")).rejects.toMatchObject({
      code: "unavailable",
      message: "the session adapter is closed",
    });
    expect(await words()).toEqual(["One."]);
  });
});
