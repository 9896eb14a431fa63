/** Two programs use one native session: the lease of `continuo guard hook`, of `resume` and of conversations. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { processStateOf } from "@continuo/files";
import { relocateProject, renameNativeSession } from "@continuo/native/editing";
import { lockNative } from "@continuo/native/writing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledCommand, bundledProgram } from "../sizes/shared-programs.ts";
import { writeClaudeSession } from "./sessions.ts";

const COMMAND = await bundledCommand();
const AGENT = await bundledProgram("test/guard/agent-with-hook.ts");
const ID = "0b9c1a52-0000-4000-8000-000000000001";

let home = "";
let file = "";
const running: ChildProcess[] = [];
const pids: number[] = [];
const sockets: Server[] = [];

beforeEach(() => {
  home = scratchFolder("two-programs");
  // Continuo recognizes an agent by the name of its program.
  mkdirSync(join(home, "bin"));
  copyFileSync(AGENT, join(home, "bin/claude.mjs"));
  file = writeClaudeSession(home, { id: ID, turns: 2, writtenMs: Date.now() - 60_000 }).path;
});
afterEach(() => {
  for (const program of running.splice(0)) program.kill("SIGKILL");
  for (const socket of sockets.splice(0)) socket.close();
  for (const pid of pids.splice(0)) if (processStateOf(pid) !== null) process.kill(pid, "SIGKILL");
});

const places = () => ({ home, env: {} });
const session = () => ({ agent: "claude", sessionId: ID, places: places() });

interface Agent {
  readonly pid: number;
  /** Resolves with the answer of the hook, or `null` if it prints nothing. */
  event(name: string, fields?: object): Promise<Record<string, string> | null>;
  kill(): Promise<void>;
}

/** Starts the agent as a person does: not as a child of this test, because a shell starts it and ends. */
async function startAgent(...flags: readonly string[]): Promise<Agent> {
  const path = join(home, `agent-${sockets.length}`);
  const server = createServer().listen(path);
  sockets.push(server);
  const words = [process.execPath, join(home, "bin/claude.mjs"), path, COMMAND, ...flags];
  spawn("sh", ["-c", '"$@" &', "sh", ...words], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: "ignore",
  });
  const [socket] = (await once(server, "connection")) as [Socket];
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  const pid = Number((await answers.next()).value);
  pids.push(pid);
  return {
    pid,
    async event(name, fields = {}) {
      const event = { session_id: ID, transcript_path: file, cwd: "/work", hook_event_name: name, ...fields };
      socket.write(`${JSON.stringify(event)}\n`);
      const { stdout, stderr, status } = JSON.parse(String((await answers.next()).value));
      expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      return stdout === "" ? null : JSON.parse(stdout);
    },
    async kill() {
      process.kill(pid, "SIGKILL");
      await expect.poll(() => ["Z", undefined].includes(processStateOf(pid)?.state)).toBe(true);
    },
  };
}

test("both of two agents with one session are warned, the second at its start and the first at its next prompt", async () => {
  const [first, second] = [await startAgent(), await startAgent()];
  expect(await first.event("SessionStart")).toBeNull();
  expect(await first.event("UserPromptSubmit")).toBeNull();
  expect(await second.event("SessionStart", { session_id: "another" })).toBeNull();
  expect((await second.event("SessionStart"))?.systemMessage).toContain(
    `open in claude (process ${first.pid}) too`,
  );
  expect((await first.event("UserPromptSubmit"))?.systemMessage).toContain(`claude (process ${second.pid})`);
  await second.event("SessionEnd");
  expect(await first.event("UserPromptSubmit")).toBeNull();
});

test("a killed agent no longer holds a session", async () => {
  const [first, second] = [await startAgent(), await startAgent()];
  await first.event("SessionStart");
  await first.kill();
  expect(await second.event("SessionStart")).toBeNull();
});

test("with --block a prompt is refused, and the start of a session is not", async () => {
  const [first, second] = [await startAgent(), await startAgent("--block")];
  await first.event("SessionStart");
  expect(Object.keys((await second.event("SessionStart")) ?? {})).toEqual(["systemMessage"]);
  expect(await second.event("UserPromptSubmit")).toMatchObject({
    decision: "block",
    reason: expect.stringContaining(`process ${first.pid}`),
  });
});

test("a conversation and an edit of Continuo are refused while an agent with a hook has the session open", async () => {
  const agent = await startAgent();
  await agent.event("SessionStart");
  const before = readFileSync(file, "utf8");
  const live = { code: "session_live", message: `session ${ID} is open in claude (process ${agent.pid})` };
  await expect(lockNative(session())).rejects.toMatchObject(live);
  await expect(renameNativeSession(file, "Another title", { places: places() })).rejects.toMatchObject(live);
  mkdirSync(join(home, "moved"));
  const relocated = relocateProject("/work", join(home, "moved"), { places: places(), write: "in place" });
  await expect(relocated).rejects.toMatchObject(live);
  expect(readFileSync(file, "utf8")).toBe(before);
  await agent.kill();
  await renameNativeSession(file, "Another title", { places: places() });
  expect(readFileSync(file, "utf8")).not.toBe(before);
});

test("an agent with a hook is warned of a conversation of Continuo that has its session open", async () => {
  const agent = await startAgent();
  const holder = spawn(process.execPath, [
    await bundledProgram("test/conversations/lock-holder.ts"),
    home,
    "claude",
    ID,
  ]);
  running.push(holder);
  await once(holder.stdout, "data");
  expect((await agent.event("SessionStart"))?.systemMessage).toContain(`continuo (process ${holder.pid})`);
});

test("input that is not an event, and a call from no agent, end with exit code 0 and print nothing", async () => {
  for (const stdin of ["", "no json", "[]", "{}", JSON.stringify({ session_id: ID })]) {
    expect(await runHere({ path: home }, ["guard", "hook"], { stdin })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
  }
  expect(existsSync(join(home, ".continuo/locks"))).toBe(false);
});

/** Writes an agent that waits until a file exists. */
function writeWaitingAgent(): { readonly started: string; readonly end: string } {
  const [started, end] = [join(home, "started"), join(home, "end")];
  const path = join(home, "bin/claude");
  writeFileSync(path, `#!/bin/sh\n: > '${started}'\nuntil [ -e '${end}' ]; do sleep 0.02; done\n`);
  chmodSync(path, 0o700);
  return { started, end };
}

async function resume(...flags: readonly string[]) {
  const env = { PATH: `${join(home, "bin")}:${process.env.PATH}` };
  return await runHere({ path: home }, ["resume", `claude:${ID}`, ...flags], { env });
}

test("the session is that of `resume` as long as its agent runs, and a second one needs --force", async () => {
  const project = join(home, "project");
  mkdirSync(project);
  rmSync(file);
  file = writeClaudeSession(home, { id: ID, turns: 2, writtenMs: Date.now() - 60_000, cwd: project }).path;
  const { started, end } = writeWaitingAgent();
  const first = resume();
  await expect.poll(() => existsSync(started)).toBe(true);
  const refused = await resume();
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain(
    `Continuo has session ${ID} of claude open elsewhere (process ${process.pid})`,
  );
  expect(refused.stderr).toContain("--force");
  await expect(renameNativeSession(file, "Another", { places: places() })).rejects.toMatchObject({
    code: "session_live",
  });
  writeFileSync(end, "");
  expect((await resume("--force")).code).toBe(0);
  expect((await first).code).toBe(0);
  (await lockNative(session())).release();
});
