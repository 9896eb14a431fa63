/** `importNativeSession` stores each event once: when it is repeated, in parallel, and for a session that grows. */

import {
  appendFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { findNativeSessions, readNativeSession } from "@continuo/agents";
import { addUsage, type Session, type Store } from "@continuo/core/model";
import { TranscriptBuilder, toOpenAIMessages } from "@continuo/core/transcript";
import { importNativeSession, importNativeSessions, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { KeptMessages } from "../../packages/server/src/runtime/imported-messages.ts";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls } from "../intercepted.ts";
import { scratchFolder } from "../scratch-folder.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/claude/parallel-tools/home");

test("an import counts what it leaves in the native session, also when it does not read it again", async () => {
  const home = scratchFolder("import-left-out");
  mkdirSync(home, { recursive: true });
  cpSync(join(FIXTURE, "../../branch/home"), join(home, ".claude"), { recursive: true });
  const places = { home, env: {} };
  for (const path of globSync(".claude/projects/*/*.jsonl", { cwd: home }))
    appendFileSync(join(home, path), '{"type":"from-tomorrow","uuid":"u"}\nnot JSON\n');
  await using store = await openStore("memory:");
  const sessions = await Array.fromAsync(importNativeSessions(store, { places }));
  expect(sessions).not.toHaveLength(0);
  for (const { sessionId, leftOut } of sessions) {
    expect(leftOut).toMatchObject({ unknownRecords: 1, problems: 1 });
    const [, id = ""] = /^claude-(.*)$/u.exec(sessionId) ?? [];
    const again = await importNativeSession(store, id, { places });
    expect(again).toMatchObject({ added: 0, leftOut });
  }
  expect(sessions.reduce((sum, { leftOut }) => sum + leftOut.branches, 0)).toBeGreaterThan(0);
});

test("an import into a session with another folder leaves the session in its own", async () => {
  const home = scratchFolder("import-other-folder");
  mkdirSync(home, { recursive: true });
  cpSync(FIXTURE, join(home, ".claude"), { recursive: true });
  const [name = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: home });
  await using store = await openStore("memory:");
  await store.createSession({ sessionId: "job", cwd: "/srv/job" });
  const options = { places: { home, env: {} }, sessionId: "job" };
  expect(await importNativeSession(store, join(home, name), options)).toMatchObject({ sessionId: "job" });
  expect(await store.getSession("job")).toMatchObject({ cwd: "/srv/job" });
});

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
  const { usage: usageBefore } = (await TranscriptBuilder.fromStore(store, first.sessionId)).metadata;
  expect((await store.getSession(first.sessionId))?.metadata).toMatchObject({
    user: "ann",
    importedFrom: { agent: "claude", location: path },
  });
  expect(await importNativeSession(store, path, options)).toEqual({ ...first, added: 0 });
  writeFileSync(path, `${lines.join("\n")}\n`);
  const size = await store.latestSequence(first.sessionId);
  const atOnce = await Promise.all([1, 2, 3].map(() => importNativeSession(store, path, options)));
  const added = atOnce.reduce((sum, imported) => sum + imported.added, 0);
  const { messages: native } = await readNativeSession(path, { places: options.places });
  const { messages, metadata } = await TranscriptBuilder.fromStore(store, first.sessionId);
  // The tokens of the answer that has grown count once.
  const usages = native.flatMap(({ usage = [] }) => usage);
  expect(metadata.usage).toEqual(usages.reduce((sum, usage) => addUsage(sum, usage)));
  expect(metadata.usage).not.toEqual(usageBefore);
  expect(messages.map(({ content }) => content)).toEqual(native.map(({ content }) => content));
  // There is one more than the new messages, because the incomplete answer has a new form.
  expect(await store.latestSequence(first.sessionId)).toBe(size + native.length - first.messages + 1);
  expect(size + added).toBe(await store.latestSequence(first.sessionId));
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

/** A home with one session of Claude Code that was written an hour ago. */
function oldHome(name: string): { readonly home: string; readonly path: string } {
  const home = scratchFolder(name);
  mkdirSync(home, { recursive: true });
  cpSync(FIXTURE, join(home, ".claude"), { recursive: true });
  const [file = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: home });
  const anHourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(home, file), anHourAgo, anHourAgo);
  return { home, path: join(home, file) };
}

test("a session whose files did not change is not read again", async () => {
  const { home, path } = oldHome("import-unchanged");
  await using store = await openStore("memory:");
  const options = { places: { home, env: {} } };
  const [found] = await Array.fromAsync(findNativeSessions(options));
  if (found === undefined) throw new Error("there is no session");
  const first = await importNativeSession(store, found, options);
  expect(first.added).toBeGreaterThan(3);
  rmSync(path);
  // The files of the reference are those of the last import, so that nobody misses the file.
  expect(await importNativeSession(store, found, options)).toEqual({ ...first, added: 0 });
  const files = found.files.map((file) => ({ ...file, sizeBytes: file.sizeBytes + 1 }));
  await expect(importNativeSession(store, { ...found, files }, options)).rejects.toMatchObject({
    code: "not_found",
  });
  await store.deleteLog(first.sessionId);
  await expect(importNativeSession(store, found, options)).rejects.toThrow();
});

test("a session that was written just now is read again, because its times may not show the next change", async () => {
  const { home, path } = oldHome("import-fresh");
  await using store = await openStore("memory:");
  const options = { places: { home, env: {} } };
  writeFileSync(path, readFileSync(path));
  const [found] = await Array.fromAsync(findNativeSessions(options));
  if (found === undefined) throw new Error("there is no session");
  await importNativeSession(store, found, options);
  rmSync(path);
  await expect(importNativeSession(store, found, options)).rejects.toMatchObject({ code: "not_found" });
});

test("all sessions are imported and followed until the signal, and a session that cannot be read is reported once", async () => {
  const { home, path } = oldHome("import-all");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const cut = Math.floor(lines.length / 2);
  writeFileSync(path, `${lines.slice(0, cut).join("\n")}\n`);
  mkdirSync(join(home, ".claude/projects/-broken"));
  symlinkSync("loop", join(home, ".claude/projects/-broken/33333333-3333-4333-8333-333333333333.jsonl"));
  symlinkSync("33333333-3333-4333-8333-333333333333.jsonl", join(home, ".claude/projects/-broken/loop"));
  await using store = await openStore("memory:");
  const stop = new AbortController();
  const failed: string[] = [];
  const onError = (_: unknown, location: string): void => void failed.push(location);
  const options = { places: { home, env: {} }, agents: ["claude"], onError } as const;
  const added: number[] = [];
  for await (const imported of importNativeSessions(store, {
    ...options,
    follow: true,
    pollMs: 20,
    signal: stop.signal,
  })) {
    added.push(imported.added);
    if (added.length === 1) appendFileSync(path, `${lines.slice(cut).join("\n")}\n`);
    else stop.abort();
  }
  expect(added).toHaveLength(2);
  expect(failed).toEqual([join(home, ".claude/projects/-broken/33333333-3333-4333-8333-333333333333.jsonl")]);
  const { messages: native } = await readNativeSession(path, { places: options.places });
  const sessionId = (await store.listSessions({})).items[0]?.sessionId ?? "";
  const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
  expect(messages.map(({ content }) => content)).toEqual(native.map(({ content }) => content));
  expect(await Array.fromAsync(importNativeSessions(store, options))).toEqual([]);
  const aborted = importNativeSessions(store, { ...options, signal: AbortSignal.abort() });
  await expect(Array.fromAsync(aborted)).rejects.toMatchObject({ code: "cancelled" });
});

/** A home with a long session of Claude Code, the function that continues it, and the function that replaces its end. */
function longHome(name: string): { readonly home: string; add(text: string, after?: string): string } {
  const home = scratchFolder(name);
  const folder = join(home, ".claude/projects/-work");
  mkdirSync(folder, { recursive: true });
  const sessionId = "22222222-2222-4222-8222-222222222222";
  const path = join(folder, `${sessionId}.jsonl`);
  let [count, last] = [0, null as string | null];
  return {
    home,
    add(text, after = last ?? undefined) {
      count += 1;
      const [uuid, timestamp] = [`u${count}`, new Date(Date.UTC(2026, 10, 1) + count * 1_000).toISOString()];
      const message = { role: "user", content: text };
      const base = {
        type: "user",
        uuid,
        parentUuid: after ?? null,
        sessionId,
        cwd: "/work",
        version: "2.1.0",
      };
      appendFileSync(path, `${JSON.stringify({ ...base, timestamp, message })}\n`);
      last = uuid;
      return uuid;
    },
  };
}

/** Counts the events that a program reads from a store, and the appends. */
function countedStore(store: Store): {
  readonly store: Store;
  readonly counts: { read: number; appends: number };
} {
  const counts = { read: 0, appends: 0 };
  const read: Store["read"] = async (...given) => {
    const page = await store.read(...given);
    counts.read += page.events.length;
    return page;
  };
  const append: Store["append"] = async (...given) => {
    counts.appends += 1;
    return await store.append(...given);
  };
  return { store: { ...store, read, append }, counts };
}

test("a followed session is not read again from the store: only what other programs appended", async () => {
  const { home, add } = longHome("import-follow");
  for (let n = 0; n < 600; n += 1) add(`message ${n}`);
  await using opened = await openStore("memory:");
  const { store, counts } = countedStore(opened);
  const stop = new AbortController();
  const options = { places: { home, env: {} }, follow: true, pollMs: 5, signal: stop.signal };
  const seen: { added: number; read: number; appends: number }[] = [];
  const left: string[] = [];
  for await (const { sessionId, added } of importNativeSessions(store, options)) {
    seen.push({ added, ...counts });
    Object.assign(counts, { read: 0, appends: 0 });
    if (seen.length === 1) left.push(add("next"));
    if (seen.length === 2) {
      await opened.append(sessionId, [{ type: "message_sent", data: { messageId: "n", content: "a note" } }]);
      add("left", left[0]);
    }
    if (seen.length === 3) add("taken", left[0]);
    if (seen.length === 4) stop.abort();
  }
  expect(seen).toEqual([
    { added: 600, read: 0, appends: 3 },
    { added: 1, read: 0, appends: 1 },
    { added: 1, read: 1, appends: 1 },
    // The message that was left is hidden.
    { added: 2, read: 0, appends: 1 },
  ]);
});

test("a session is marked in the same append as its first part, and no longer in that of its last part", async () => {
  const { home, add } = longHome("import-marks");
  add("first");
  await using opened = await openStore("memory:");
  const options = { places: { home, env: {} } };
  const [found] = await Array.fromAsync(findNativeSessions(options));
  if (found === undefined) throw new Error("there is no session");
  const { sessionId } = await importNativeSession(opened, found.location, options);
  for (let n = 0; n < 600; n += 1) add(`message ${n}`);
  const states: unknown[] = [];
  const store = withCalls(opened, async ({ method, proceed }) => {
    const result = await proceed();
    if (!["append", "updateSession"].includes(method)) return result;
    const messages = await opened.countEvents(sessionId, { types: ["message_sent"] });
    states.push([messages, (await opened.getSession(sessionId))?.metadata.importing]);
    return result;
  });
  expect((await importNativeSession(store, found.location, options)).added).toBe(600);
  const importing = `claude:${found.sessionId}`;
  expect(states).toEqual([
    [257, importing],
    [513, importing],
    [601, undefined],
  ]);
});

test("a session whose later import was killed is completed, even if its files are again those of the import before", async () => {
  const { home, path } = oldHome("import-restored");
  await using store = await openStore("memory:");
  const options = { places: { home, env: {} } };
  const { sessionId, messages } = await importNativeSession(store, path, options);
  const id = sessionId.slice("claude-".length);
  await store.updateSession(sessionId, { metadata: { importing: `claude:${id}` } });
  expect(await importNativeSession(store, path, options)).toMatchObject({ messages, added: 0 });
  expect((await store.getSession(sessionId))?.metadata).not.toHaveProperty("importing");
});

test("a program's own value of `importing` is not changed by an import, and is no mark", async () => {
  const { home, path } = oldHome("import-own-value");
  await using store = await openStore("memory:");
  const options = { places: { home, env: {} }, sessionId: "mine" };
  await store.createSession({ sessionId: "mine", metadata: { importing: "on Monday" } });
  await importNativeSession(store, path, options);
  expect((await store.getSession("mine"))?.metadata.importing).toBe("on Monday");
});

test("what a program keeps of followed sessions is bounded, and is not used for another session with the same id", () => {
  const kept = new KeptMessages(5);
  const session = (sessionId: string, createdAt = "2026-11-01T00:00:00.000Z"): Session =>
    ({ sessionId, createdAt }) as Session;
  const fill = (sessionId: string, count: number): void => {
    const { messages } = kept.take(session(sessionId));
    for (let n = 0; n < count; n += 1) messages.set(`m${n}`, { isHidden: false, eventId: "e", sequence: n });
    kept.trim();
  };
  const sizes = (): readonly number[] => ["a", "b", "c"].map((id) => kept.take(session(id)).messages.size);
  fill("a", 3);
  fill("b", 3);
  fill("c", 2);
  expect(sizes()).toEqual([0, 3, 2]);
  expect(kept.take(session("b", "2026-11-02T00:00:00.000Z")).messages.size).toBe(0);
  fill("c", 6);
  expect(sizes()).toEqual([0, 0, 0]);
});

test("an import from a home that does not exist, or of an unknown session, fails with the next step", async () => {
  const home = scratchFolder("import-nowhere");
  await using c = await openContinuo("memory:");
  const places = { home: join(home, "missing"), env: {} };
  const noFolder = { code: "not_found", message: `there is no folder ${places.home}` };
  await expect(Array.fromAsync(importNativeSessions(c.store, { places }))).rejects.toMatchObject(noFolder);
  await expect(importNativeSession(c.store, "last:claude", { places })).rejects.toMatchObject(noFolder);
  await expect(importNativeSession(c.store, "nope", { places: { home, env: {} } })).rejects.toMatchObject({
    code: "not_found",
    hint: expect.stringContaining("`findNativeSessions`"),
  });
  await expect(c.session("nope").messages()).rejects.toMatchObject({
    code: "not_found",
    hint: expect.stringContaining("`importNativeSession`"),
  });
});
