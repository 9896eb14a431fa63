/**
 * A program is killed with `kill -9` while its real coding agent waits for a person, and started again: the agent
 * continues its own session, and each answer is used once.
 */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Store } from "@continuo/core/model";
import { type Approval, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { describe, expect, test } from "vitest";
import { type ModelServer, type Step, startModelServer, text } from "../../model-servers/index.ts";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import type { AgentSetup, Subject } from "../drivers/contract.ts";
import { claude } from "../drivers/subjects/claude.ts";
import { codex } from "../drivers/subjects/codex.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const WORDS = "Write it down, please.";
const ANN = { "x-user": "ann" };
const ANSWER = { outcome: "granted", by: "ann" } as const;

interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly models: ModelServer;
  readonly url: string;
  /** The file that the agent writes when it is permitted. */
  readonly file: string;
  start(): Promise<Program>;
}

interface Program {
  readonly address: string;
  kill(): Promise<void>;
}

async function stage({ agent, title, writes, prepare }: Subject): Promise<Stage> {
  if (writes === null) throw new Error(`${title} asks for nothing before it writes`);
  const sandbox = await makeSandbox();
  const file = join(sandbox.project, "made.txt");
  const call = { ...writes(file, "forty-one"), insists: true } as Step;
  const models = await startModelServer({
    turns: [{ user: WORDS, answers: [[text("I write it."), call], [text("It is written.")]] }],
  });
  const prepared = await prepare(sandbox, models.url);
  const url = `sqlite:${join(sandbox.root, "jobs.db")}`;
  const program = await bundledProgram("test/runtime/processes/jobs.ts");
  const programs: Program[] = [];
  return {
    sandbox,
    models,
    url,
    file,
    async start() {
      const started = await startProgram([program, url, prepared.cwd, ...prepared.command], agent, prepared);
      programs.push(started);
      return started;
    },
    async [Symbol.asyncDispose]() {
      for (const one of programs) await one.kill();
      await models.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

async function startProgram(
  args: readonly string[],
  agent: string,
  { environment }: AgentSetup,
): Promise<Program> {
  const env = { ...environment, CODING_AGENT: agent };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const port = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the program ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      const named = /^port (\d+)$/u.exec(line)?.[1];
      if (named !== undefined) resolve(named);
    });
  });
  return {
    address: `http://127.0.0.1:${port}`,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function openQuestion({ address }: Program, runId?: string): Promise<Approval> {
  const asked = async (): Promise<Approval | undefined> => {
    const response = await fetch(`${address}/approvals`, { headers: ANN });
    return ((await response.json()) as Approval[]).find((one) => one.runId !== runId);
  };
  await expect.poll(asked, { timeout: 120_000 }).toBeDefined();
  return (await asked()) as Approval;
}

async function answered({ address }: Program): Promise<void> {
  const response = await fetch(`${address}/jobs/j/events`, { headers: ANN });
  let words = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    words += part;
    if (/"type":"run_(?:completed|failed)"/u.test(words)) break;
  }
  expect(words).toContain("It is written.");
}

/** The questions of the log; each attempt can have its own id for the same question. */
async function askedIds(store: Store): Promise<ReadonlySet<string>> {
  const { events } = await store.read("j", { types: ["approval_requested"] });
  return new Set(events.map(({ data }) => (data as { readonly approvalId: string }).approvalId));
}

/** The questions that Ann answered. */
async function resolvedIds(store: Store): Promise<ReadonlySet<string>> {
  const { events } = await store.read("j", { types: ["approval_resolved"] });
  expect(events.map(({ actor }) => actor.id)).toEqual(events.map(() => "ann"));
  const ids = events.map(({ data }) => (data as { readonly approvalId: string }).approvalId);
  expect(ids).toHaveLength(new Set(ids).size);
  return new Set(ids);
}

/** The native sessions of the attempts, in their order. */
async function nativeSessions(store: Store): Promise<readonly unknown[]> {
  const { items } = await store.listRuns({ sessionId: "j" });
  return items
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map(({ metadata }) => (metadata.native as { readonly sessionId?: string } | undefined)?.sessionId);
}

describe.each([claude, codex])("$title waits for a person", (subject) => {
  test.each(["after the restart", "of another process before the restart"])(
    "after a kill, the agent's own session continues, and an answer %s is used once",
    async (when) => {
      await using on = await stage(subject);
      const dying = await on.start();
      await fetch(`${dying.address}/jobs/j`, { method: "POST", headers: ANN, body: WORDS });
      const asked = await openQuestion(dying);
      // Only the program is killed: its agent still runs when the next attempt begins.
      await dying.kill();
      expect(existsSync(on.file)).toBe(false);

      const away = await openContinuo(on.url);
      expect(await away.approvals.list({ status: "open" })).toMatchObject([{ id: asked.id }]);
      if (when !== "after the restart") await away.approvals.resolve(asked.id, ANSWER);
      await away.close();

      const next = await on.start();
      if (when === "after the restart") {
        const again = await openQuestion(next, asked.runId);
        expect(again.id).toBe(asked.id);
        await fetch(`${next.address}/approvals/${again.id}`, { method: "POST", headers: ANN });
      }
      await answered(next);
      expect(readFileSync(on.file, "utf8")).toContain("forty-one");
      await next.kill();

      await using store = await openStore(on.url);
      const [first, second, ...more] = await nativeSessions(store);
      expect([typeof first, second, more]).toEqual(["string", first, []]);
      expect(await resolvedIds(store)).toEqual(await askedIds(store));
      expect((await store.read("j", { types: ["message_sent"] })).events).toHaveLength(1);
      const { items } = await store.listClaims({ prefix: "approval/" });
      expect(items.map(({ status }) => status)).toEqual(["granted"]);
      // After the restart, the model reads the messages of the first attempt, which the agent itself stored.
      const said = JSON.stringify(on.models.conversation().at(-1)?.body);
      expect(said.split(WORDS).length - 1).toBe(2);
    },
  );
});
