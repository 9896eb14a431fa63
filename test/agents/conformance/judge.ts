/**
 * Tries the rules of the protocol's test kit on a real agent, one after another, and reports which of them hold: those of
 * version 1, and those of the draft of version 2 if the agent speaks it.
 */

import { join } from "node:path";
import { expect } from "vitest";
import { GROUPS, HELLO, isUnclaimed, type Rule, type Subject } from "../../acp/conformance/v1.ts";
import { GROUPS as GROUPS_2 } from "../../acp/conformance/v2.ts";
import { HELLO as HELLO_2, isUnclaimed as isUnclaimed2 } from "../../acp/conformance/v2-kit.ts";
import { type Json, Wire } from "../../acp/conformance/wire.ts";
import {
  type ModelServer,
  type Script,
  type Step,
  startModelServer,
  text,
} from "../../model-servers/index.ts";
import type { AgentSetup } from "../drivers/contract.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

export interface Failure {
  /** The title of the rule, without its id. */
  readonly rule: string;
  /** The first line of what the check reports. */
  readonly reason: string;
}

/** Outcomes by the id of the rule. */
export interface Judgement {
  readonly passed: readonly string[];
  readonly notClaimed: readonly string[];
  readonly failed: Readonly<Record<string, Failure>>;
}

export interface RealAgent {
  /** The arguments with which the agent's command starts the protocol. */
  readonly args: readonly string[];
  /** The login method that needs no person, for an agent that requires `authenticate`. */
  readonly login?: string;
  /** A turn with calls, for version 2; the agent asks before the last of them, which writes the file. */
  readonly asking?: {
    readonly environment: Readonly<Record<string, string>>;
    calls(file: string): readonly Step[];
  };
  prepare(sandbox: Sandbox, modelUrl: string): Promise<AgentSetup>;
}

const NOT_CLAIMED = "not claimed";
type Outcome = "passes" | typeof NOT_CLAIMED;
/** A start of Gemini CLI or opencode takes 12 s on an idle machine. */
const ANSWER_MS = 120_000;
/** A turn of several minutes, which has to be cancelled. */
const STORY = Array.from({ length: 3_000 }, (_, k) => `word${k}`).join(" ");
const WRITE = "write it down";
const scriptOf = (calls: readonly Step[]): Script => ({
  turns: [
    { user: "hello", answers: [[text("Hello to you.")]] },
    { user: "a long story", answers: [[{ type: "slow", delayMs: 100 }, text(STORY)]] },
    { user: "grüße", answers: [[text("grüße, 你好, 🦦")]] },
    {
      user: WRITE,
      answers: [
        ...calls.map((call): readonly Step[] => [text("Next step."), call]),
        [text("That is written.")],
      ],
    },
  ],
});

/** The name of a rule is the first word of its title. */
export const RULES: ReadonlyMap<string, Parameters<Rule>> = new Map(
  GROUPS.flatMap(([, rules]) => {
    const titled: [string, Parameters<Rule>][] = [];
    rules((...rule) => titled.push([idOf(rule[0]), rule]));
    return titled;
  }),
);

export async function judge(agent: RealAgent, onResult: (line: string) => void): Promise<Judgement> {
  return await outcomesOf([...RULES.values()], (rule) => tryRule(agent, rule), onResult);
}

async function outcomesOf(
  rules: readonly Parameters<Rule>[],
  attempt: (rule: Parameters<Rule>) => Promise<Outcome>,
  onResult: (line: string) => void,
): Promise<Judgement> {
  const passed: string[] = [];
  const notClaimed: string[] = [];
  const failed: Record<string, Failure> = {};
  for (const rule of rules) {
    const id = idOf(rule[0]);
    // A rule that fails is tried again, because a machine that stalls for a moment is not a mistake of the agent.
    const outcome = await attempt(rule)
      .catch(() => attempt(rule))
      .catch(reasonOf);
    if (outcome === "passes") passed.push(id);
    else if (outcome === NOT_CLAIMED) notClaimed.push(id);
    else failed[id] = { rule: rule[0].slice(id.length + 1), reason: outcome };
    onResult(`${id} ${outcome}`);
  }
  return { passed, notClaimed, failed };
}

export interface Judgement2 extends Judgement {
  /** The version that the agent answers when the client asks for version 2. */
  readonly answers: unknown;
}

/** No rule is tried if the agent does not answer with version 2. */
export async function judge2(agent: RealAgent, onResult: (line: string) => void): Promise<Judgement2> {
  const answers = await withProcess(agent, 2, async (wire) => {
    return (await wire.get("initialize", HELLO_2)).protocolVersion;
  });
  onResult(`answers ${answers}`);
  const rules: Parameters<Rule>[] = [];
  for (const [, group] of answers === 2 ? GROUPS_2 : []) group((...rule) => void rules.push(rule));
  return { answers, ...(await outcomesOf(rules, (rule) => tryRule2(agent, rule), onResult)) };
}

async function tryRule2(agent: RealAgent, [, check, hello = HELLO_2]: Parameters<Rule>): Promise<Outcome> {
  return await withProcess(agent, 2, async (wire, subject) => {
    await check(wire, subject, await wire.get("initialize", hello));
    expect(wire.violations).toEqual([]);
    return isUnclaimed2(wire) ? NOT_CLAIMED : "passes";
  });
}

async function tryRule(agent: RealAgent, [, check, hello = HELLO]: Parameters<Rule>): Promise<Outcome> {
  return await withProcess(agent, 1, async (wire, subject) => {
    const answer = await wire.get("initialize", hello);
    if (agent.login !== undefined) await wire.get("authenticate", { methodId: agent.login });
    await check(wire, subject, answer);
    return isUnclaimed(wire) ? NOT_CLAIMED : "passes";
  });
}

async function withProcess<T>(
  agent: RealAgent,
  version: 1 | 2,
  use: (wire: Wire, subject: Subject) => Promise<T>,
): Promise<T> {
  await using sandbox = await makeSandbox();
  const asking = version === 2 ? agent.asking : undefined;
  const calls = asking?.calls(join(sandbox.project, "written.txt")) ?? [];
  await using server: ModelServer = await startModelServer(scriptOf(calls));
  const { command, environment, cwd } = await agent.prepare(sandbox, server.url);
  const env = { ...environment, ...asking?.environment };
  const [program = "", ...args] = command;
  const subject: Subject = {
    program: { command: [program, ...args, ...agent.args], cwd, env, answerMs: ANSWER_MS },
    cwd,
    prompt: "hello",
    endless: "a long story",
    asking: calls.length === 0 ? "hello" : WRITE,
    [Symbol.dispose]: () => undefined,
  };
  const wire = new Wire(subject.program, version);
  try {
    return await use(wire, subject);
  } finally {
    // An agent that does not end by itself would cost every rule 15 s.
    wire.kill();
  }
}

/** Returns the reason without the parts that differ from run to run. */
function reasonOf(error: unknown): string {
  const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return first
    .replaceAll(/\/[^\s"']*continuo-agents-[^\s"'/]*/gu, "HOME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|ses_\w+/gu, "ID")
    .slice(0, 240);
}

function idOf(title: string): string {
  return title.split(" ")[0] ?? title;
}

/** Throws if the outcomes differ; the texts of the reasons may differ. */
export function expectSame(judgement: Judgement, stored: Judgement): void {
  const outcomes = ({ passed, notClaimed, failed }: Judgement): Json => ({
    passed,
    notClaimed,
    failed: Object.keys(failed),
  });
  expect(outcomes(judgement)).toEqual(outcomes(stored));
}
