/**
 * The real opencode holds conversations. Continuo reads its database, most of which is in the `-wal`, while opencode
 * runs and after it was killed. Continuo computes what the model receives when a session continues; then opencode
 * continues the session. The tests run in order and continue each other's sessions.
 */

import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  asObject,
  asObjects,
  asText,
  type JsonObject,
  type ModelServer,
  startModelServer,
} from "../../model-servers/index.ts";
import type { Item } from "../items.ts";
import {
  ageBy,
  countKinds,
  historyOf,
  proveResumption,
  readingCommands,
  runContinuo,
  snapshotOf,
} from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { FILES, PICTURE_PART, SAID, scriptFor } from "./conversation.ts";
import { idsBySaid, MODEL, type Opencode, type OpencodeServer, OTHER_MODEL, openOpencode } from "./driver.ts";

let sandbox: Sandbox;
let model: ModelServer;
let opencode: Opencode;
let server: OpencodeServer;
let places: Places;
/** The sessions of the tests; most tests continue `main`. */
const sessions = { main: "", fork: "", broken: "", killed: "" };

beforeAll(async () => {
  sandbox = await makeSandbox();
  for (const [path, content] of FILES) await sandbox.write(path, content);
  model = await startModelServer(scriptFor(sandbox.project));
  opencode = await openOpencode(sandbox, model.url);
  places = { home: sandbox.root, env: { XDG_DATA_HOME: opencode.dataHome } };
  server = await opencode.serve();
});

afterAll(async () => {
  await server?.kill();
  await model?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

/** Reads the session while opencode runs, and then opencode continues it. */
async function prove(sessionId: string, otherModel?: string): Promise<readonly Item[]> {
  const resume = (words: string) =>
    server.say(sessionId, words, otherModel === undefined ? {} : { model: otherModel });
  return await proveResumption({ agent: "opencode", places, sessionId, server: model, resume });
}

/**
 * Kills opencode, reads the session from the files that it left, and starts opencode again, which continues the
 * session.
 */
async function proveAnew(sessionId: string): Promise<readonly Item[]> {
  await server.kill();
  const resume = async (words: string): Promise<void> => {
    server = await opencode.serve();
    await server.say(sessionId, words);
  };
  return await proveResumption({ agent: "opencode", places, sessionId, server: model, resume });
}

async function detailsOf(sessionId: string) {
  using session = await openNativeSession(`opencode:${sessionId}`, { places });
  return { details: session.details, leaves: session.leaves, problems: session.problems };
}

describe("opencode continues what Continuo reads", () => {
  test("text, reasoning, parallel calls of which one fails, and images reach the model again", async () => {
    sessions.main = await server.create();
    await server.say(sessions.main, SAID.compare);
    await server.named(sessions.main);
    await server.say(sessions.main, SAID.look, { parts: [PICTURE_PART] });
    await server.say(sessions.main, SAID.lookYourself);
    const items = await proveAnew(sessions.main);
    expect(countKinds(items)).toMatchObject({ thinking: 1, call: 3, result: 3, image: 2 });
  });

  test("a sub-agent's session is not listed, but is a detail of the session that started it", async () => {
    await server.say(sessions.main, SAID.count);
    const { details } = await detailsOf(sessions.main);
    const [child, ...others] = details.subagents;
    expect(others).toEqual([]);
    expect(child).toMatchObject({
      type: "general",
      description: "Count notes (@general subagent)",
      model: MODEL,
    });
    const history = await historyOf("opencode", sessions.main, places);
    const calls = history.flatMap(({ content }) => content.filter((block) => block.type === "tool_call"));
    const task = calls.find((block) => block.name === "task");
    expect([task?.childSessionId, task?.id]).toEqual([child?.id, child?.toolCallId]);
    using session = await openNativeSession(child?.location ?? "", { places });
    expect(session.details.messages).toEqual({ total: 4, user: 1, assistant: 2, tool: 1, system: 0 });
    const rows = await listNativeSessions({ agents: ["opencode"], places });
    expect(rows.map(({ sessionId }) => sessionId)).toEqual([sessions.main]);
    expect(countKinds(await prove(sessions.main))).toMatchObject({ call: 4, result: 4 });
  });

  test("a fork continues with a copy of the messages", async () => {
    sessions.fork = asText(asObject(await server.request("POST", `/session/${sessions.main}/fork`, {})).id);
    await server.say(sessions.fork, SAID.fork);
    expect((await detailsOf(sessions.fork)).details.title).toBe("Two notes (fork #1)");
    expect(countKinds(await prove(sessions.fork))).toMatchObject({ call: 4, image: 2 });
  });

  test("after a revert, the removed messages are a separate leaf until opencode continues", async () => {
    for (const words of [SAID.instead, SAID.wrong, SAID.wronger]) await server.say(sessions.fork, words);
    const messageID = idsBySaid(await server.messages(sessions.fork)).get(SAID.wrong) ?? "";
    await server.request("POST", `/session/${sessions.fork}/revert`, { messageID });
    const { leaves } = await detailsOf(sessions.fork);
    expect(leaves.map(({ active, label }) => [active, label])).toEqual([
      [true, SAID.instead],
      [false, SAID.wronger],
    ]);
    const items = await prove(sessions.fork);
    expect(JSON.stringify(items)).not.toContain(SAID.wrong);
    expect((await detailsOf(sessions.fork)).leaves).toHaveLength(1);
  });

  test("a revert in the middle of an answer keeps the part before it", async () => {
    await server.say(sessions.fork, SAID.wrong);
    const messages = await server.messages(sessions.fork);
    const id = idsBySaid(messages).get("I look once more.");
    const message = messages.find(({ info }) => asObject(info).id === id);
    const partID = asText(asObjects(message?.parts).find(({ type }) => type === "tool")?.id);
    await server.request("POST", `/session/${sessions.fork}/revert`, { messageID: id ?? "", partID });
    const { leaves, details } = await detailsOf(sessions.fork);
    expect(leaves).toHaveLength(2);
    expect(leaves[0]?.id).toMatch(/^prt_/u);
    expect(details.messages.total).toBe(leaves[0]?.messages);
    const items = await prove(sessions.fork);
    expect(items.at(-1)).toEqual({ kind: "text", role: "assistant", text: "I look once more." });
  });

  test("a session continues after one compaction and after a second one", async () => {
    const compact = async (): Promise<void> => {
      const said = { providerID: "scripted", modelID: MODEL };
      await server.request("POST", `/session/${sessions.main}/summarize`, said);
    };
    await compact();
    await server.say(sessions.main, SAID.after);
    expect(JSON.stringify(await prove(sessions.main))).toContain("Two notes were compared.");
    await compact();
    await prove(sessions.main);
  });

  test("a session continues after an error and after an answer that the person stopped", async () => {
    sessions.broken = await server.create({ title: "Broken off" });
    await server.say(sessions.broken, SAID.refused);
    const before = model.conversation().length;
    const said = server.say(sessions.broken, SAID.silent).catch(String);
    while (model.conversation().length < before + 2) await new Promise((look) => setTimeout(look, 20));
    await server.request("POST", `/session/${sessions.broken}/abort`);
    await said;
    const history = await historyOf("opencode", sessions.broken, places);
    expect(history.filter(({ origin }) => origin === "error")).toHaveLength(2);
    expect(countKinds(await prove(sessions.broken))).toMatchObject({ text: 3, call: 1, result: 1 });
  });

  test("a session continues after opencode was killed while a tool ran", async () => {
    sessions.killed = await server.create({ title: "Killed" });
    const said = server.say(sessions.killed, SAID.slow).catch(String);
    const isRunning = async (): Promise<boolean> =>
      (await server.messages(sessions.killed)).some(({ parts }) =>
        asObjects(parts).some((part) => asObject(part.state).status === "running"),
      );
    while (!(await isRunning())) await new Promise((look) => setTimeout(look, 20));
    await server.kill();
    await said;
    const { problems } = await detailsOf(sessions.killed);
    expect(problems.map(({ code }) => code)).toEqual(["call_without_result"]);
    expect(countKinds(await proveAnew(sessions.killed))).toMatchObject({ call: 1, result: 1 });
  });

  test("another model receives the thinking of the first as text", async () => {
    await server.say(sessions.broken, SAID.again);
    await server.say(sessions.broken, SAID.otherModel, { model: OTHER_MODEL });
    const items = await prove(sessions.broken, OTHER_MODEL);
    expect(countKinds(items)).toMatchObject({ thinking: 1 });
    expect(items).toContainEqual({ kind: "text", role: "assistant", text: "It is short." });
  });
});

describe("opencode itself", () => {
  test("lists the same sessions, with the same titles and times", async () => {
    const told = asObjects(await server.request("GET", "/session")).filter(
      ({ parentID }) => parentID === undefined,
    );
    const rows = await listNativeSessions({ agents: ["opencode"], places, cwd: sandbox.project });
    const own = told.map(({ id, title, time, directory }) => ({
      sessionId: id,
      title,
      cwd: directory,
      updatedAt: new Date(Number(asObject(time).updated)).toISOString(),
    }));
    const ours = rows.map(({ sessionId, title, cwd, updatedAt }) => ({ sessionId, title, cwd, updatedAt }));
    const byId = (a: { sessionId?: unknown }, b: { sessionId?: unknown }) =>
      String(a.sessionId) < String(b.sessionId) ? -1 : 1;
    expect(ours.sort(byId)).toEqual(own.sort(byId));
  });

  test("exports the same messages, and Continuo reads the export like the database", async () => {
    await server.kill();
    const copy = join(sandbox.root, "copy");
    await cp(opencode.dataHome, copy, { recursive: true });
    for (const sessionId of Object.values(sessions)) {
      const { stdout, code } = await opencode.command(["export", sessionId], { dataHome: copy });
      expect(code).toBe(0);
      const exported = asObject(JSON.parse(stdout));
      const path = join(sandbox.root, `${sessionId}.json`);
      await writeFile(path, stdout);
      using own = await openNativeSession(path, { places });
      using ours = await openNativeSession(`opencode:${sessionId}`, { places });
      expect(await Array.fromAsync(own.history())).toEqual(await Array.fromAsync(ours.history()));
      expect(recordsIn(exported)).toEqual(await rowsOf(ours));
      expect(own.details).toMatchObject({ title: ours.details.title, usage: ours.details.usage });
    }
  });
});

/** Returns messages and parts as opencode reports them. */
function recordsIn(exported: JsonObject): JsonObject[] {
  return asObjects(exported.messages).flatMap((message) => [
    asObject(message.info),
    ...asObjects(message.parts),
  ]);
}

/** Returns rows as opencode would report them: the data, and the ids from the other columns. */
async function rowsOf(session: Awaited<ReturnType<typeof openNativeSession>>): Promise<JsonObject[]> {
  const entries = await Array.fromAsync(session.entries());
  return entries.slice(1).map(({ value }) => {
    const { id, session_id: sessionID, message_id: messageID, data } = asObject(value);
    return { ...asObject(data), id, sessionID, ...(messageID === undefined ? {} : { messageID }) };
  });
}

describe("commands that read", () => {
  const runAll = async (): Promise<void> => {
    const environment = { XDG_DATA_HOME: opencode.dataHome };
    for (const args of readingCommands(sessions.main)) {
      const { code, stderr } = await runContinuo(args, sandbox, environment);
      // The exit code 4 means that damage was found.
      expect([0, 4], `${args.join(" ")}: ${stderr}`).toContain(code);
    }
  };

  test("change no file of a killed opencode, except for the -shm, in which SQLite records readers", async () => {
    await server.kill();
    const folder = join(opencode.dataHome, "opencode");
    await rm(join(folder, "opencode.db-shm"), { force: true });
    expect(await readdir(folder)).toContain("opencode.db-wal");
    await ageBy(200, folder);
    const { "": _folder, ...before } = await snapshotOf(folder);
    await runAll();
    const { "": _same, "opencode.db-shm": notes, ...after } = await snapshotOf(folder);
    expect(after).toEqual(before);
    expect(notes).toBeDefined();
  });

  test("change nothing at all in a database that opencode has closed", async () => {
    const log = await readFile(`${opencode.database}-wal`);
    expect(log.length).toBeGreaterThan(0);
    // The connection is closed here, because one that is left to the garbage collector writes at an unexpected moment.
    const owner = new DatabaseSync(opencode.database);
    owner.exec("pragma wal_checkpoint(truncate); pragma optimize; select count(*) from session");
    owner.close();
    const folder = join(opencode.dataHome, "opencode");
    for (const end of ["-wal", "-shm"]) await rm(`${opencode.database}${end}`, { force: true });
    await ageBy(200, folder);
    const before = await snapshotOf(folder);
    await runAll();
    expect(await snapshotOf(folder)).toEqual(before);
  });
});
