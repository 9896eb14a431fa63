/** A session's command in a new window of a terminal, over HTTP: who may start it, and what is refused. */

import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockNative } from "@continuo/native/writing";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CLAUDE_ID, claudeFile, cleanEnv, createHome, writeSessions } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

let machine: OpenMachine;
beforeEach(async () => {
  const home = createHome();
  writeSessions(home);
  const file = join(home.path, claudeFile(CLAUDE_ID));
  home.write(claudeFile(CLAUDE_ID), readFileSync(file, "utf8").replaceAll("/home/ann/app", home.path));
  const program = (name: string, script: string): void => {
    home.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(join(home.path, `bin/${name}`), 0o755);
  };
  program("xterm", 'shift; exec "$@"');
  for (const name of ["claude", "continuo"]) {
    const ran = join(home.path, `ran-${name}`);
    program(name, `echo "$* in $PWD" >'${ran}.new'\n/bin/mv '${ran}.new' '${ran}'`);
  }
  machine = await openMachine(home, { env: { DISPLAY: ":0", PATH: join(home.path, "bin") } });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
});

const HINT: unknown = expect.any(String);
const KEY = `/v1/machine/sessions/claude:${CLAUDE_ID}`;

async function refusal(response: Response): Promise<readonly unknown[]> {
  const { error } = (await response.json()) as { readonly error: { readonly code: string; hint: string } };
  return [response.status, error.code, error.hint];
}

async function ran(name: string): Promise<string> {
  const file = join(machine.home.path, `ran-${name}`);
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 60_000 });
  return readFileSync(file, "utf8").trim();
}

test("a terminal starts exactly the command that is shown, in the folder of the session", async () => {
  const offer = await machine.json(`${KEY}/resume`);
  expect(offer).toMatchObject({ terminal: "xterm", argv: ["claude", "--resume", CLAUDE_ID] });
  const response = await machine.post(`${KEY}/terminal`);
  expect([response.status, await response.json()]).toEqual([200, { terminal: "xterm" }]);
  expect(await ran("claude")).toBe(`--resume ${CLAUDE_ID} in ${machine.home.path}`);
});

test("a session of Continuo's own is resumed by the command `continuo`", async () => {
  await using store = await openStore(`sqlite:${join(machine.home.path, ".continuo/continuo.db")}`);
  const { sessionId } = await store.createSession({ agent: "claude", cwd: machine.home.path });
  await store.append(sessionId, [{ type: "message_sent", data: { content: "Is it mine?" } }]);
  const { sessions } = await machine.json("/v1/machine/sessions?agent=continuo");
  const response = await machine.post(`/v1/machine/sessions/${sessions[0].key}/terminal`);
  expect(await response.json()).toEqual({ terminal: "xterm" });
  expect(await ran("continuo")).toBe(`repl --resume ${sessionId} in ${machine.home.path}`);
});

test("a token that only reads is offered no terminal, and starts nothing", async () => {
  const token = await machine.token(["machine:read"]);
  expect(await (await machine.get(`${KEY}/resume`, token)).json()).toMatchObject({ terminal: null });
  expect(await refusal(await machine.post(`${KEY}/terminal`, {}, token))).toEqual([403, "forbidden", HINT]);
  expect(existsSync(join(machine.home.path, "ran-claude"))).toBe(false);
});

test("a request through a proxy is offered no terminal, and starts nothing", async () => {
  const token = await machine.token(["machine:read,write"]);
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "192.0.2.7" };
  const offer = await fetch(`${machine.url}${KEY}/resume`, { headers });
  expect(await offer.json()).toMatchObject({ argv: ["claude", "--resume", CLAUDE_ID], terminal: null });
  const response = await fetch(`${machine.url}${KEY}/terminal`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: "{}",
  });
  expect(await refusal(response)).toEqual([403, "forbidden", expect.stringContaining("Copy the command")]);
  expect(existsSync(join(machine.home.path, "ran-claude"))).toBe(false);
});

test.each([
  ["cwd", "/"],
  ["argv", ["sh"]],
  ["env", { PATH: "/" }],
  ["terminal", "kitty"],
])("a request that names %s is refused, because a request cannot choose what starts", async (name, value) => {
  expect(await refusal(await machine.post(`${KEY}/terminal`, { [name]: value }))).toEqual([
    400,
    "invalid",
    HINT,
  ]);
  expect(existsSync(join(machine.home.path, "ran-claude"))).toBe(false);
});

test("without a terminal, only the command is shown", async () => {
  chmodSync(join(machine.home.path, "bin/xterm"), 0o644);
  expect(await machine.json(`${KEY}/resume`)).toMatchObject({ terminal: null });
  expect(await refusal(await machine.post(`${KEY}/terminal`))).toEqual([
    501,
    "unsupported",
    expect.stringContaining("Copy the command"),
  ]);
});

test("a session that its agent has open is refused: it would have two writers", async () => {
  // Claude Code reports in this form which process has a session open.
  const mark = { pid: process.pid, sessionId: CLAUDE_ID };
  machine.home.write(`.claude/sessions/${process.pid}.json`, JSON.stringify(mark));
  expect(await refusal(await machine.post(`${KEY}/terminal`))).toEqual([409, "session_live", HINT]);
  expect(existsSync(join(machine.home.path, "ran-claude"))).toBe(false);
});

test("a session that a conversation of the viewer has open starts in no terminal until the conversation ends", async () => {
  const { path: home } = machine.home;
  // A conversation holds this lock in the process of the server, which is the process of this test.
  const places = { home, env: cleanEnv(home) };
  const conversation = await lockNative({ agent: "claude", sessionId: CLAUDE_ID, places });
  expect(await refusal(await machine.post(`${KEY}/terminal`))).toEqual([409, "session_live", HINT]);
  expect(existsSync(join(home, "ran-claude"))).toBe(false);
  conversation.release();
  expect((await machine.post(`${KEY}/terminal`)).status).toBe(200);
  expect(await ran("claude")).toBe(`--resume ${CLAUDE_ID} in ${home}`);
});
