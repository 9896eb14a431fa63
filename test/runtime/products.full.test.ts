/** The four products of docs/guides/products.md, as a reader copies them: people use them while they are killed. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readNativeSession } from "@continuo/agents";
import { connect } from "@continuo/core/client";
import type { Claim } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type Approval, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { afterAll, afterEach, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { fromSource } from "../docs/example-source.ts";
import { startModelServer, text, tool } from "../model-servers/index.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDE = readFileSync(join(ROOT, "docs/guides/products.md"), "utf8");
/** The folder is inside of the repository, so that packages are found. */
const FOLDER = mkdtempSync(join(import.meta.dirname, ".products-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const TITLES = ["A support desk", "A coding agent behind HTTP", "A group chat", "An importer"] as const;
const SUMMARY = "A summary every night";
const PLAIN = "Without Hono";

function codeOf(title: (typeof TITLES)[number] | typeof SUMMARY | typeof PLAIN): string {
  const [, code = ""] = /```ts\n([\s\S]*?)```/u.exec(GUIDE.split(`# ${title}\n`)[1] ?? "") ?? [];
  return code;
}

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

interface Program {
  readonly url: string;
  readonly lines: readonly string[];
  readonly exited: Promise<number | null>;
  kill(): Promise<void>;
}

/** @param code the program; its folder keeps its data from one start to the next */
async function start(
  name: string,
  code: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const cwd = join(FOLDER, name);
  mkdirSync(join(cwd, "home"), { recursive: true });
  const path = join(cwd, "program.ts");
  writeFileSync(path, fromSource(code));
  const home = { HOME: join(cwd, "home"), CONTINUO_HOME: join(cwd, "home/.continuo") };
  const child = spawn(process.execPath, [path], {
    cwd,
    env: { PATH: process.env.PATH, PORT: "0", ...home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const lines: string[] = [];
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const port = new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      lines.push(line);
      const found = /^port (\d+)$/u.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const listens = code.includes("console.log(`port");
  const url = listens ? `http://127.0.0.1:${await port}` : "";
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { url, lines, exited, kill };
}

test.each([...TITLES, SUMMARY, PLAIN] as const)("%s has few formatted lines, and no any", (title) => {
  const biome = join(ROOT, "node_modules/.bin/biome");
  const format = ["format", "--line-width=120", "--stdin-file-path=program.ts"];
  const lines = execFileSync(biome, format, { input: codeOf(title), encoding: "utf8" })
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("import "));
  expect(lines.length).toBeGreaterThan(5);
  // The first line of the summary stands for a model.
  expect(lines.length).toBeLessThan(title === SUMMARY ? 12 : 25);
  expect(codeOf(title)).not.toMatch(/\bany\b|\bas unknown\b|ts-expect-error/u);
});

async function poll<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  let found: Value | undefined;
  await expect
    .poll(async () => {
      found = await look().catch(() => undefined);
      return found !== undefined;
    })
    .toBe(true);
  return found as Value;
}

/** Each product starts several programs, which takes minutes on a busy machine. */
const PATIENT = { timeout: 300_000 };

test("a server of `node:http` has a page of its own next to the paths of Continuo", PATIENT, async () => {
  mkdirSync(join(FOLDER, "plain"), { recursive: true });
  writeFileSync(join(FOLDER, "plain/page.html"), "<!doctype html><p>Our shop</p>");
  const { url } = await start("plain", codeOf(PLAIN));
  const page = await fetch(url);
  expect([page.headers.get("content-type"), await page.text()]).toEqual([
    "text/html; charset=utf-8",
    "<!doctype html><p>Our shop</p>",
  ]);
  const chat = `${url}/v1/sessions/customer-ann/chat`;
  const headers = { authorization: "Bearer ann", "content-type": "application/json" };
  const parts = [{ type: "text", text: "Where is my order?" }];
  const body = JSON.stringify({ messages: [{ id: "m1", role: "user", parts }] });
  expect(await (await fetch(chat, { method: "POST", headers, body })).text()).toContain("Where is my order?");
  expect(await (await fetch(chat, { headers })).json()).toMatchObject({
    messages: [{ id: "m1" }, { role: "assistant" }],
  });
  expect((await fetch(chat)).status).toBe(401);
});

test(
  "a support desk pays a refund that the staff granted, even if it was killed during the wait",
  PATIENT,
  async () => {
    await using models = await startModelServer({
      turns: [
        {
          user: "refund",
          answers: [
            [text("One moment."), tool("refund", { order: "7" })],
            [text("You have your money back.")],
          ],
        },
      ],
    });
    const env = { MODEL_URL: `${models.url}/v1` };
    const first = await start("desk", codeOf("A support desk"), env);
    const chat = (url: string): Promise<Response> =>
      fetch(`${url}/v1/sessions/customer-ann/chat`, {
        method: "POST",
        headers: { authorization: "Bearer ann", "content-type": "application/json" },
        body: JSON.stringify({
          messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Please refund order 7" }] }],
        }),
      });
    // The answer waits for the staff, and the connection of its reader is cut.
    const cut = chat(first.url).then((response) => response.text().catch(() => "cut"));
    const staff = { authorization: "Bearer staff", "content-type": "application/json" };
    const open = (url: string): Promise<Approval[]> =>
      fetch(`${url}/v1/approvals?status=open`, { headers: staff }).then(
        async (response) => (await response.json()) as Approval[],
      );
    await poll(async () => (await open(first.url))[0]);
    const ann = { headers: { authorization: "Bearer ann" } };
    expect((await fetch(`${first.url}/v1/approvals`, ann)).status).toBe(403);
    expect((await fetch(`${first.url}/v1/sessions/customer-ann/html`, ann)).status).toBe(403);
    await first.kill();
    await cut;
    const { url } = await start("desk", codeOf("A support desk"), env);
    const approval = await poll(async () => (await open(url))[0]);
    expect(approval).toMatchObject({ toolName: "refund", toolInput: { order: "7" } });
    const body = JSON.stringify({ outcome: "granted" });
    await fetch(`${url}/v1/approvals/${approval.id}`, { method: "POST", headers: staff, body });
    await poll(async () => {
      const page = await (await fetch(`${url}/v1/sessions/customer-ann/chat/html`, ann)).text();
      return page.includes("You have your money back.") ? page : undefined;
    });
    await using store = await openStore(`sqlite:${join(FOLDER, "desk/desk.db")}`);
    const { events } = await store.read("customer-ann", { types: ["message_sent"] });
    expect(events).toHaveLength(1);
  },
);

test(
  "a coding agent behind HTTP asks a person, and each person sees only their own questions",
  PATIENT,
  async () => {
    const ask = {
      toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    };
    const script = join(FOLDER, "script.json");
    writeFileSync(script, JSON.stringify({ prompts: { "*": [{ ask }, chunk("It is made."), DONE] } }));
    const command = JSON.stringify([process.execPath, SCRIPTED_AGENT, script]);
    // A scripted program replaces Claude Code.
    const code = codeOf("A coding agent behind HTTP").replace(
      'coding("claude", {',
      `coding("scripted", { command: ${command},`,
    );
    const { url } = await start("jobs", code);
    const as = (user: string): RequestInit => ({ headers: { authorization: `Bearer ${user}` } });
    const job = `${url}/v1/sessions/ann:build-1`;
    const body = JSON.stringify({ id: "job", text: "Mend the build." });
    const send = (user: string): Promise<Response> =>
      fetch(`${job}/messages`, { method: "POST", body, ...as(user) });
    expect((await send("ben")).status).toBe(404);
    const sent = await send("ann");
    expect(await sent.json()).toMatchObject({ sessionId: "ann:build-1" });
    const list = async (user: string): Promise<Approval[]> =>
      (await (await fetch(`${url}/v1/approvals`, as(user))).json()) as Approval[];
    const approval = await poll(async () => (await list("ann"))[0]);
    expect(await list("ben")).toEqual([]);
    const answer = async (user: string): Promise<number> => {
      const body = JSON.stringify({ outcome: "granted" });
      return (await fetch(`${url}/v1/approvals/${approval.id}`, { method: "POST", body, ...as(user) }))
        .status;
    };
    expect([await answer("ben"), await answer("ann")]).toEqual([404, 200]);
    const eventsOf = (user: string): Promise<Response> =>
      fetch(`${job}/runs/job/events`, { signal: AbortSignal.timeout(60_000), ...as(user) });
    expect((await eventsOf("ben")).status).toBe(404);
    const events = await eventsOf("ann");
    let words = "";
    for await (const part of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      words += part;
      if (words.includes('"type":"run_completed"')) break;
    }
    expect(words).toContain("It is made.");
    expect(words).toContain('"by":"ann"');
  },
);

/** An agent that thinks for longer than the program waits before it looks for runs of dead processes. */
const SLOW_ECHO = `Object.assign(new EchoAgent(), { execute: async (...args) => {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  return await EchoAgent.prototype.execute.apply(new EchoAgent(), args);
} })`;

test(
  "people and a bot share a chat, and a question from the time when the bot was away is answered once",
  PATIENT,
  async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const env = { PORT: `${port}` };
    const code = codeOf("A group chat").replace("[new EchoAgent()]", `[${SLOW_ECHO}]`);
    const first = await start("chat", code, env);
    const options = { serverUrl: first.url, channel: "team", handle: "ann", token: "ann" };
    const ann = await connect({ ...options, replayMode: "stream" });
    const answers: string[] = [];
    const reading = (async () => {
      for await (const event of ann.events()) {
        if (event.type !== "message" || event.kind !== "agent") continue;
        answers.push(event.content);
        if (answers.length === 2) break;
      }
    })();
    await ann.send("@bot are you there?");
    await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(1);
    await first.kill();
    const asked = ann.send("@bot and now?");
    const next = await start("chat", code, env);
    await Promise.race([next.exited, reading]);
    await asked;
    await ann.close();
    // The agent repeats its prompt.
    expect(answers).toEqual([
      "ann in the channel team:\n\n@bot are you there?",
      "ann in the channel team:\n\n@bot and now?",
    ]);
  },
);

test(
  "two programs that are killed write one summary of the day, with the messages since the last summary",
  PATIENT,
  async () => {
    mkdirSync(join(FOLDER, "nights"), { recursive: true });
    await using store = await openStore(`sqlite:${join(FOLDER, "nights/chat.db")}`);
    await using c = await openContinuo(store);
    const team = c.channel("team");
    await team.post("The printer is broken.", { from: "ann", type: "person" });
    // The model says something else each time, slowly enough for a kill.
    const code = codeOf(SUMMARY)
      .replace("What was said:", "$${process.pid} says:")
      .replace(
        "async (text: string) =>",
        "async (text: string) => (await new Promise((r) => setTimeout(r, 400))) ??",
      );
    const summaries = async (): Promise<readonly string[]> =>
      (await team.messages()).filter(({ handle }) => handle === "scribe").map(({ content }) => content);
    const both = await Promise.all([start("nights", code), start("nights", code)]);
    const waiting = async (): Promise<readonly Claim[]> =>
      (await store.listClaims({ prefix: "schedule/" })).items;
    const claim = await poll(async () => (await waiting())[0]);
    // The night comes, so the message is due.
    const [, at = "", , day = ""] = claim.name.split("/");
    expect(at.slice(0, 13)).toBe(`${day}T02`);
    await store.putClaim({ ...claim, name: claim.name.replace(at, new Date().toISOString()), generation: 1 });
    await store.deleteClaim(claim);
    const statuses = async (): Promise<readonly string[]> =>
      (await store.listRuns({})).items.map(({ status }) => status);
    await expect.poll(statuses, { timeout: 60_000, interval: 20 }).toContain("running");
    await Promise.all(both.map((program) => program.kill()));
    expect(await summaries()).toEqual([]);
    const again = await start("nights", code);
    await expect
      .poll(summaries, { timeout: 60_000 })
      .toEqual([expect.stringMatching(/says: .*The printer is broken\./su)]);
    await again.kill();
    expect(await team.message(`summary-${day}`)).toMatchObject({ handle: "scribe", kind: "agent" });
    expect((await team.missed("scribe")).count).toBe(0);
    await team.post("The printer works.", { from: "ben", type: "person" });
    expect(await summaries()).toHaveLength(1);
    expect((await team.missed("scribe")).messages).toMatchObject([{ content: "The printer works." }]);
  },
);

test("an importer stores the sessions of the agents, and adds nothing the second time", PATIENT, async () => {
  const home = join(FOLDER, "importer/home");
  mkdirSync(home, { recursive: true });
  cpSync(join(ROOT, "test/fixtures/claude/parallel-tools/home"), join(home, ".claude"), { recursive: true });
  const first = await start("importer", codeOf("An importer"));
  expect(await first.exited).toBe(0);
  expect(first.lines.length).toBeGreaterThan(0);
  const counted = async (): Promise<number> => {
    await using store = await openStore(`sqlite:${join(FOLDER, "importer/archive.db")}`);
    const { items } = await store.listSessions({});
    const sizes = items.map(({ sessionId }) => store.latestSequence(sessionId));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };
  const before = await counted();
  expect(before).toBeGreaterThan(3);
  expect(await (await start("importer", codeOf("An importer"))).exited).toBe(0);
  expect(await counted()).toBe(before);
});

test(
  "an importer that read a session in the middle of an answer stores the rest the next time",
  PATIENT,
  async () => {
    const home = join(FOLDER, "growing/home");
    mkdirSync(home, { recursive: true });
    cpSync(join(ROOT, "test/fixtures/claude/parallel-tools/home"), join(home, ".claude"), {
      recursive: true,
    });
    const [name = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: home });
    const lines = readFileSync(join(home, name), "utf8").trimEnd().split("\n");
    const ids = lines.map((line) => (JSON.parse(line) as { message?: { id?: string } }).message?.id);
    // Claude Code writes each block of an answer as a separate line.
    const cut = ids.findIndex((id, at) => id !== undefined && ids[at + 1] === id) + 1;
    expect(cut).toBeGreaterThan(0);
    writeFileSync(join(home, name), `${lines.slice(0, cut).join("\n")}\n`);
    expect(await (await start("growing", codeOf("An importer"))).exited).toBe(0);
    writeFileSync(join(home, name), `${lines.join("\n")}\n`);
    expect(await (await start("growing", codeOf("An importer"))).exited).toBe(0);
    await using store = await openStore(`sqlite:${join(FOLDER, "growing/archive.db")}`);
    const [session] = (await store.listSessions({})).items;
    const { messages } = await TranscriptBuilder.fromStore(store, session?.sessionId ?? "");
    const { messages: native } = await readNativeSession(join(home, name), { places: { home, env: {} } });
    expect(messages.map(({ content }) => content)).toEqual(native.map(({ content }) => content));
  },
);
