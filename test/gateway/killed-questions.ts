/**
 * Editors that share a session in which an agent waits for a permission, and gateways that are killed while it waits. A
 * question has one answer, the first one. A question without an answer is withdrawn, and asked again with the prompt.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { openOwn } from "@continuo/agents/catalog";
import { isEvent, messageOf, RUN_END_STATUSES, readAll } from "@continuo/core/model";
import { expect } from "vitest";
import type { Json, Message, Wire } from "../acp/conformance/wire.ts";
import { chunk, DONE, hello1, type Script } from "../acp/script.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { createRandom, type Random } from "../store/harness/random.ts";
import { beginSessions, openGateway, pad, projectOf, replayed } from "./shared-sessions.ts";
import { questionsOf, withdrawnFrom } from "./shared-turns.ts";

export interface KilledQuestions {
  readonly editors: number;
  readonly sessions: number;
  /** The number of kills of gateways, in all sessions together. */
  readonly kills: number;
  readonly seed: number;
}

const CALL = { toolCallId: "t1", title: "Bash", kind: "execute", rawInput: { command: "make" } };
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

/** The answer repeats the option that the agent received. */
const ASKING_SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: {
    "session/new": [{ result: { sessionId: "$UUID" } }],
    "session/resume": [{ result: {} }],
  },
  prompts: {
    "*": [
      chunk("You said: "),
      { update: { sessionUpdate: "tool_call", ...CALL } },
      { ask: { toolCall: CALL, options: OPTIONS } },
      chunk("$END"),
      { update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" } },
      DONE,
    ],
  },
};

/** An answer is sent at most this long before the kill or after it. */
const LATEST_ANSWER_MS = 60;
const WAIT = { timeout: 120_000, interval: 50 } as const;

/** The ways in which an open question meets a kill. The gateway that is killed always shows the question. */
const ENDS = [
  "nobody answers, and the gateway of the turn is killed",
  "the editor of the turn answers when its gateway is killed",
  "another editor answers when the gateway of the turn is killed",
  "a gateway that only follows the turn is killed",
] as const;

/** Errors: with the seed. */
export async function killWhileAsked(plan: KilledQuestions): Promise<void> {
  const { editors, sessions, kills, seed } = plan;
  try {
    using home = createTalkHome(ASKING_SCRIPT);
    const ids = await beginSessions(home, sessions);
    const random = createRandom(seed);
    const asked = await Promise.all(
      ids.map(async (sessionId, at) => {
        const shared = new AskedSession(home, { sessionId, at, random });
        const own = Math.floor(kills / sessions) + (at < kills % sessions ? 1 : 0);
        return await shared.work(Math.floor(editors / sessions), own);
      }),
    );
    for (const [at, sessionId] of ids.entries()) await checkLog(home, sessionId, asked[at] ?? []);
    expect(home.answers().length).toBeLessThanOrEqual(await countQuestions(home, ids));
  } catch (cause) {
    throw new Error(`failed with seed ${seed}: ${messageOf(cause)}`, { cause });
  }
}

interface SessionPlan {
  readonly sessionId: string;
  readonly at: number;
  readonly random: Random;
}

class AskedSession {
  readonly #home: TalkHome;
  readonly #plan: SessionPlan;
  #wires: Wire[] = [];
  /** The calls of all questions so far. */
  readonly #calls = new Set<string>();

  constructor(home: TalkHome, plan: SessionPlan) {
    this.#home = home;
    this.#plan = plan;
  }

  /** Returns the prompts, each once. */
  async work(editors: number, kills: number): Promise<readonly string[]> {
    const { at, random } = this.#plan;
    this.#wires = await Promise.all(Array.from({ length: editors }, () => this.#open()));
    const asked: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const words = `question ${pad(at)}-${pad(kill)}`;
      asked.push(words);
      await this.#killOnce(words, random.pick(ENDS));
    }
    for (const wire of this.#wires) await wire[Symbol.asyncDispose]();
    return asked;
  }

  async #killOnce(words: string, end: (typeof ENDS)[number]): Promise<void> {
    const { random } = this.#plan;
    const at = random.below(this.#wires.length);
    const other = (at + 1 + random.below(this.#wires.length - 1)) % this.#wires.length;
    const running = this.#ask(at, words);
    const questions = await this.#newQuestions();
    if (end === "a gateway that only follows the turn is killed") {
      await this.#kill(other);
      // The question is still open, so the editor that opens the session again is asked, too.
      await expect.poll(() => questionsOf(this.#wire(other)).length, WAIT).toBe(1);
      const [again] = questionsOf(this.#wire(other));
      if (again !== undefined) questions.set(other, again);
      for (const each of [at, other]) this.#choose(each, questions);
      expect(await running).toMatchObject({ stopReason: "end_turn" });
      return await this.#expectClosed();
    }
    if (end === "the editor of the turn answers when its gateway is killed") this.#choose(at, questions);
    if (end === "another editor answers when the gateway of the turn is killed") {
      const laterMs = random.below(2 * LATEST_ANSWER_MS) - LATEST_ANSWER_MS;
      const answering = sleep(Math.max(0, laterMs)).then(() => this.#choose(other, questions));
      await sleep(Math.max(0, -laterMs));
      this.#wire(at).kill();
      await answering;
    }
    await this.#kill(at);
    if (!(await this.#isAnswered(at, words))) {
      const repeated = this.#ask(at, words);
      const again = await this.#newQuestions();
      for (const each of [at, other]) this.#choose(each, again);
      expect(await repeated).toMatchObject({ stopReason: "end_turn" });
    }
    await this.#expectClosed();
  }

  async #open(): Promise<Wire> {
    const wire = await openGateway(this.#home);
    wire.choose = null;
    const { sessionId } = this.#plan;
    await wire.get("session/load", { sessionId, cwd: projectOf(this.#home), mcpServers: [] });
    return wire;
  }

  /** Kills a gateway, and opens the session with a new one. */
  async #kill(at: number): Promise<void> {
    const wire = this.#wire(at);
    wire.kill();
    expect(wire.violations).toEqual([]);
    this.#wires[at] = await this.#open();
  }

  #wire(at: number): Wire {
    const wire = this.#wires[at];
    if (wire === undefined) throw new Error(`there is no editor ${at}`);
    return wire;
  }

  #ask(at: number, words: string): Promise<Json> {
    const prompt = [{ type: "text", text: words }];
    const answer = this.#wire(at).get("session/prompt", { sessionId: this.#plan.sessionId, prompt });
    answer.catch(() => undefined);
    return answer;
  }

  /** The question of a new turn, in each editor. */
  async #newQuestions(): Promise<Map<number, Message>> {
    const found = new Map<number, Message>();
    for (const at of this.#wires.keys()) {
      const newest = (): Message | undefined =>
        questionsOf(this.#wire(at)).find((question) => !this.#calls.has(callOf(question)));
      await expect.poll(newest, WAIT).toBeDefined();
      found.set(at, newest() as Message);
    }
    for (const question of found.values()) this.#calls.add(callOf(question));
    return found;
  }

  #choose(at: number, questions: ReadonlyMap<number, Message>): void {
    const question = questions.get(at);
    const { optionId } = this.#plan.random.pick(OPTIONS);
    const result = { outcome: { outcome: "selected", optionId } };
    const wire = this.#wire(at);
    wire.write(`${JSON.stringify({ jsonrpc: "2.0", id: question?.id, result })}\n`);
    ANSWERED.set(wire, [...(ANSWERED.get(wire) ?? []), question?.id]);
  }

  /** Each editor answered each of its questions itself, or the question was withdrawn. */
  async #expectClosed(): Promise<void> {
    for (const wire of this.#wires) {
      const open = (): readonly unknown[] => {
        const closed = [...withdrawnFrom(wire), ...(ANSWERED.get(wire) ?? [])];
        return questionsOf(wire).filter(({ id }) => !closed.includes(id));
      };
      await expect.poll(open, WAIT).toEqual([]);
    }
  }

  async #isAnswered(at: number, words: string): Promise<boolean> {
    const { agent } = await replayed(this.#wire(at), this.#home, this.#plan.sessionId);
    return agent.some((text) => isWhole(text, words));
  }
}

/** The ids of the questions that an editor answered. */
const ANSWERED = new WeakMap<Wire, readonly unknown[]>();

/** The id of the call that a question is about. It is another one in each turn, and the same in each editor. */
function callOf({ params }: Message): string {
  return String((params?.toolCall as Json | undefined)?.toolCallId);
}

/** The agent repeats the answer to its question before the end of the prompt. */
function isWhole(text: string, words: string): boolean {
  return text.includes('"optionId"') && text.endsWith(words);
}

/** The log has each prompt and each answer once, no question with two answers, and none that is open. */
async function checkLog(home: TalkHome, sessionId: string, asked: readonly string[]): Promise<void> {
  await using wire = await openGateway(home);
  const { user, agent } = await replayed(wire, home, sessionId);
  expect(user).toEqual(asked);
  for (const words of asked) expect(agent.filter((text) => isWhole(text, words))).toHaveLength(1);
  const { answers, open } = await questionsIn(home, sessionId);
  for (const [question, options] of answers) expect([question, options.length]).toEqual([question, 1]);
  expect(open).toEqual([]);
  // The agent received the answer that is stored.
  const received = agent.flatMap((text) => /"optionId":"(\w+)"/u.exec(text)?.[1] ?? []);
  const stored = [...answers.values()].flat();
  for (const optionId of ["yes", "no"]) {
    const count = (all: readonly string[]): number => all.filter((each) => each === optionId).length;
    expect(count(received)).toBeLessThanOrEqual(count(stored));
  }
}

async function countQuestions(home: TalkHome, ids: readonly string[]): Promise<number> {
  const all = await Promise.all(ids.map((sessionId) => questionsIn(home, sessionId)));
  return all.reduce((sum, { count }) => sum + count, 0);
}

interface StoredQuestions {
  readonly count: number;
  /** The options that were stored as answers, by the question. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
  /** Questions without an answer whose run has not ended. */
  readonly open: readonly string[];
}

async function questionsIn(home: TalkHome, sessionId: string): Promise<StoredQuestions> {
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path), now: new Date() };
  await using own = await openOwn(places);
  if (own === null) throw new Error("there is no store");
  const answers = new Map<string, readonly string[]>();
  const asked = new Map<string, string>();
  const logId = sessionId.replace(/^continuo:/u, "");
  const types = ["approval_requested", "approval_resolved"];
  for await (const event of readAll(own.store, logId, { types })) {
    const { runId = "" } = event;
    // A question has its id within its run.
    const { approvalId, optionId = "" } = event.data as {
      readonly approvalId: string;
      readonly optionId?: string;
    };
    const question = `${runId} ${approvalId}`;
    if (isEvent(event, "approval_requested")) asked.set(question, runId);
    else answers.set(question, [...(answers.get(question) ?? []), optionId]);
  }
  const open: string[] = [];
  for (const [question, runId] of asked) {
    const status = (await own.store.getRun(runId))?.status;
    if (!answers.has(question) && !RUN_END_STATUSES.some((end) => end === status)) open.push(question);
  }
  return { count: asked.size, answers, open };
}
