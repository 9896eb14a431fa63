/** A program is killed with `kill -9` while its coding agent waits for a person, and started again. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Approval, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chunk, DONE, hello1, type Json, type Script } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const ANN = { "x-user": "ann" };
const ASK = {
  toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};

let jobs: string;
beforeAll(async () => {
  jobs = await bundledProgram("test/runtime/processes/jobs.ts");
});

let folder: string;
let url: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = scratchFolder("asked-again");
  url = `sqlite:${join(folder, "store.db")}`;
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

interface Program {
  readonly address: string;
  kill(): Promise<void>;
}

async function start(): Promise<Program> {
  const args = [jobs, url, folder, process.execPath, SCRIPTED_AGENT, join(folder, "script.json")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const port = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      const told = /^port (\d+)$/u.exec(line)?.[1];
      if (told !== undefined) resolve(told);
    });
  });
  return { address: `http://127.0.0.1:${port}`, kill: () => kill(child) };
}

function write(script: Script): void {
  writeFileSync(join(folder, "script.json"), JSON.stringify(script));
}

/** Every message that the agent received, in all its processes. */
function sent(): readonly Json[] {
  const log = join(folder, "script.json.log");
  if (!existsSync(log)) return [];
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The outcomes that the agent received. */
function told(): readonly unknown[] {
  return sent().flatMap(
    ({ result }) => (result as { readonly outcome?: unknown } | undefined)?.outcome ?? [],
  );
}

/** The texts of the agent's prompts. */
function prompts(): readonly string[] {
  return sent().flatMap(({ method, params }) =>
    method === "session/prompt"
      ? (params as { readonly prompt: readonly { readonly text: string }[] }).prompt.map(({ text }) => text)
      : [],
  );
}

async function openApprovals({ address }: Program): Promise<readonly Approval[]> {
  return (await (await fetch(`${address}/approvals`, { headers: ANN })).json()) as Approval[];
}

async function question(program: Program, runId?: string): Promise<Approval> {
  let found: Approval | undefined;
  await expect
    .poll(
      async () => {
        found = (await openApprovals(program)).find((one) => one.runId !== runId);
        return found !== undefined;
      },
      { timeout: 90_000 },
    )
    .toBe(true);
  return found as Approval;
}

async function grant({ address }: Program, { id }: Approval): Promise<void> {
  const response = await fetch(`${address}/approvals/${id}`, { method: "POST", headers: ANN });
  expect(response.status).toBe(200);
}

async function send({ address }: Program): Promise<void> {
  await fetch(`${address}/jobs/j`, { method: "POST", headers: ANN, body: "make it" });
}

async function answered({ address }: Program): Promise<string> {
  const response = await fetch(`${address}/jobs/j/events`, { headers: ANN });
  let words = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    words += part;
    if (words.includes('"type":"run_completed"')) break;
  }
  return words;
}

const YES = { outcome: "selected", optionId: "yes" };

const GONE = "[The run was interrupted before it ended: the process that ran it ended]";

const BROKEN = { code: -32603, message: "broken" };

type AskingAgent = [name: string, script: Pick<Script, "hello" | "answers">, opened: readonly string[]];

const AGENTS: readonly AskingAgent[] = [
  ["that cannot resume", { hello: hello1() }, ["session/new"]],
  [
    "that resumes its session",
    { hello: hello1({ resume: {} }), answers: { "session/resume": [{ result: {} }] } },
    ["session/resume"],
  ],
  [
    "that loads its session",
    { hello: hello1({}, { loadSession: true }), answers: { "session/load": [{ result: {} }] } },
    ["session/load"],
  ],
  [
    "that fails to resume its session",
    { hello: hello1({ resume: {} }), answers: { "session/resume": [{ error: BROKEN }] } },
    ["session/resume", "session/new"],
  ],
];

const MADE = [{ ask: ASK }, chunk("It is made."), DONE] as const;

describe.each(AGENTS)("the question of an agent %s", (_, agent, opened) => {
  const made: Script = { ...agent, prompts: { "*": MADE } };

  test.each(["before it is answered", "after it was answered by another process"])(
    "survives a kill of the program %s: the agent receives each answer once",
    { timeout: 90_000 },
    async (when) => {
      write(made);
      const dying = await start();
      await send(dying);
      const asked = await question(dying);
      expect(asked).toMatchObject({
        status: "open",
        toolInput: { command: "make" },
        metadata: { user: "ann" },
      });
      await dying.kill();
      const away = await openContinuo(url);
      expect(await away.approvals.list({ status: "open" })).toMatchObject([{ id: asked.id }]);
      if (when !== "before it is answered") {
        await away.approvals.resolve(asked.id, { outcome: "granted", by: "ann" });
      }
      await away.close();
      const next = await start();
      if (when === "before it is answered") {
        const again = await question(next, asked.runId);
        expect(again.id).toBe(asked.id);
        await grant(next, again);
      }
      expect(await answered(next)).toContain("It is made.");
      expect(told()).toEqual([YES]);
      const steps = sent().flatMap(({ method }) => (/^session\//u.test(String(method)) ? [method] : []));
      // The agent's own session continues if possible; otherwise a new one receives the earlier work on the input.
      expect(steps).toEqual(["session/new", "session/prompt", ...opened, "session/prompt"]);
      const isNew = opened.at(-1) === "session/new";
      expect(prompts()).toEqual(["make it", ...(isNew ? [expect.stringContaining(GONE)] : []), "make it"]);
      await next.kill();
      await using store = await openStore(url);
      const { events } = await store.read("j", { types: ["message_sent", "approval_resolved"] });
      expect(events.map(({ type, actor }) => [type, actor.id])).toEqual([
        ["message_sent", undefined],
        ["approval_resolved", "ann"],
      ]);
      const { items } = await store.listClaims({ prefix: "approval/" });
      expect(items.map(({ status }) => status)).toEqual(["granted"]);
    },
  );

  test("is asked again if the agent had received the answer before the program was killed", {
    timeout: 90_000,
  }, async () => {
    write({ ...agent, prompts: { "*": [{ ask: ASK }, { waitMs: 60_000 }, chunk("It is made."), DONE] } });
    const dying = await start();
    await send(dying);
    const asked = await question(dying);
    await grant(dying, asked);
    await expect.poll(told, { timeout: 30_000 }).toEqual([YES]);
    await dying.kill();
    write(made);
    const next = await start();
    const again = await question(next, asked.runId);
    expect(again.id).not.toBe(asked.id);
    await grant(next, again);
    expect(await answered(next)).toContain("It is made.");
    expect(told()).toEqual([YES, YES]);
  });
});

test("a call that is repeated although it has a result is a new question, which names no earlier one", {
  timeout: 90_000,
}, async () => {
  const agent = AGENTS[1]?.[1] as Pick<Script, "hello" | "answers">;
  const done = { update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" } };
  write({ ...agent, prompts: { "*": [{ ask: ASK }, done, { waitMs: 60_000 }, DONE] } });
  const dying = await start();
  await send(dying);
  const asked = await question(dying);
  await grant(dying, asked);
  const store = await openStore(url);
  const results = async () => (await store.read("j", { types: ["tool_call_completed"] })).events.length;
  await expect.poll(results, { timeout: 30_000 }).toBe(1);
  await store.close();
  await dying.kill();
  write({ ...agent, prompts: { "*": MADE } });
  const next = await start();
  const again = await question(next, asked.runId);
  expect([again.id === asked.id, again.grantedBefore]).toEqual([false, undefined]);
  await grant(next, again);
  expect(await answered(next)).toContain("It is made.");
});

test.each(AGENTS.filter(([, , opened]) => opened.at(-1) === "session/new"))(
  "an agent %s gets its message and its earlier work on it in a new session, and then the message again",
  { timeout: 90_000 },
  async (_, agent) => {
    const call = { toolCallId: "t0", title: "look", kind: "read", rawInput: { path: "Makefile" } };
    const looked = [
      { update: { sessionUpdate: "tool_call", status: "pending", ...call } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "t0", status: "completed" } },
    ];
    write({ ...agent, prompts: { "*": [chunk("I look."), ...looked, { ask: ASK }, DONE] } });
    const dying = await start();
    await send(dying);
    const asked = await question(dying);
    await dying.kill();
    write({ ...agent, prompts: { "*": MADE } });
    const next = await start();
    await grant(next, await question(next, asked.runId));
    expect(await answered(next)).toContain("It is made.");
    const order = /user:\n\| make it\n[\s\S]*I look\.[\s\S]*look[\s\S]*was interrupted/u;
    expect(prompts()).toEqual(["make it", expect.stringMatching(order), "make it"]);
  },
);
