/** `importNativeSession` stores each event once: when it is repeated, in parallel, and for a session that grows. */

import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNativeSession } from "@continuo/agents";
import { TranscriptBuilder, toOpenAIMessages } from "@continuo/core/transcript";
import { importNativeSession, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../scratch-folder.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/claude/parallel-tools/home");

test.each(["memory:", "sqlite:"])("an import into %s adds each new event once", async (kind) => {
  const home = scratchFolder("import");
  mkdirSync(home, { recursive: true });
  cpSync(FIXTURE, join(home, ".claude"), { recursive: true });
  const [name = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: home });
  const path = join(home, name);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const ids = lines.map((line) => (JSON.parse(line) as { message?: { id?: string } }).message?.id);
  // Claude Code writes each block of an answer as a separate line, so the session ends in the middle of an answer.
  const cut = ids.findIndex((id, at) => id !== undefined && ids[at + 1] === id) + 1;
  writeFileSync(path, `${lines.slice(0, cut).join("\n")}\n`);
  await using store = await openStore(kind === "memory:" ? kind : `sqlite:${join(home, "archive.db")}`);
  const options = { places: { home, env: {} }, metadata: { user: "ann" } };
  const first = await importNativeSession(store, path, options);
  expect(first.added).toBe(first.messages);
  expect((await store.getSession(first.sessionId))?.metadata).toMatchObject({
    user: "ann",
    importedFrom: { agent: "claude", location: path },
  });
  expect(await importNativeSession(store, path, options)).toEqual({ ...first, added: 0 });
  writeFileSync(path, `${lines.join("\n")}\n`);
  const size = await store.latestSequence(first.sessionId);
  await Promise.all([1, 2, 3].map(() => importNativeSession(store, path, options)));
  const { messages: native } = await readNativeSession(path, { places: options.places });
  const { messages } = await TranscriptBuilder.fromStore(store, first.sessionId);
  expect(messages.map(({ content }) => content)).toEqual(native.map(({ content }) => content));
  // There is one more than the new messages, because the incomplete answer has a new form.
  expect(await store.latestSequence(first.sessionId)).toBe(size + native.length - first.messages + 1);
  expect((await importNativeSession(store, path, options)).added).toBe(0);
});

test("messages of a branch that a person left are hidden, and shown again when they continue from it", async () => {
  const home = scratchFolder("import-branches");
  const folder = join(home, ".claude/projects/-work");
  mkdirSync(folder, { recursive: true });
  const sessionId = "11111111-1111-4111-8111-111111111111";
  const path = join(folder, `${sessionId}.jsonl`);
  const line = (uuid: string, parentUuid: string | null, text: string, minute: number): string => {
    const type = uuid.startsWith("a") ? "assistant" : "user";
    const content = type === "user" ? text : [{ type: "text", text }];
    const message = { role: type, content, ...(type === "user" ? {} : { id: `msg_${uuid}`, model: "m" }) };
    const timestamp = `2026-11-01T10:0${minute}:00.000Z`;
    return JSON.stringify({
      type,
      uuid,
      parentUuid,
      sessionId,
      cwd: "/work",
      version: "2.1.0",
      timestamp,
      message,
    });
  };
  const lines = [line("u1", null, "hello", 0), line("a1", "u1", "hi", 1), line("u2", "a1", "left", 2)];
  const put = (more: readonly string[]): void => {
    lines.push(...more);
    writeFileSync(path, `${lines.join("\n")}\n`);
  };
  await using store = await openStore("memory:");
  const options = { places: { home, env: {} } };
  const shown = async (): Promise<unknown> => {
    const imported = await importNativeSession(store, path, options);
    expect((await importNativeSession(store, path, options)).added).toBe(0);
    const { messages } = await TranscriptBuilder.fromStore(store, imported.sessionId);
    return toOpenAIMessages(messages).messages.map(({ content }) => content);
  };
  put([line("a2", "u2", "left too", 3)]);
  expect(await shown()).toEqual(["hello", "hi", "left", "left too"]);
  put([line("u3", "a1", "taken", 4), line("a3", "u3", "taken too", 5)]);
  expect(await shown()).toEqual(["hello", "hi", "taken", "taken too"]);
  put([line("u4", "a2", "back again", 6)]);
  expect(await shown()).toEqual(["hello", "hi", "left", "left too", "back again"]);
});

test("messages that a program stored in an imported session stay, whatever their ids are", async () => {
  const home = scratchFolder("import-asked");
  mkdirSync(home, { recursive: true });
  cpSync(FIXTURE, join(home, ".claude"), { recursive: true });
  const [name = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: home });
  const options = { places: { home, env: {} } };
  await using c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 10 });
  const { sessionId } = await importNativeSession(c.store, join(home, name), options);
  await c.session(sessionId).send("What did you do?", { id: "q1" }).result();
  const data = { messageId: "m1", role: "user", content: "a note" };
  await c.store.append(sessionId, [{ id: "m1/note", type: "message_sent", data }]);
  const before = await c.store.latestSequence(sessionId);
  expect((await importNativeSession(c.store, join(home, name), options)).added).toBe(0);
  expect(await c.store.latestSequence(sessionId)).toBe(before);
});
