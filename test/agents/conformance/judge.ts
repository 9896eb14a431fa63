/**
 * Tries the rules of version 1 of the protocol's test kit on a real agent, one after another, and reports which of them
 * hold.
 */

import { expect } from "vitest";
import { GROUPS, HELLO, isUnclaimed, type Rule, type Subject } from "../../acp/conformance/v1.ts";
import { type Json, Wire } from "../../acp/conformance/wire.ts";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
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
  /** The version that the agent answers when the client asks for version 2. */
  readonly asked2: unknown;
  readonly passed: readonly string[];
  readonly notClaimed: readonly string[];
  readonly failed: Readonly<Record<string, Failure>>;
}

export interface RealAgent {
  /** The arguments with which the agent's command starts the protocol. */
  readonly args: readonly string[];
  /** The method of `authenticate` that needs no person, for an agent that requires it. */
  readonly login?: string;
  prepare(sandbox: Sandbox, modelUrl: string): Promise<AgentSetup>;
}

const NOT_CLAIMED = "not claimed";
/** A start of Gemini CLI or opencode takes 12 s on an idle machine. */
const ANSWER_MS = 120_000;
/** A turn of several minutes, which has to be cancelled. */
const STORY = Array.from({ length: 3_000 }, (_, k) => `word${k}`).join(" ");
const SCRIPT = {
  turns: [
    { user: "hello", answers: [[text("Hello to you.")]] },
    { user: "a long story", answers: [[{ type: "slow", delayMs: 100 } as const, text(STORY)]] },
    { user: "grüße", answers: [[text("grüße, 你好, 🦦")]] },
  ],
};

/** The name of a rule is the first word of its title. */
export const RULES: ReadonlyMap<string, Parameters<Rule>> = new Map(
  GROUPS.flatMap(([, rules]) => {
    const titled: [string, Parameters<Rule>][] = [];
    rules((...rule) => titled.push([idOf(rule[0]), rule]));
    return titled;
  }),
);

export async function judge(agent: RealAgent, onResult: (line: string) => void): Promise<Judgement> {
  const passed: string[] = [];
  const notClaimed: string[] = [];
  const failed: Record<string, Failure> = {};
  for (const [id, rule] of RULES) {
    // A machine that stands still for a moment is not a mistake of the agent.
    const outcome = await tryRule(agent, rule)
      .catch(() => tryRule(agent, rule))
      .catch(reasonOf);
    if (outcome === "passes") passed.push(id);
    else if (outcome === NOT_CLAIMED) notClaimed.push(id);
    else failed[id] = { rule: rule[0].slice(id.length + 1), reason: outcome };
    onResult(`${id} ${outcome}`);
  }
  return { asked2: await versionFor2(agent), passed, notClaimed, failed };
}

async function tryRule(
  agent: RealAgent,
  [, check, hello = HELLO]: Parameters<Rule>,
): Promise<"passes" | typeof NOT_CLAIMED> {
  return await withProcess(agent, async (wire, subject) => {
    const answer = await wire.get("initialize", hello);
    if (agent.login !== undefined) await wire.get("authenticate", { methodId: agent.login });
    await check(wire, subject, answer);
    return isUnclaimed(wire) ? NOT_CLAIMED : "passes";
  });
}

async function versionFor2(agent: RealAgent): Promise<unknown> {
  return await withProcess(agent, async (wire) => {
    const hello = { protocolVersion: 2, info: { name: "conformance", version: "1" }, capabilities: {} };
    const { protocolVersion } = await wire.get("initialize", { ...HELLO, ...hello });
    return protocolVersion;
  });
}

async function withProcess<T>(
  agent: RealAgent,
  use: (wire: Wire, subject: Subject) => Promise<T>,
): Promise<T> {
  await using sandbox = await makeSandbox();
  await using server: ModelServer = await startModelServer(SCRIPT);
  const { command, environment, cwd } = await agent.prepare(sandbox, server.url);
  const [program = "", ...args] = command;
  const subject: Subject = {
    program: { command: [program, ...args, ...agent.args], cwd, env: environment, answerMs: ANSWER_MS },
    cwd,
    prompt: "hello",
    endless: "a long story",
    asking: "hello",
    [Symbol.dispose]: () => undefined,
  };
  const wire = new Wire(subject.program);
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

/** Returns true if the outcomes are the same; the texts of the reasons may differ. */
export function expectSame(judgement: Judgement, stored: Judgement): void {
  const outcomes = ({ asked2, passed, notClaimed, failed }: Judgement): Json => ({
    asked2,
    passed,
    notClaimed,
    failed: Object.keys(failed),
  });
  expect(outcomes(judgement)).toEqual(outcomes(stored));
}
