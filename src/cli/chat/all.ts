/** `chat --all`: sends the same prompt to every installed agent at the same time, each in a new session. */

import { agentOptionsOf, assertRunnable, readConfiguration } from "@continuo/agents/config";
import { openTalk } from "@continuo/agents/conversations";
import { findAgentProgram } from "@continuo/agents/drivers";
import { ContinuoError, exitCodeOf, isContinuoError, messageOf } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { describeResumption } from "../conversation/drawing/index.ts";
import { describeTurn, errorOf } from "../conversation/index.ts";
import { conversationOf } from "../flags/index.ts";
import {
  createOutput,
  createProgress,
  paintFor,
  type Shell,
  screenOf,
  toJsonText,
} from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";
import { createPlainText } from "./plain-text.ts";

const SHOWN_EVERY_MS = 500;

interface Answer {
  readonly agent: string;
  /** Visible text. */
  readonly text: string;
  readonly facts: readonly string[];
  readonly result: object | null;
  readonly error: unknown;
}

/** Answers are printed whole, in the order in which they arrive. The exit code is that of the first failure. */
export async function runChatAll(
  input: string,
  flags: ChatFlags,
  { shell, stop }: { readonly shell: Shell; readonly stop: AbortController },
): Promise<number> {
  const agents = await installedAgents(flags, shell);
  const output = createOutput(shell.stdout);
  const paint = paintFor(screenOf(shell, shell.stdout));
  const waiting = new Set(agents);
  using progress = createProgress(shell);
  const clock = setInterval(() => {
    if (waiting.size > 0) progress.show(`waiting for ${[...waiting].join(", ")}`);
  }, SHOWN_EVERY_MS);
  let exitCode = 0;
  let printing: Promise<void> = Promise.resolve();
  const print = async (answer: Answer): Promise<void> => {
    const { agent, text, facts, result, error } = answer;
    if (error !== null && exitCode === 0) exitCode = codeOf(error);
    progress.clear();
    if (flags.json === true) {
      await output.write(`${toJsonText({ type: "result", agent, ...result, ...errorIn(error) })}\n`);
    } else {
      await output.write(`${paint(`● ${visibleLine(agent)}`, "bold", "magenta")}\n\n${text}\n`);
      const lines = [...facts, ...(error === null ? [] : [`${agent}: ${messageOf(error)}`])];
      for (const line of lines) shell.stderr.write(`· ${visibleLine(line)}\n`);
    }
  };
  await Promise.all(
    agents.map(async (agent) => {
      const answer = await ask(agent, input, { flags, shell, stop });
      waiting.delete(agent);
      printing = printing.then(() => print(answer));
      await printing;
    }),
  ).finally(() => clearInterval(clock));
  return stop.signal.aborted ? exitCodeOf("interrupted") : exitCode;
}

/** Errors: `agent_missing` if there is none. */
async function installedAgents(flags: ChatFlags, shell: Shell): Promise<readonly string[]> {
  const configuration = await readConfiguration({ places: shell, cwd: flags.cwd ?? shell.cwd });
  assertRunnable(configuration);
  const places = placesOf(shell);
  const settings = Object.values(configuration.agents);
  const models = settings.filter(({ endpoint }) => endpoint !== undefined).map(({ name }) => name);
  const programs = await Promise.all(
    settings
      .filter(({ name }) => !models.includes(name))
      .map((one) => findAgentProgram(one.name, { ...agentOptionsOf(one), places })),
  );
  const installed = programs.filter(({ command }) => command !== null).map(({ agent }) => agent);
  const found = [...installed, ...models];
  if (found.length > 0) return found;
  throw new ContinuoError("agent_missing", "no agent is installed", {
    hint: "Run `continuo agents` to see how to install one.",
  });
}

interface AskOptions {
  readonly flags: ChatFlags;
  readonly shell: Shell;
  readonly stop: AbortController;
}

/** Nobody can be asked for the permissions of several agents at once: what the policy does not grant is denied. */
async function ask(agent: string, input: string, { flags, shell, stop }: AskOptions): Promise<Answer> {
  let text = "";
  const plain = createPlainText({
    isClosed: false,
    write: async (chunk) => {
      text += chunk;
    },
  });
  const facts: string[] = [];
  try {
    await using talk = await openTalk({
      flags: { ...flags, agent, new: true },
      ...conversationOf(flags, shell),
      onProgress: () => undefined,
      keepOpen: "turn",
      note: (line) => void facts.push(`${agent}: ${line}`),
    });
    const startedAt = performance.now();
    const { result, isKept } = await talk.say(input, {
      onEvent: (event) => plain.tell(event),
      signal: stop.signal,
    });
    await plain.end();
    facts.push(`${agent}: ${describeTurn(result, performance.now() - startedAt)}`);
    const { sessionId, resumption } = result;
    if (isKept && resumption !== null) {
      facts.push(describeResumption({ sessionId, agent, resumption, ids: "whole" }));
    }
    const { run: _, ...told } = result;
    return { agent, text, facts, result: told, error: errorOf(result, stop.signal) };
  } catch (error) {
    await plain.end();
    return { agent, text, facts, result: null, error };
  }
}

function codeOf(error: unknown): number {
  return isContinuoError(error) ? exitCodeOf(error) : 1;
}

function errorIn(error: unknown): object {
  if (error === null) return {};
  const code = isContinuoError(error) ? error.code : "internal";
  return { error: { code, message: messageOf(error) } };
}
