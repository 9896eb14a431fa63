/**
 * Threads of the real Codex that continue other files (a fork of a fork, a reverted thread, a legacy fork, a fork whose
 * first thread is missing), and a thread whose last lines have no ordinal. After a hand-over to pi and back, each is an
 * independent thread, which Codex lists, shows and resumes, even if Codex refused the original thread. The requests for
 * both threads are equal, with the same bytes of encrypted reasoning.
 */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatOf, handOff, openNativeSession, type Places } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  asObject,
  asObjects,
  asText,
  type JsonObject,
  type ModelServer,
  startModelServer,
  text,
  thinking,
  tool,
} from "../../model-servers/index.ts";
import { threadIdIn } from "../codex/app-server.ts";
import { type Codex, codexLauncher, openCodex } from "../codex/driver.ts";
import { type Item, normaliseView } from "../items.ts";
import { historyOf, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const FIRST = "Which note is longer?";
const SECOND = "And the third one, 第三个?";
const THIRD = "Say it in one word.";
const WRITE = "Write it down.";
const PATCH = "*** Begin Patch\n*** Add File: word.txt\n+None, нет.\n*** End Patch\n";

let sandbox: Sandbox;
let server: ModelServer;
let codex: Codex;
let places: Places;

beforeAll(async () => {
  sandbox = await makeSandbox();
  const list = tool("exec_command", { cmd: "ls" });
  server = await startModelServer({
    turns: [
      {
        user: FIRST,
        answers: [
          [thinking("A look first."), list],
          [thinking("So."), text("The second.")],
        ],
      },
      { user: SECOND, answers: [[thinking("There is none, нет."), text("There is no third one.")]] },
      { user: THIRD, answers: [[thinking("One word."), text("None.")]] },
      { user: WRITE, answers: [[tool("apply_patch", PATCH)], [text("It is written.")]] },
    ],
  });
  codex = await openCodex(sandbox, server.url);
  const env = { CODEX_HOME: codex.home, PI_CODING_AGENT_DIR: join(sandbox.root, "pi") };
  places = { home: sandbox.root, env: { ...env, CONTINUO_HOME: join(sandbox.root, "continuo") } };
});

afterAll(async () => {
  await server?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

interface Kind {
  readonly name: string;
  /** Makes a thread and returns its id. */
  readonly make: () => Promise<string>;
  readonly thinks: number;
  /** The error of Codex if Codex refuses to resume the original thread. */
  readonly refused?: string;
}

const KINDS: readonly Kind[] = [
  {
    name: "a fork of a fork",
    thinks: 4,
    async make() {
      const { threadId: first } = await codex.exec(FIRST);
      const { threadId: second } = await codex.exec(SECOND, { fork: first });
      return (await codex.exec(THIRD, { fork: second })).threadId;
    },
  },
  {
    name: "a thread that was reverted",
    thinks: 3,
    async make() {
      const { threadId } = await codex.exec(FIRST);
      await codex.exec(SECOND, { resume: threadId });
      {
        await using app = await codex.appServer();
        const { thread } = await app.request("thread/resume", { threadId });
        const beforeTurnId = asText(asObjects(asObject(thread).turns)[1]?.id);
        await app.request("thread/revert", { threadId, beforeTurnId });
      }
      await codex.exec(THIRD, { resume: threadId });
      return threadId;
    },
  },
  {
    name: "a fork of a legacy thread",
    thinks: 3,
    async make() {
      await using app = await codex.appServer();
      const started = await app.request("thread/start", { historyMode: "legacy", cwd: sandbox.project });
      await app.turn(threadIdIn(started), FIRST);
      const forked = threadIdIn(await app.request("thread/fork", { threadId: threadIdIn(started) }));
      await app.turn(forked, SECOND);
      return forked;
    },
  },
  {
    name: "a fork whose first thread is missing",
    thinks: 1,
    refused: "missing source rollout",
    async make() {
      const { threadId } = await codex.exec(FIRST);
      const { threadId: fork } = await codex.exec(SECOND, { fork: threadId });
      using session = await openNativeSession(`codex:${threadId}`, { places });
      await rm(session.details.location);
      return fork;
    },
  },
  {
    name: "a thread that an older version continued",
    thinks: 3,
    refused: "is missing an ordinal",
    async make() {
      const { threadId } = await codex.exec(FIRST);
      await codex.exec(SECOND, { resume: threadId });
      using session = await openNativeSession(`codex:${threadId}`, { places });
      const lines = (await readFile(session.details.location, "utf8")).split("\n");
      const turn = lines.findLastIndex((line) => line.includes('"type":"task_started"'));
      const changed = lines.map((line, at) => (at < turn ? line : withoutOrdinal(line)));
      await writeFile(session.details.location, changed.join("\n"));
      return threadId;
    },
  },
];

const withoutOrdinal = (line: string): string => line.replace(/"ordinal":\d+,/u, "");

/** Resumes a thread, and returns the items of the turns that Codex then shows. */
async function turnsOf(threadId: string): Promise<readonly unknown[]> {
  await using app = await codex.appServer();
  await app.request("thread/resume", { threadId });
  const { thread } = await app.request("thread/read", { threadId, includeTurns: true });
  return asObjects(asObject(thread).turns).flatMap(({ items }) => asObjects(items).map(shown));
}

function shown({ type, text: words, content, command }: JsonObject): unknown {
  return { type, words, content, command };
}

async function listed(): Promise<ReadonlyMap<string, JsonObject>> {
  await using app = await codex.appServer();
  const { data } = await app.request("thread/list", {
    modelProviders: [],
    sourceKinds: ["exec", "cli", "vscode", "appServer"],
  });
  return new Map(asObjects(data).map((thread) => [asText(thread.id), thread]));
}

async function viewOf(sessionId: string): Promise<readonly Item[]> {
  const history = await historyOf("codex", sessionId, places);
  return normaliseView((await formatOf("codex")).modelView(history), { tellsErrors: false });
}

/** Returns the encrypted reasoning in the last request. */
function sealsSent(): readonly unknown[] {
  const items = asObjects(asObject(server.requests.at(-1)?.body).input);
  return items.flatMap(({ type, encrypted_content: seal }) => (type === "reasoning" ? [seal] : []));
}

describe.each(KINDS)("$name", ({ make, thinks, refused }) => {
  let source: string;
  let view: readonly Item[];

  test("is handed over and back, listed, shown and resumed", async () => {
    source = await make();
    view = await viewOf(source);
    const shownBefore = refused === undefined ? await turnsOf(source) : null;
    const there = await handOff(`codex:${source}`, {
      to: "pi",
      cwd: sandbox.project,
      places,
      verifyBy: "own",
    });
    const back = await handOff(`pi:${there.sessionId}`, {
      to: "codex",
      cwd: sandbox.project,
      places,
      programs: { codex: [process.execPath, codexLauncher("codex")] },
    });
    expect(back.broughtBack).toMatchObject({ agent: "codex", sessionId: source, as: "records" });
    expect(back.verification).toMatchObject({ by: expect.stringContaining("codex"), outcome: "same" });
    const sessionId = back.sessionId ?? "";
    expect((await listed()).get(sessionId)).toMatchObject({
      path: back.location,
      preview: expect.any(String),
    });
    if (shownBefore !== null) expect(await turnsOf(sessionId)).toEqual(shownBefore);
    const resume = (words: string) => codex.exec(words, { resume: sessionId });
    const items = await proveResumption({ agent: "codex", places, sessionId, server, resume });
    expect(items).toEqual(view);
    expect(items.filter(({ kind }) => kind === "thinking")).toHaveLength(thinks);
  });

  test("sends the same encrypted reasoning as the original thread, if Codex resumes the original", async () => {
    const seals = sealsSent();
    expect(seals).toHaveLength(thinks);
    expect(seals).toEqual(seals.map(() => expect.any(String)));
    const resumed = codex.exec(THIRD, { resume: source });
    if (refused !== undefined) await expect(resumed).rejects.toThrow(refused);
    else {
      await resumed;
      expect(sealsSent()).toEqual(seals);
    }
  });
});

/** Returns the calls in the newest request that have a text as their input, and the outputs of these calls. */
function textCallsSent(): readonly unknown[] {
  const items = asObjects(asObject(server.requests.at(-1)?.body).input);
  return items
    .filter(({ type }) => asText(type).startsWith("custom_tool_call"))
    .map(({ type, call_id, name, input, output }) => ({ type, call_id, name, input, output }));
}

test("after a part of a thread is handed over and back, Codex still sends calls with a text as their input", async () => {
  const { threadId } = await codex.exec(FIRST);
  await codex.exec(WRITE, { resume: threadId });
  const calls = textCallsSent();
  expect(calls).toMatchObject([
    { type: "custom_tool_call", name: "apply_patch", input: PATCH },
    { type: "custom_tool_call_output" },
  ]);
  const view = (await formatOf("codex")).modelView(await historyOf("codex", threadId, places));
  const there = await handOff(`codex:${threadId}`, {
    to: "pi",
    cwd: sandbox.project,
    places,
    verifyBy: "own",
    maxMessages: view.length - 1,
  });
  const back = await handOff(`pi:${there.sessionId}`, {
    to: "codex",
    cwd: sandbox.project,
    places,
    programs: { codex: [process.execPath, codexLauncher("codex")] },
  });
  expect(back.broughtBack).toMatchObject({ sessionId: threadId, as: "messages" });
  expect(back.verification).toMatchObject({ by: expect.stringContaining("codex"), outcome: "same" });
  const sessionId = back.sessionId ?? "";
  const resume = (words: string) => codex.exec(words, { resume: sessionId });
  await proveResumption({ agent: "codex", places, sessionId, server, resume });
  expect(textCallsSent()).toEqual(calls);
});
