/**
 * An agent that is one folder and one line (`registerAgent`) has every function that Continuo has for its own agents.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AdapterFormat,
  checkNativeSession,
  forkNativeSession,
  HOME_VARIABLES,
  handOff,
  listNativeSessions,
  openSessionAdapter,
  readNativeSession,
  repairNativeSession,
} from "@continuo/agents";
import { trustIn } from "@continuo/agents/drivers/trust";
import { AGENT_NAMES, isAgentName, textOf } from "@continuo/core/model";
import { READABLE_AGENTS, registerAgent } from "@continuo/native";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Home } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { toyAgent } from "./index.ts";
import { TOY } from "./places.ts";

const ID = "0a5540e7-2dcc-4293-a291-09a3dc1d9ae6";
const FIXTURE = join(import.meta.dirname, "../fixtures/pi/text-and-thinking/home");

const root = scratchFolder("toy");
const home = join(root, "home");
const cwd = join(root, "project");
const env = { CONTINUO_HOME: join(root, "continuo"), [HOME_VARIABLES.pi]: join(root, "pi") };
const places = { home, env };
let removeToy: () => void;

const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const call = { type: "tool_call", id: "call_1", name: "count", args: { to: 3 } };
const result = {
  type: "tool_result",
  toolCallId: "call_1",
  content: [{ type: "text", text: "1 2 3" }],
  isError: false,
};
const RECORDS = [
  { toy: 1, id: ID, cwd, at: at(0) },
  { at: at(1), by: "person", blocks: [{ type: "text", text: "Count to three" }] },
  { at: at(2), by: "toy", blocks: [call] },
  { at: at(3), by: "tool", blocks: [result] },
  { at: at(4), by: "toy", blocks: [{ type: "text", text: "Counted." }] },
  { at: at(5), by: "clock", strange: true },
];

beforeAll(() => {
  mkdirSync(join(home, ".toy"), { recursive: true });
  mkdirSync(cwd);
  cpSync(FIXTURE, join(root, "pi"), { recursive: true });
  writeFileSync(
    join(home, ".toy", `${ID}.toy`),
    RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(""),
  );
  removeToy = registerAgent(toyAgent);
});

// Other files run in the same process later, and look for the sessions of every agent that is registered.
afterAll(() => {
  removeToy();
  expect(READABLE_AGENTS).toEqual(AGENT_NAMES);
  expect(isAgentName(TOY)).toBe(false);
});

async function continuo(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere({ path: home } as Home, args, { cwd, env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

async function saidIn(ref: string): Promise<readonly (readonly [string, string])[]> {
  const { messages } = await readNativeSession(ref, { places });
  return messages.flatMap((message) => {
    const text = textOf(message.content).trim();
    return message.role === "system" || text === "" ? [] : [[message.role, text] as const];
  });
}

test("the list, with the agents that are known, has the row of the toy agent", async () => {
  const sessions = await listNativeSessions({ places });
  expect(sessions.map(({ agent }) => agent).sort()).toEqual(["pi", "toy"]);
  const row = sessions.find(({ agent }) => agent === TOY);
  expect(row).toMatchObject({ sessionId: ID, cwd, title: "Count to three", updatedAt: at(5), problems: [] });
  expect(await continuo("session", "list", "--all")).toContain("Count to three");
});

test("a session of it is read, shown and exported; an unknown record is counted", async () => {
  const { messages } = await readNativeSession(`toy:${ID}`, { places });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(messages[2]).toMatchObject({ toolName: "count", toolInput: { to: 3 }, toolOutput: "1 2 3" });
  expect(await continuo("session", "show", ID.slice(0, 8))).toContain("Counted.");
  expect(await continuo("session", "info", ID, "--json")).toContain('"clock"');
  expect(await continuo("session", "export", ID, "--format", "md")).toContain("Counted.");
});

test("a check of its session reports each fault as a problem with its line", async () => {
  const path = join(root, "damaged.toy");
  writeFileSync(
    path,
    `${RECORDS.slice(1)
      .map((record) => JSON.stringify(record))
      .join("\n")}\n{"at":`,
  );
  expect((await checkNativeSession(`toy:${ID}`, { places })).problems).toEqual([]);
  const { problems } = await checkNativeSession(path, { places });
  expect(problems.map(({ code, line }) => [code, line])).toEqual([
    ["missing_header", 1],
    ["torn_line", 6],
  ]);
});

test("the command that resumes a session of it is printed", async () => {
  expect(await continuo("resume", ID, "--print")).toContain(`toy --resume ${ID}`);
});

test("a session of it is handed over to pi, and one of pi to it", async () => {
  const there = await handOff(`toy:${ID}`, { to: "pi", cwd, places, verifyBy: "own" });
  expect(await saidIn(`pi:${there.sessionId}`)).toEqual(await saidIn(`toy:${ID}`));
  const [source] = await listNativeSessions({ places, agents: ["pi"] });
  const here = await handOff(`pi:${source?.sessionId}`, { to: TOY, cwd, places, verifyBy: "own" });
  expect(await saidIn(`toy:${here.sessionId}`)).toEqual(await saidIn(`pi:${source?.sessionId}`));
  expect(here.resumeCommand).toEqual(["toy", "--resume", here.sessionId]);
});

test("a session of it is written, forked and repaired", async () => {
  const format = "toy" as AdapterFormat;
  await using adapter = openSessionAdapter({ format, create: { cwd }, places });
  await adapter.appendUserMessage("Begin");
  await adapter.appendAssistantMessage("Begun");
  await adapter.flush();
  const written = readdirSync(join(home, ".toy")).find((name) =>
    readFileSync(join(home, ".toy", name), "utf8").includes("Begun"),
  );
  const made = `toy:${written?.replace(".toy", "")}`;
  expect(await saidIn(made)).toEqual([
    ["user", "Begin"],
    ["assistant", "Begun"],
  ]);
  const fork = await forkNativeSession(made, { places });
  expect(await saidIn(`toy:${fork.sessionId}`)).toEqual(await saidIn(made));
  const path = join(home, ".toy", "damaged.toy");
  writeFileSync(
    path,
    RECORDS.slice(1, 3)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
  );
  const repaired = await repairNativeSession("toy:damaged", { places, write: "in place" });
  const { problems } = await checkNativeSession(`toy:${repaired.sessionId}`, { places });
  expect(problems.filter(({ code }) => code === "missing_header")).toEqual([]);
});

test("Continuo knows neither the folders that it trusts nor its configuration in a project", () => {
  const trust = trustIn({ agent: TOY, cwd, places });
  expect(trust).toMatchObject({ by: null, leftOut: [] });
});
