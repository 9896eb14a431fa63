/**
 * Sessions of the real agents, damaged as by a crash or a bad disk, and repaired: the agents resume them, and the
 * request has everything that was left, with placeholders for lost parts.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  checkNativeSession,
  listNativeSessions,
  openSessionAdapter,
  type Places,
  repairNativeSession,
} from "@continuo/agents";
import { severityOf } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startModelServer, text } from "../../model-servers/index.ts";
import { type AppendStage, layOut } from "../append/append-stage.ts";
import { AGENTS, type SessionPlace } from "../append/begin.ts";
import { startAppServer } from "../codex/app-server.ts";
import { openOpencode } from "../opencode/driver.ts";
import { countKinds, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const FIRST = "What is in the note?";
const SECOND = "And in the other one?";

describe.each(AGENTS)("$agent", (subject) => {
  const { agent, format } = subject;
  let laid: AppendStage;

  beforeAll(async () => {
    laid = await layOut(subject, FIRST);
  });

  afterAll(() => laid?.[Symbol.asyncDispose]());

  /** Makes a session of the agent that stops in the middle of two calls, of which one has its result. */
  async function interrupted(): Promise<SessionPlace> {
    const written = await laid.begun.begin(FIRST);
    await using adapter = openSessionAdapter({ format, ...written, places: laid.places });
    await adapter.appendUserMessage(SECOND);
    await adapter.appendAssistantMessage([
      { type: "text", text: "I look." },
      { type: "tool_call", id: "call_r1", name: "Look", args: { at: "one" } },
      { type: "tool_call", id: "call_r2", name: "Look", args: { at: "two" } },
    ]);
    await adapter.appendToolResult("call_r1", "a note");
    return written;
  }

  /** Repairs it in place, then lets the agent continue it. */
  async function proveRepair({ sessionId, sessionFile }: SessionPlace) {
    const ref = `${agent}:${sessionId}`;
    const { edits, written } = await repairNativeSession(ref, { places: laid.places, write: "in place" });
    expect(written).toBe(sessionFile);
    const { problems } = await checkNativeSession(ref, { places: laid.places });
    expect(problems.filter((problem) => severityOf(problem) === "damage")).toEqual([]);
    expect((await repairNativeSession(ref, { places: laid.places })).edits).toEqual([]);
    expect((await laid.begun.titles()).has(sessionId)).toBe(true);
    const items = await laid.prove({ sessionId, sessionFile });
    return { edits, items };
  }

  test("an interrupted call, and a line that is cut off", async () => {
    const session = await interrupted();
    if (laid.begun.database === undefined) {
      writeFileSync(session.sessionFile, `${readFileSync(session.sessionFile, "utf8")}{"type":"user","mess`);
    }
    const { edits, items } = await proveRepair(session);
    expect(edits.length).toBeGreaterThan(laid.begun.database === undefined ? 1 : 0);
    expect(countKinds(items)).toMatchObject({ call: 2, result: 2 });
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
    expect(items).toContainEqual({ kind: "text", role: "user", text: SECOND });
  });

  test("a record in the middle that is no longer JSON", async () => {
    const session = await interrupted();
    if (laid.begun.database === undefined) {
      const lines = readFileSync(session.sessionFile, "utf8").split("\n");
      const at = lines.findIndex((line) => line.includes("A word.") && !line.includes("event_msg"));
      expect(at).toBeGreaterThan(0);
      lines[at] = (lines[at] ?? "").slice(0, -20);
      writeFileSync(session.sessionFile, lines.join("\n"));
    } else {
      const database = new DatabaseSync(laid.begun.database);
      const mine = "session_id = ? and json_extract(data, '$.text') = 'A word.'";
      database.prepare(`update part set data = '{"type":' where ${mine}`).run(session.sessionId);
      database.close();
    }
    const { edits, items } = await proveRepair(session);
    expect(edits).toContainEqual(expect.objectContaining({ type: "removed" }));
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
    expect(items).toContainEqual({ kind: "text", role: "user", text: SECOND });
    expect(items).toContainEqual({ kind: "text", role: "assistant", text: "I look." });
  });
});

const WITH_HEADER = AGENTS.filter(({ agent }) => agent === "codex" || agent === "pi");

test.each(WITH_HEADER)("$agent continues a session whose header came last", async (each) => {
  await using laid = await layOut(each, FIRST);
  const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
  const [header, ...rest] = readFileSync(sessionFile, "utf8").trimEnd().split("\n");
  writeFileSync(sessionFile, [...rest, header, ""].join("\n"));
  const ref = `${each.agent}:${sessionId}`;
  const { remaining } = await repairNativeSession(ref, { places: laid.places, write: "in place" });
  expect(remaining).toEqual([]);
  const items = await laid.prove({ sessionId, sessionFile });
  expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
});

test("pi continues a session whose header was lost", async () => {
  const pi = AGENTS.find(({ agent }) => agent === "pi");
  if (pi === undefined) throw new Error("pi is one of the agents");
  await using laid = await layOut(pi, FIRST);
  const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
  const [header = "", ...rest] = readFileSync(sessionFile, "utf8").split("\n");
  writeFileSync(sessionFile, rest.join("\n"));
  await repairNativeSession(`pi:${sessionId}`, { places: laid.places, write: "in place" });
  const [made = ""] = readFileSync(sessionFile, "utf8").split("\n");
  expect(JSON.parse(made)).toMatchObject({ id: sessionId, cwd: JSON.parse(header).cwd });
  const items = await laid.prove({ sessionId, sessionFile });
  expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
});

test("gemini continues a session that lost the line of a call", async () => {
  const gemini = AGENTS.find(({ agent }) => agent === "gemini");
  if (gemini === undefined) throw new Error("gemini is one of the agents");
  await using laid = await layOut(gemini, FIRST);
  const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
  // After a resume a call is a part of its answer, and its result is a separate message.
  const response = { id: "look__call_l1", name: "look", response: { output: "a note" } };
  const timestamp = new Date().toISOString();
  const records = [
    { id: "lost-u1", timestamp, type: "user", content: [{ text: SECOND }] },
    { id: "lost-u2", timestamp, type: "user", content: [{ functionResponse: response }] },
    { id: "lost-g1", timestamp, type: "gemini", content: "It is a note." },
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(sessionFile, readFileSync(sessionFile, "utf8") + lines);
  const { places } = laid;
  const { edits, remaining } = await repairNativeSession(`gemini:${sessionId}`, {
    places,
    write: "in place",
  });
  expect([edits.map(({ type }) => type), remaining]).toEqual([["added"], []]);
  const items = await laid.prove({ sessionId, sessionFile });
  expect(countKinds(items)).toMatchObject({ call: 1, result: 1 });
  expect(items).toContainEqual({ kind: "text", role: "user", text: SECOND });
});

test("opencode imports a repaired copy in addition to the damaged session, and continues it", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({ turns: [{ user: FIRST, answers: [[text("A word.")]] }] });
  const opencode = await openOpencode(sandbox, server.url);
  const places: Places = { home: sandbox.root, env: { XDG_DATA_HOME: opencode.dataHome } };
  await using running = await opencode.serve();
  const damaged = await running.create({ title: "Notes" });
  await running.say(damaged, FIRST);
  {
    const at = { sessionFile: opencode.database, sessionId: damaged };
    await using adapter = openSessionAdapter({ format: "opencode", ...at, places });
    await adapter.appendUserMessage(SECOND);
    const call = { type: "tool_call", id: "call_r1", name: "Look", args: { at: "one" } } as const;
    await adapter.appendAssistantMessage([{ type: "text", text: "I look." }, call]);
  }
  const file = join(sandbox.root, "repaired.json");
  await repairNativeSession(`opencode:${damaged}`, { places, write: { file } });
  const { code, stderr } = await opencode.command(["import", file]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const rows = await listNativeSessions({ agents: ["opencode"], places });
  const [copy, ...others] = rows.filter(({ sessionId }) => sessionId !== damaged);
  expect([copy?.title, others]).toEqual(["Notes", []]);
  const sessionId = copy?.sessionId ?? "";
  const resume = (words: string) => running.say(sessionId, words);
  const proof = { agent: "opencode", places, sessionId, server, resume } as const;
  const items = await proveResumption(proof);
  expect(countKinds(items)).toMatchObject({ text: 4, call: 1, result: 1 });
});

const CODEX = AGENTS.filter(({ agent }) => agent === "codex");

/** After Codex has read the session, its index records that the session shows nothing. */
const BEFORE = CODEX.flatMap((codex) =>
  ["never read", "read before"].map((before) => ({ ...codex, before })),
);

test.each(BEFORE)("$agent lists a session again that it did not show, $before", async (codex) => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({ turns: [] });
  const begun = await codex.open(sandbox, server.url);
  const places: Places = { home: sandbox.root, env: begun.environment };
  const [left, repaired] = [await withoutEvents(places, sandbox), await withoutEvents(places, sandbox)];
  for (const { sessionId } of codex.before === "read before" ? [left, repaired] : []) {
    await using app = await startAppServer([...codex.program(), "app-server"], {
      cwd: sandbox.project,
      env: sandbox.environment(begun.environment),
    });
    await app.request("thread/read", { threadId: sessionId });
  }
  await repairNativeSession(`codex:${repaired.sessionId}`, { places, write: "in place" });
  const titles = await begun.titles();
  expect([titles.has(left.sessionId), titles.has(repaired.sessionId)]).toEqual([false, true]);
  const resume = (words: string) => begun.resume(words, repaired);
  await proveResumption({ ...codex, places, sessionId: repaired.sessionId, server, resume });

  async function withoutEvents(at: Places, { project }: Sandbox): Promise<SessionPlace> {
    const create = { cwd: project, title: "Notes" };
    await using adapter = openSessionAdapter({ format: codex.format, places: at, create });
    await adapter.appendUserMessage(FIRST);
    await adapter.appendAssistantMessage("A word.");
    const { sessionFile } = adapter;
    const lines = readFileSync(sessionFile, "utf8").split("\n");
    writeFileSync(sessionFile, lines.filter((line) => !line.includes('"type":"event_msg"')).join("\n"));
    return { sessionFile, sessionId: (await adapter.getMetadata()).sessionId };
  }
});
