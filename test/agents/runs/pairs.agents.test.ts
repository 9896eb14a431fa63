/**
 * Every ordered pair of agents with every fault: the turn of one agent fails, the other agent continues, and then the
 * first one again. The test checks the requests to the model servers. Each fault is tried with one pair, or with all
 * pairs if `--all-pairs` is given.
 */

import { openRunAgent } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { type RunOnceOptions, type RunResult, runOnce } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { killIfThere } from "../../left-behind/processes.ts";
import { type ModelServer, type Step, startModelServer, text } from "../../model-servers/index.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { startedIn } from "../started-programs.ts";

const FIRST = "Remember the number forty-one.";
const WRONG = "This is what goes wrong.";
const OTHER = "Name a colour, please.";
const LAST = "Which number was it?";
const STORY = Array.from({ length: 3_000 }, (_, k) => `word${k}`).join(" ");

/** On a busy machine opencode takes a minute to start. */
const TIMEOUT_MS = 900_000;

interface Fault {
  readonly name: string;
  readonly answer: readonly Step[];
  /** `after` happens after this number of requests to the model: agents differ in how often they ask again. */
  readonly requests: number;
  readonly after: "the person gives up" | "the agent is killed";
  /** Agents that treat a part of an answer as the whole answer, and complete the turn. */
  readonly hides?: readonly AgentName[];
}

const refusal = (status: number, requests: number): Fault => ({
  name: String(status),
  answer: [{ type: "error", status, message: "a scripted refusal" }],
  requests,
  after: "the person gives up",
});

const FAULTS: readonly Fault[] = [
  { name: "a crash", answer: [{ type: "hang" }], requests: 1, after: "the agent is killed" },
  {
    name: "Ctrl-C",
    answer: [{ type: "slow", delayMs: 100 }, text(STORY)],
    requests: 1,
    after: "the person gives up",
  },
  refusal(400, 3),
  refusal(401, 3),
  refusal(429, 2),
  refusal(500, 2),
  refusal(529, 2),
  {
    name: "a cut connection",
    answer: [text("half"), { type: "cut" }],
    requests: 2,
    after: "the person gives up",
    hides: ["gemini"],
  },
];

type Pair = readonly [AgentName, AgentName];

const PAIRS: readonly Pair[] = AGENT_NAMES.flatMap((from) =>
  AGENT_NAMES.filter((to) => to !== from).map((to): Pair => [from, to]),
);

/** Unless all pairs are requested, each fault gets a different pair, so that a turn of each agent fails. */
function casesOf(fault: Fault, at: number): readonly (readonly [string, AgentName, AgentName, Fault])[] {
  const isAll = process.env.CONTINUO_ALL_PAIRS === "1";
  const step = PAIRS.length / FAULTS.length;
  const pairs = isAll ? PAIRS : PAIRS.slice(Math.floor(at * step), Math.floor(at * step) + 1);
  return pairs.map(([from, to]) => [fault.name, from, to, fault] as const);
}

interface Stage extends AsyncDisposable {
  readonly server: ModelServer;
  readonly sandbox: Sandbox;
  run(name: AgentName, words: string, options?: RunOnceOptions): Promise<RunResult>;
}

async function stage(pair: Pair, wrong: readonly Step[]): Promise<Stage> {
  const sandbox = await makeSandbox();
  const server = await startModelServer({
    turns: [
      { user: FIRST, answers: [[text("I keep it in mind.")]] },
      { user: OTHER, answers: [[text("Green.")]] },
      { user: LAST, answers: [[text("It was forty-one.")]] },
      { user: WRONG, answers: [wrong] },
    ],
  });
  const store = await openStore("memory:");
  const prepared = new Map<AgentName, Awaited<ReturnType<(typeof SUBJECTS)[AgentName]["prepare"]>>>();
  for (const name of pair) prepared.set(name, await SUBJECTS[name].prepare(sandbox, server.url));
  return {
    server,
    sandbox,
    async run(name, words, options = {}) {
      const subject = prepared.get(name);
      if (subject === undefined) throw new Error(`${name} was not prepared`);
      const { cwd, environment, command } = subject;
      const places = { home: sandbox.root, env: environment };
      const agent = await openRunAgent(name, { cwd, places, command });
      return await runOnce(store, agent, words, { session: { cwd }, ...options });
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** Runs the turn that fails, to its end. */
async function goWrong({ server, sandbox, run }: Stage, name: AgentName, fault: Fault, sessionId: string) {
  const stop = new AbortController();
  const turn = run(name, WRONG, { sessionId, signal: stop.signal });
  let isOver = false;
  const ended = turn.finally(() => {
    isOver = true;
  });
  const isAsked = () => server.conversation().filter((one) => JSON.stringify(one).includes(WRONG)).length;
  await expect.poll(() => isOver || isAsked() >= fault.requests, { timeout: TIMEOUT_MS }).toBe(true);
  if (fault.after === "the person gives up") stop.abort();
  else for (const pid of startedIn(sandbox)) killIfThere(pid);
  return await ended;
}

/** Counts how often each text appears in the newest request that contains the first of them. */
function counts({ server }: Stage, ...words: readonly [string, ...string[]]): readonly number[] {
  const request = server.conversation().findLast((one) => JSON.stringify(one.body).includes(words[0]));
  expect(request?.violations).toEqual([]);
  const body = JSON.stringify(request?.body);
  return words.map((one) => body.split(one).length - 1);
}

test.each(FAULTS.flatMap(casesOf))(
  "after %s in a turn of %s, the conversation continues with %s and then with the first agent",
  async (_, from, to, fault) => {
    await using at = await stage([from, to], fault.answer);
    const { sessionId } = await at.run(from, FIRST);
    const bad = await goWrong(at, from, fault, sessionId);
    expect(bad.status === "completed").toBe(fault.hides?.includes(from) ?? false);
    expect((await at.run(to, OTHER, { sessionId })).status).toBe("completed");
    expect(counts(at, OTHER, FIRST)).toEqual([1, 1]);
    // An agent may have dropped the prompt that its model refused, but it never sends it twice.
    expect(counts(at, OTHER, WRONG)[1]).toBeLessThanOrEqual(1);
    expect((await at.run(from, LAST, { sessionId })).status).toBe("completed");
    expect(counts(at, LAST, FIRST, OTHER)).toEqual([1, 1, 1]);
    expect(counts(at, LAST, WRONG)[1]).toBeLessThanOrEqual(1);
  },
  TIMEOUT_MS,
);
