/**
 * After `kill -9` of Continuo, the native session that received the prompt continues, which the agent's own record
 * shows.
 */

import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openTalk, type Talk, type TalkFlags } from "@continuo/agents/conversations";
import type { NewEvent, Session } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { startRun } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";

const NATIVE = "4bf3c2a1-0000-4000-8000-000000000009";
const OTHER = "4bf3c2a1-0000-4000-8000-00000000000a";

interface Crash {
  readonly url: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly cwd: string;
}

/** The home of a Claude Code that is the scripted agent, with a turn in Continuo's store whose process is gone. */
async function crashIn(home: TalkHome, { known }: { readonly known: boolean }): Promise<Crash> {
  const { agents } = JSON.parse(readFileSync(join(home.path, ".continuo/continuo.yaml"), "utf8"));
  home.write(
    ".continuo/continuo.yaml",
    JSON.stringify({ agents: { claude: { ...agents.robot, transport: "acp" } } }),
  );
  const cwd = join(home.path, "project");
  const url = `sqlite:${join(home.path, "sessions.db")}`;
  await using store = await openStore(url);
  const ref = { model: null, location: null, cwd, baseSequence: 0, verifiedAt: null, state: "live" };
  const { sessionId } = await store.createSession({
    agent: "claude",
    cwd,
    title: "crash",
    metadata: known ? { providerSessions: { claude: { ...ref, sessionId: NATIVE } } } : {},
  });
  const { runId } = await startRun(store, sessionId, "tell me a story", { agent: "claude" });
  const native = known ? { metadata: { native: { agent: "claude", sessionId: NATIVE } } } : {};
  const begun: NewEvent[] = [
    { type: "run_started", data: { runId }, runId },
    { type: "message_sent", data: { content: [{ type: "text", text: "tell me a story" }] }, runId },
    { type: "message_streamed", data: { delta: "Once upon", messageId: "m" }, runId },
  ];
  await store.append(sessionId, begun, { also: [{ type: "run", runId, to: "running", patch: native }] });
  return { url, sessionId, runId, cwd };
}

function recordPath(home: TalkHome, cwd: string, id: string): string {
  return join(home.path, ".claude/projects", cwd.replaceAll(/[^a-zA-Z0-9]/gu, "-"), `${id}.jsonl`);
}

/** Writes the records of Claude Code. The times of files are a little earlier than those of the process. */
function record(
  home: TalkHome,
  cwd: string,
  id: string,
  words: string,
  timestamp = new Date().toISOString(),
): void {
  const path = recordPath(home, cwd, id);
  mkdirSync(dirname(path), { recursive: true });
  const line = {
    type: "user",
    uuid: "u1",
    parentUuid: null,
    sessionId: id,
    cwd,
    timestamp,
    version: "2.1.330",
  };
  const message = { role: "user", content: words };
  writeFileSync(path, `${JSON.stringify({ ...line, message })}\n`);
  const writtenAt = (Date.now() - 1_000) / 1_000;
  utimesSync(path, writtenAt, writtenAt);
}

function resume(home: TalkHome, { url, sessionId, cwd }: Crash, flags?: TalkFlags): Promise<Talk> {
  return openTalk({
    flags: flags ?? { resume: sessionId },
    places: { home: home.path, cwd, env: cleanEnv(home.path) },
    openStore: () => openStore(url),
    keepOpen: "turn",
    note: () => undefined,
    onProgress: () => undefined,
  });
}

const referenceIn = (session: Session | null): unknown =>
  (session?.metadata.providerSessions as Record<string, unknown> | undefined)?.claude;

const options = { onEvent: async () => undefined, signal: new AbortController().signal };

test.each([
  ["a first turn, and another prompt", false, "go on"],
  ["a later turn, and another prompt", true, "go on"],
  ["a first turn, and the same prompt", false, "tell me a story"],
  ["a later turn, and the same prompt", true, "tell me a story"],
])("after a crash in %s, the native session that received the prompt continues", async (_, known, words) => {
  using home = createTalkHome();
  const crash = await crashIn(home, { known });
  record(home, crash.cwd, NATIVE, "tell me a story");
  record(home, crash.cwd, OTHER, "something else");
  // A process opens the session, and closes it without a prompt.
  await (await resume(home, crash)).close();
  await using talk = await resume(home, crash);
  expect(referenceIn(talk.session)).toMatchObject({ sessionId: NATIVE, state: "live" });
  const { result } = await talk.say(words, options);
  expect(result).toMatchObject({ status: "completed", resumption: { happened: "native" } });
  expect(home.methods().filter((method) => method === "session/new")).toEqual([]);
  const [prompt = ""] = home.prompts();
  // Only the answer that was cut off is new to the agent.
  expect(prompt.endsWith(words)).toBe(true);
  expect(prompt.split("tell me a story")).toHaveLength(words === "go on" ? 1 : 2);
  expect(prompt).toContain("Once upon");
});

test.each([
  ["a first turn", false],
  ["a later turn", true],
])("after a crash in %s, the agent receives a prompt once if the caller names the run", async (_, known) => {
  using home = createTalkHome();
  const crash = await crashIn(home, { known });
  record(home, crash.cwd, NATIVE, "tell me a story");
  await using talk = await resume(home, crash);
  const { result } = await talk.say("tell me a story", { ...options, retryOf: crash.runId });
  // The native session has already received the prompt, so the conversation before it is written into another one.
  expect(result).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
  expect(referenceIn(talk.session)).not.toMatchObject({ sessionId: NATIVE });
  expect(home.prompts().map((prompt) => prompt.split("tell me a story").length - 1)).toEqual([1]);
});

test("a repeated prompt is stored once in the session, although its native session cannot be resumed", async () => {
  const gone = { error: { code: -32_603, message: "it is broken" } };
  using home = createTalkHome({ ...SCRIPT, answers: { "session/resume": [gone], "session/load": [gone] } });
  const crash = await crashIn(home, { known: true });
  record(home, crash.cwd, NATIVE, "tell me a story");
  await using talk = await resume(home, crash);
  const { result } = await talk.say("tell me a story", options);
  expect(result).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
  const store = await talk.store();
  const { events } = await store.read(crash.sessionId, { types: ["message_sent"] });
  expect(events).toHaveLength(1);
  expect((await store.getRun(result.run.runId))?.metadata.retryOf).toBe(crash.runId);
});

test("a turn whose run the caller named is answered by a second run, although its native session cannot be resumed", async () => {
  const gone = { error: { code: -32_603, message: "it is broken" } };
  using home = createTalkHome({ ...SCRIPT, answers: { "session/resume": [gone], "session/load": [gone] } });
  const crash = await crashIn(home, { known: true });
  record(home, crash.cwd, NATIVE, "tell me a story");
  await using talk = await resume(home, crash);
  const runId = "0b7c1f7e-3d51-4c0e-9a52-6f1f3f0a9c11";
  const { result } = await talk.say("tell me a story", { ...options, runId });
  expect(result).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
  const first = await (await talk.store()).getRun(runId);
  expect([first?.status, result.run.runId === runId]).toEqual(["failed", false]);
});

test("a native session that missed what another person wrote after the prompt is not continued without it", async () => {
  using home = createTalkHome();
  const crash = await crashIn(home, { known: false });
  record(home, crash.cwd, NATIVE, "tell me a story");
  {
    await using store = await openStore(crash.url);
    const words = [{ type: "text", text: "The lamp is red." }];
    await store.append(crash.sessionId, [{ type: "message_sent", data: { content: words } }]);
  }
  await using talk = await resume(home, crash);
  expect(referenceIn(talk.session)).toBe(undefined);
  await talk.say("go on", options);
  // The whole conversation is written into another native session, which the agent continues.
  const { sessionId } = referenceIn(talk.session) as { readonly sessionId: string };
  expect(sessionId).not.toBe(NATIVE);
  expect(readFileSync(recordPath(home, crash.cwd, sessionId), "utf8")).toContain("The lamp is red.");
});

test.each([
  ["no session has the prompt", (home: TalkHome, cwd: string) => record(home, cwd, NATIVE, "something else")],
  [
    "only a session has it that is older than the turn",
    (home: TalkHome, cwd: string) => record(home, cwd, NATIVE, "tell me a story", "2025-01-01T00:00:00.000Z"),
  ],
  [
    "two sessions have it",
    (home: TalkHome, cwd: string) => {
      for (const id of [NATIVE, OTHER]) record(home, cwd, id, "tell me a story");
    },
  ],
])("after a crash in the first turn no native session is continued if %s", async (_, write) => {
  using home = createTalkHome();
  const crash = await crashIn(home, { known: false });
  write(home, crash.cwd);
  await using talk = await resume(home, crash);
  expect(referenceIn(talk.session)).toBe(undefined);
});

test.each<[string, TalkFlags]>([
  ["--continue", { continue: true }],
  ["the name of the native session", { resume: `claude:${NATIVE}` }],
])(
  "after a crash in the first turn %s leads to the session of Continuo's that was cut off",
  async (_, flags) => {
    using home = createTalkHome();
    const crash = await crashIn(home, { known: false });
    record(home, crash.cwd, OTHER, "something else", "2025-01-01T00:00:00.000Z");
    // This is the newest session of the folder.
    record(home, crash.cwd, NATIVE, "tell me a story", new Date(Date.now() + 60_000).toISOString());
    await using talk = await resume(home, crash, flags);
    expect(talk.session?.sessionId).toBe(crash.sessionId);
    expect(referenceIn(talk.session)).toMatchObject({ sessionId: NATIVE, state: "live" });
  },
);

test("a native session that another session of Continuo's continues is not used", async () => {
  using home = createTalkHome();
  const crash = await crashIn(home, { known: false });
  record(home, crash.cwd, NATIVE, "tell me a story");
  await using store = await openStore(crash.url);
  const reference = { sessionId: NATIVE, baseSequence: 0, state: "live" };
  await store.createSession({ metadata: { providerSessions: { claude: reference } } });
  await using talk = await resume(home, crash);
  expect(referenceIn(talk.session)).toBe(undefined);
});
