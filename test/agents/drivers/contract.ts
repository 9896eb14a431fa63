/**
 * The promises of every driver, proved with its real agent. A driver's test names the abilities of its agent
 * (`Subject`). The proofs show that the driver has these abilities, and that it refuses to list or to fork if the agent
 * cannot do that.
 */

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { listNativeSessions, readNativeSession } from "@continuo/agents";
import {
  type AgentDriver,
  type AgentEvent,
  type AgentName,
  type Block,
  type Conversation,
  type OpenConversation,
  type PermissionDecision,
  type PermissionPolicy,
  textOf,
} from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  type ModelServer,
  type RequestRecord,
  type Script,
  type Step,
  startModelServer,
  text,
} from "../../model-servers/index.ts";
import { normaliseRequest } from "../requests.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

export interface Subject {
  readonly agent: AgentName;
  /** The name of the agent in test titles, with the version or the adapter if the tests run several of them. */
  readonly title: string;
  /** Creates the agent's home. */
  prepare(sandbox: Sandbox, modelUrl: string): Promise<AgentSetup>;
  readonly canFork: boolean;
  /** True if the agent itself lists its sessions. */
  readonly canList: boolean;
  /** The call of a tool that writes `words` into the file; `null` if the agent does not ask before it writes. */
  readonly writes: ((file: string, words: string) => Step) | null;
  /** The policy of its conversations; absent for the default policy. */
  readonly permissions?: PermissionPolicy;
}

export interface AgentSetup {
  /** The environment of the agent, as the user has it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The command that starts its program. */
  readonly command: readonly string[];
  /** A new driver, as another process of Continuo would make it. */
  driver(): Promise<AgentDriver>;
}

const SAID = {
  first: "Remember the number forty-one.",
  second: "Which number was it?",
  third: "And the one after it?",
  other: "Name a colour.",
  slow: "Tell me a long story.",
  write: "Write it down, please.",
} as const;

const ANSWERS = {
  first: "I keep forty-one in mind.",
  second: "It was forty-one.",
  third: "Forty-two comes next.",
  other: "Green.",
  written: "That is settled.",
} as const;

const STORY = Array.from({ length: 400 }, (_, k) => `word${k}`).join(" ");
const WRITTEN = "these words were written";

const scriptOf = ({ writes }: Subject, file: string): Script => ({
  turns: [
    { user: SAID.first, answers: [[text(ANSWERS.first)]] },
    { user: SAID.second, answers: [[text(ANSWERS.second)]] },
    { user: SAID.third, answers: [[text(ANSWERS.third)]] },
    { user: SAID.other, answers: [[text(ANSWERS.other)]] },
    { user: SAID.slow, answers: [[{ type: "slow", delayMs: 100 }, text(STORY)]] },
    ...(writes === null
      ? []
      : [{ user: SAID.write, answers: [[writes(file, WRITTEN)], [text(ANSWERS.written)]] }]),
  ],
});

interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  readonly prepared: AgentSetup;
  /** The file into which the tool of `Subject.writes` writes. */
  readonly file: string;
  open(options?: Partial<OpenConversation>): Promise<Conversation>;
  /**
   * Returns the texts of the person and the agent in the last request of the conversation, without the agents'
   * additions.
   */
  lastRequest(): readonly string[];
}

async function stage(subject: Subject): Promise<Stage> {
  const sandbox = await makeSandbox();
  const file = `${sandbox.project}/written.txt`;
  const server = await startModelServer(scriptOf(subject, file));
  const prepared = await subject.prepare(sandbox, server.url);
  const { permissions = "ask" } = subject;
  return {
    sandbox,
    server,
    prepared,
    file,
    open: async (options = {}) =>
      await (await prepared.driver()).open({ cwd: prepared.cwd, permissions, ...options }),
    lastRequest() {
      const requests = server.conversation().map(saidIn);
      // A request that an agent makes by itself after an answer does not end with a message of the person.
      return requests.findLast((said) => isSaidByPerson(said.at(-1))) ?? [];
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

const KNOWN: readonly string[] = [...Object.values(SAID), ...Object.values(ANSWERS)];

/** Returns the known sentences of the conversation that a request contains, in their order. */
function saidIn(request: RequestRecord): readonly string[] {
  return normaliseRequest(request).flatMap((item) => {
    if (item.kind !== "text") return [];
    const at = (words: string): number => item.text.indexOf(words);
    return KNOWN.filter((words) => at(words) >= 0).sort((a, b) => at(a) - at(b));
  });
}

function isSaidByPerson(words: string | undefined): boolean {
  return words !== undefined && (Object.values(SAID) as readonly string[]).includes(words);
}

const say = (words: string): readonly Block[] => [{ type: "text", text: words }];

async function turn(conversation: Conversation, words: string): Promise<readonly AgentEvent[]> {
  return await Array.fromAsync(conversation.prompt(say(words)));
}

/** Returns the agent's text: the parts that it streamed or, if there are none, its whole messages. */
function spoken(events: readonly AgentEvent[]): string {
  const parts = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
  const whole = events.map((event) => (event.type === "message" ? textOf(event.content) : "")).join("");
  return parts === "" ? whole : parts;
}

const ended = (events: readonly AgentEvent[]): string | null => {
  const last = events.at(-1);
  return last?.type === "turn_completed" ? last.stopReason : null;
};

/** Runs every proof. */
export function proveDriver(subject: Subject): void {
  describe(`the driver of ${subject.title}`, () => {
    test("reports what it can do, and does not change the user's home", () => provesCapabilities(subject));
    test("begins a session with two turns, lists it, and sends both turns to its model in a new process", () =>
      provesNew(subject));
    test("continues the last of three sessions", () => provesContinue(subject));
    test("a fork does not change the original; a conversation can switch to another session in the middle", () =>
      provesForkAndChange(subject));
    test("answers the next prompt after a slow answer was cancelled", () => provesCancel(subject));
    test("a permission is requested, granted, denied, and denied after a time limit", () =>
      provesPermission(subject));
    test("continues the session in a new process after the agent was killed in the middle of a turn", () =>
      provesDeath(subject));
    test("a missing session is an error, or is replaced by the chosen alternative", () =>
      provesMissing(subject));
  });
}

async function provesCapabilities(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  const filesOf = (): readonly string[] =>
    readdirSync(at.sandbox.root, { recursive: true, encoding: "utf8" })
      .filter((path) => !/^(\.continuo|tmp)(\/|$)/u.test(path))
      .sort();
  const before = filesOf();
  const { canFork, canList, canLoad, canResume, canContinueLast } = await (
    await at.prepared.driver()
  ).capabilities();
  expect({ canFork, canList, canOpen: canLoad || canResume, canContinueLast }).toEqual({
    canFork: subject.canFork,
    canList: subject.canList,
    canOpen: true,
    canContinueLast: true,
  });
  expect(filesOf()).toEqual(before);
}

async function provesNew(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  await using conversation = await at.open();
  expect(spoken(await turn(conversation, SAID.first))).toBe(ANSWERS.first);
  const events = await turn(conversation, SAID.second);
  expect([spoken(events), ended(events)]).toEqual([ANSWERS.second, "end_turn"]);
  expect(at.lastRequest()).toEqual([SAID.first, ANSWERS.first, SAID.second]);
  const { resumption, sessionId } = conversation;
  expect(resumption).toMatchObject({
    requested: "new",
    happened: "new",
    verifiedBy: "agent and disk",
    ref: { agent: subject.agent, sessionId, location: expect.any(String), cwd: at.prepared.cwd },
  });
  await conversation.close();
  expect(await idsOnDisk(at)).toEqual([sessionId]);
  const listing = (await at.prepared.driver()).listSessions({ cwd: at.prepared.cwd });
  if (subject.canList) expect((await listing).items.map((item) => item.sessionId)).toEqual([sessionId]);
  else await expect(listing).rejects.toMatchObject({ code: "unsupported" });
  await resumes(at, sessionId);
}

async function resumes(at: Stage, sessionId: string): Promise<void> {
  await using conversation = await at.open({ resumeSessionId: sessionId });
  const resumed = {
    requested: "resume",
    happened: "native",
    verifiedBy: "agent and disk",
    ref: { sessionId },
  };
  expect(conversation.resumption).toMatchObject(resumed);
  expect(spoken(await turn(conversation, SAID.third))).toBe(ANSWERS.third);
  expect(at.lastRequest()).toEqual([SAID.first, ANSWERS.first, SAID.second, ANSWERS.second, SAID.third]);
  expect(conversation.resumption).toMatchObject(resumed);
  expect(conversation.resumption.forked).toBe(undefined);
}

async function provesContinue(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  // The session that was begun first is the one that was used last.
  const first = await at.open();
  await turn(first, SAID.first);
  for (const _ of [1, 2]) {
    await using other = await at.open();
    await turn(other, SAID.other);
  }
  await turn(first, SAID.second);
  await first.close();
  await using last = await at.open({ continueLast: true });
  expect(last.resumption).toMatchObject({ requested: "continue", happened: "native" });
  expect(last.sessionId).toBe(first.sessionId);
  await turn(last, SAID.third);
  expect(at.lastRequest()).toEqual([SAID.first, ANSWERS.first, SAID.second, ANSWERS.second, SAID.third]);
  if (!hasOwnWay(subject)) return;
  await last.close();
  await using again = await at.open({ continueLast: true, continueBy: "agent" });
  expect(again.sessionId).toBe(first.sessionId);
  expect(again.resumption.steps).toEqual([{ step: "--continue", outcome: "done" }]);
}

/** True if the agent finds its last session itself. See also `test/cli/continuing.full.test.ts`. */
function hasOwnWay({ agent, canList }: Subject): boolean {
  return !canList && (agent === "claude" || agent === "pi");
}

async function provesForkAndChange(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  const sessionId = await begin(at);
  await using conversation = await (subject.canFork ? forks(at, sessionId) : doesNotFork(at, sessionId));
  expect(await conversation.resumeSession(sessionId)).toMatchObject({
    happened: "native",
    ref: { sessionId },
  });
  await turn(conversation, SAID.third);
  expect(conversation.sessionId).toBe(sessionId);
  // The request has no message of the session that was open before the switch.
  expect(at.lastRequest()).toEqual([SAID.first, ANSWERS.first, SAID.third]);
}

async function forks(at: Stage, sessionId: string): Promise<Conversation> {
  const before = await historyOf(at, sessionId);
  const fork = await at.open({ forkSessionId: sessionId });
  expect(spoken(await turn(fork, SAID.second))).toBe(ANSWERS.second);
  expect(at.lastRequest()).toEqual([SAID.first, ANSWERS.first, SAID.second]);
  expect(fork.sessionId).not.toBe(sessionId);
  expect(fork.resumption).toMatchObject({ requested: "fork", happened: "native" });
  expect(await historyOf(at, sessionId)).toEqual(before);
  expect(new Set(await idsOnDisk(at))).toEqual(new Set([sessionId, fork.sessionId]));
  return fork;
}

async function doesNotFork(at: Stage, sessionId: string): Promise<Conversation> {
  const fork = at.open({ forkSessionId: sessionId });
  await expect(fork).rejects.toMatchObject({ code: "native_unavailable" });
  const other = await at.open();
  await turn(other, SAID.other);
  return other;
}

async function provesCancel(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  await using conversation = await at.open();
  const told: AgentEvent[] = [];
  for await (const event of conversation.prompt(say(SAID.slow))) {
    told.push(event);
    if (event.type === "text") void conversation.cancel();
  }
  expect(ended(told)).toBe("cancelled");
  expect(spoken(told)).not.toContain("word399");
  expect(spoken(await turn(conversation, SAID.other))).toBe(ANSWERS.other);
  // The agent decides whether a cancelled prompt stays in the session.
  expect(at.lastRequest().at(-1)).toBe(SAID.other);
}

async function provesPermission(subject: Subject): Promise<void> {
  if (subject.writes === null) return;
  const decisions: readonly (readonly [PermissionDecision, boolean])[] = [
    [{ outcome: "denied", by: "person" }, false],
    [{ outcome: "denied", by: "time limit", reason: "no answer" }, false],
    [{ outcome: "granted", by: "person" }, true],
  ];
  await using at = await stage(subject);
  const answers = decisions.map(([decision]) => decision);
  const answer = async (): Promise<PermissionDecision> => answers.shift() as PermissionDecision;
  await using conversation = await at.open({ onPermission: answer });
  for (const [decision, isWritten] of decisions) {
    const events = await turn(conversation, SAID.write);
    const asked = events.find((event) => event.type === "permission_request");
    expect(asked).toMatchObject({ type: "permission_request", title: expect.any(String) });
    expect(events.find((event) => event.type === "permission_decision")).toEqual({
      type: "permission_decision",
      approvalId: asked?.approvalId,
      ...decision,
    });
    expect(contentOf(at.file)).toBe(isWritten ? WRITTEN : null);
  }
}

async function provesDeath(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  const conversation = await at.open();
  await turn(conversation, SAID.first);
  const told: AgentEvent[] = [];
  const dying = (async () => {
    for await (const event of conversation.prompt(say(SAID.slow))) {
      told.push(event);
      if (event.type === "text") await killAgents(at.sandbox);
    }
  })();
  await expect(dying).rejects.toMatchObject({ code: "agent_failed", details: { signal: "SIGKILL" } });
  expect(spoken(told)).toMatch(/^word0/u);
  await conversation.close();
  await using again = await at.open({ resumeSessionId: conversation.sessionId });
  expect(spoken(await turn(again, SAID.second))).toBe(ANSWERS.second);
  const request = at.lastRequest();
  expect([request.slice(0, 2), request.at(-1)]).toEqual([[SAID.first, ANSWERS.first], SAID.second]);
}

async function provesMissing(subject: Subject): Promise<void> {
  await using at = await stage(subject);
  const resumeSessionId = "019aa000-0000-7000-8000-000000000001";
  const error: unknown = await at.open({ resumeSessionId }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "not_found", details: { steps: expect.any(Array) } });
  for (const by of hasOwnWay(subject) ? ([{}, { continueBy: "agent" }] as const) : [{}]) {
    await expect(at.open({ continueLast: true, ...by })).rejects.toMatchObject({ code: "not_found" });
  }

  const readHistory: OpenConversation["readHistory"] = async () => [
    { id: "1", role: "user", content: say(SAID.first), metadata: {} },
    { id: "2", role: "assistant", content: say(ANSWERS.first), metadata: {} },
  ];
  // The id is a new one, because Gemini CLI already began a session under the requested id and would wait for a minute.
  const other = "019bb000-0000-7000-8000-000000000002";
  await using replayed = await at.open({ resumeSessionId: other, onMissing: "replay", readHistory });
  expect(replayed.resumption).toMatchObject({ requested: "resume", happened: "replay" });
  expect(replayed.sessionId).not.toBe(other);
  await turn(replayed, SAID.second);
  expect(at.lastRequest()).toEqual([SAID.first, ANSWERS.first, SAID.second]);
}

/** Makes a session of one turn, ends the agent's program, and returns the id of the session. */
async function begin(at: Stage): Promise<string> {
  await using conversation = await at.open();
  await turn(conversation, SAID.first);
  await conversation.close();
  return conversation.sessionId;
}

/** Returns the ids of the sessions that have messages, because some agents also store an empty one at every start. */
async function idsOnDisk(at: Stage): Promise<readonly string[]> {
  const sessions = await listNativeSessions({ places: placesOf(at) });
  return sessions.filter(({ title }) => title !== null).map((session) => session.sessionId);
}

async function historyOf(at: Stage, sessionId: string): Promise<unknown> {
  return (await readNativeSession(sessionId, { places: placesOf(at) })).messages;
}

function placesOf({ sandbox, prepared }: Stage) {
  return { home: sandbox.root, env: prepared.environment };
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

/** Kills every process that runs in the sandbox's home, like a crash. */
async function killAgents({ root }: Sandbox): Promise<void> {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const variables = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      if (variables.includes(`HOME=${root}`)) process.kill(Number(name), "SIGKILL");
    } catch {
      // The process ended meanwhile, or belongs to another user.
    }
  }
  await wait(0);
}
