/**
 * The real Codex holds conversations. Continuo reads the session files and computes what the model receives when a
 * thread is resumed; then Codex resumes the thread. The tests run in order and continue each other's threads.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { textOf } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  asObject,
  asObjects,
  asText,
  type JsonObject,
  type ModelServer,
  startModelServer,
} from "../../model-servers/index.ts";
import { spokenIn, startAcp } from "../acp.ts";
import { isWanted, PINNED, packageFolder } from "../install.ts";
import type { Item } from "../items.ts";
import { countKinds, expectUnchangedByReading, historyOf, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox, startProgram } from "../sandbox.ts";
import { type AppServer, threadIdIn } from "./app-server.ts";
import { FILES, SAID, scriptFor } from "./conversation.ts";
import { type Codex, codexLauncher, openCodex } from "./driver.ts";

let sandbox: Sandbox;
let server: ModelServer;
let codex: Codex;
let places: Places;
/** The threads of the tests; most tests continue `main`. */
const threads = { main: "", fork: "", legacy: "", interrupted: "" };

beforeAll(async () => {
  sandbox = await makeSandbox();
  for (const [path, content] of FILES) await sandbox.write(path, content);
  server = await startModelServer(scriptFor(sandbox.project));
  codex = await openCodex(sandbox, server.url);
  places = { home: sandbox.root, env: { CODEX_HOME: codex.home } };
});

afterAll(async () => {
  await server?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

async function prove(sessionId: string): Promise<readonly Item[]> {
  const resume = (words: string) => codex.exec(words, { resume: sessionId });
  return await proveResumption({ agent: "codex", places, sessionId, server, resume });
}

/** Works with a thread in its own app-server, because Codex lets only one process at a time write to a thread. */
async function withThread(threadId: string, work: (app: AppServer, thread: JsonObject) => Promise<unknown>) {
  await using app = await codex.appServer();
  await work(app, asObject((await app.request("thread/resume", { threadId })).thread));
}

describe("Codex resumes what Continuo reads", () => {
  test("text, reasoning, parallel calls, a failing command, a patch and images reach the model again", async () => {
    // The picture comes first, and must not become part of the title.
    const images = [join(sandbox.project, "leaf.png")];
    const { threadId } = await codex.exec(SAID.look, { images });
    threads.main = threadId;
    await codex.exec(SAID.compare, { resume: threadId });
    await codex.exec(SAID.lookYourself, { resume: threadId });
    expect(countKinds(await prove(threadId))).toMatchObject({ thinking: 2, call: 4, result: 4, image: 2 });
  });

  test("a fork is resumed, and its source thread does not change", async () => {
    const { location } = await rowOf(threads.main);
    const before = await readFile(location);
    threads.fork = (await codex.exec(SAID.fork, { fork: threads.main })).threadId;
    expect(await readFile(location)).toEqual(before);
    expect(countKinds(await prove(threads.fork))).toMatchObject({ call: 4, image: 2 });
  });

  test("a reverted turn is left out, and the turn that replaced it is sent", async () => {
    await codex.exec(SAID.wrong, { resume: threads.fork });
    await withThread(threads.fork, async (app, thread) => {
      const last = asObjects(thread.turns).at(-1);
      await app.request("thread/revert", { threadId: threads.fork, beforeTurnId: asText(last?.id) });
    });
    await codex.exec(SAID.instead, { resume: threads.fork });
    const items = await prove(threads.fork);
    expect(items).not.toContainEqual({ kind: "text", role: "user", text: SAID.wrong });
    expect(items.at(-1)).toEqual({ kind: "text", role: "assistant", text: "The second." });
  });

  test("a thread is resumed after a compaction and another turn", async () => {
    await withThread(threads.main, async (app) => {
      await app.request("thread/compact/start", { threadId: threads.main });
      await app.notified("turn/completed", (params) => params.threadId === threads.main);
    });
    await codex.exec(SAID.after, { resume: threads.main });
    const items = await prove(threads.main);
    expect(countKinds(items)).toMatchObject({ other: 1, image: 1 });
    expect(countKinds(items)).not.toHaveProperty("call");
  });

  test("a thread with the older history mode is resumed", async () => {
    await using app = await codex.appServer();
    const started = await app.request("thread/start", { historyMode: "legacy", cwd: sandbox.project });
    threads.legacy = threadIdIn(started);
    await app.turn(threads.legacy, SAID.compare);
    await app[Symbol.asyncDispose]();
    expect(countKinds(await prove(threads.legacy))).toMatchObject({ thinking: 2, call: 3, result: 3 });
  });

  test("a thread is resumed after the person interrupted a turn", async () => {
    const seen = server.conversation().length;
    await using app = await codex.appServer();
    const started = await app.request("thread/start", { historyMode: "paginated", cwd: sandbox.project });
    threads.interrupted = threadIdIn(started);
    const input = [{ type: "text", text: SAID.silent, text_elements: [] }];
    const turn = asObject((await app.request("turn/start", { threadId: threads.interrupted, input })).turn);
    // The second request of the turn never gets an answer.
    await expect.poll(() => server.conversation().length).toBe(seen + 2);
    await app.request("turn/interrupt", { threadId: threads.interrupted, turnId: turn.id });
    await app.notified("turn/completed", (params) => asObject(params.turn).id === turn.id);
    await app[Symbol.asyncDispose]();
    const items = await prove(threads.interrupted);
    expect(items.at(-1)).toMatchObject({ role: "user", text: expect.stringContaining("<turn_aborted>") });
  });
});

describe("the app-server reports the same", () => {
  const SOURCES = ["cli", "vscode", "exec", "appServer", "unknown"];

  test("the list has the same ids, titles, folders, times and archived threads", async () => {
    await codex.command(["archive", threads.legacy]);
    await using app = await codex.appServer();
    await app.request("thread/name/set", { threadId: threads.fork, name: "A third note" });
    for (const archived of [false, true]) {
      const params = { archived, modelProviders: [], sourceKinds: SOURCES };
      const theirs = asObjects((await app.request("thread/list", params)).data);
      const all = await listNativeSessions({ agents: ["codex"], places, archived: "include" });
      const ours = all.filter((info) => info.archived === archived);
      const ourRows = ours.map(({ sessionId, title, cwd, createdAt, location }) => {
        return {
          id: sessionId,
          title,
          cwd,
          path: location,
          createdAt: dated(location, inSeconds(createdAt)),
        };
      });
      const theirRows = theirs.map(({ id, name, preview, cwd, path, createdAt }) => {
        return { id, title: name ?? preview, cwd, path, createdAt: dated(asText(path), createdAt) };
      });
      expect(new Set(ourRows)).toEqual(new Set(theirRows));
      expect(theirs).toHaveLength(archived ? 1 : 3);
    }
  });

  test("the turns have the same messages and the same tool calls", async () => {
    await using app = await codex.appServer();
    for (const threadId of [threads.fork, threads.interrupted]) {
      await app.request("thread/resume", { threadId });
      const read = await app.request("thread/read", { threadId, includeTurns: true });
      const theirs = asObjects(asObject(read.thread).turns).flatMap((turn) => asObjects(turn.items));
      const history = await historyOf("codex", threadId, places);
      const said = history.filter(({ origin }) => origin === "person" || origin === "agent");
      const ourWords = said
        .map((message) => withoutTags(textOf(message.content)))
        .filter((words) => words !== "");
      expect(ourWords).toEqual(theirs.map(wordsOf).filter((words) => words !== ""));
      const calls = history.flatMap(({ content }) => content.filter((block) => block.type === "tool_call"));
      const shown = theirs.filter((item) => CALLS.has(asText(item.type)));
      // Codex shows parallel calls in the order in which they finished.
      expect(new Set(calls.map((call) => call.id))).toEqual(new Set(shown.map((item) => item.id)));
      expect(calls).toHaveLength(shown.length);
    }
  });
});

test("commands that read sessions change nothing in a home whose sessions are 200 days old", async () => {
  const home = { path: codex.home, variable: "CODEX_HOME" };
  await expectUnchangedByReading(sandbox, home, { sessionId: threads.main });
});

const CALLS = new Set(["commandExecution", "fileChange", "imageView"]);

async function rowOf(sessionId: string) {
  using session = await openNativeSession(`codex:${sessionId}`, { places });
  return session.details;
}

/** A reverted thread has two files: Codex takes its date from the second, Continuo from the first. */
function dated(path: string, time: unknown): unknown {
  return path.includes("_") ? null : time;
}

function inSeconds(time: string | null): number | null {
  return time === null ? null : Math.floor(Date.parse(time) / 1000);
}

function wordsOf(item: JsonObject): string {
  if (item.type === "agentMessage") return asText(item.text);
  if (item.type !== "userMessage") return "";
  return asObjects(item.content)
    .map((part) => asText(part.text))
    .join("");
}

/** Codex surrounds a picture with two texts, which its own reader does not show. */
function withoutTags(text: string): string {
  return text.replaceAll(/<image [^>]*>|<\/image>/g, "").trim();
}

const OLDER = (["codex163"] as const).filter((version) => isWanted(PINNED[version]));

describe.each(OLDER)("%s", (version) => {
  test("text, reasoning, parallel calls, a failing command and images reach the model again", async () => {
    await using older = await makeSandbox();
    for (const [path, content] of FILES) await older.write(path, content);
    await using model = await startModelServer(scriptFor(older.project));
    const agent = await openCodex(older, model.url, version);
    const { threadId } = await agent.exec(SAID.look, { images: [join(older.project, "leaf.png")] });
    await agent.exec(SAID.compare, { resume: threadId });
    const items = await proveResumption({
      agent: "codex",
      places: { home: older.root, env: { CODEX_HOME: agent.home } },
      sessionId: threadId,
      server: model,
      resume: (words: string) => agent.exec(words, { resume: threadId }),
    });
    expect(countKinds(items)).toMatchObject({ thinking: 2, image: 1 });
  });
});

const ADAPTERS = (["codexAcp"] as const).filter((version) => isWanted(PINNED[version]));

test.each(ADAPTERS)("%s loads a thread with the same answers as Continuo", async (version) => {
  const history = await historyOf("codex", threads.main, places);
  const answers = history.filter((message) => message.origin === "agent" && message.role === "assistant");
  const said = answers.map((message) => textOf(message.content)).join("");
  const env = { ...codex.environment, CODEX_PATH: codexLauncher("codex") };
  const adapter = [join(packageFolder(PINNED[version]), PINNED[version].proof)];
  await using acp = await startAcp(startProgram(process.execPath, adapter, { cwd: sandbox.project, env }), {
    cwd: sandbox.project,
  });
  const updates = await acp.load(threads.main, (told) => spokenIn(told).length >= said.length);
  expect(spokenIn(updates)).toBe(said);
});
