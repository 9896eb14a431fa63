/** `chat`: one turn. */

import type { AskPermission } from "../../agents/driver/index.ts";
import { ContinuoError } from "../../model/index.ts";
import {
  createAsking,
  describeResumption,
  describeTurn,
  errorOf,
  TALK_LIMITS,
  Talk,
  type TurnResult,
} from "../conversation/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ChatFlags } from "./commands.ts";
import { nextKeyOf } from "./keys.ts";
import { createReport, type Report } from "./report.ts";

/** Errors: those of opening the conversation, and of the turn. */
export async function runChat(prompt: string | null, flags: ChatFlags, shell: Shell): Promise<number> {
  if (prompt === null && shell.stdin.isTTY === true) throw nothingSaid();
  const stop = new AbortController();
  using _held = shell.holdInterrupts(() => {
    // Who says it twice does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new ContinuoError("interrupted", "interrupted"));
  });
  const report = createReport(flags, shell);
  let talk: Talk | null = null;
  const ask = askOf(report, { shell, stop, timeLimitMs: () => talk?.settings.permissions.timeoutMs ?? 0 });
  talk = await Talk.open({
    flags,
    shell,
    // The answer is told before the program has ended.
    keepOpen: "session",
    note: (text) => report.note(text),
    ...(ask === undefined ? {} : { ask }),
  });
  await using open = talk;
  const input = prompt ?? (await readPrompt(shell, stop.signal));
  if (input.trim() === "") throw nothingSaid();
  return await turn(open, input, { report, stop });
}

interface InTurn {
  readonly report: Report;
  readonly stop: AbortController;
}

async function turn(talk: Talk, input: string, { report, stop }: InTurn): Promise<number> {
  const startedAt = performance.now();
  report.begin(talk.agent);
  let ended: TurnResult;
  try {
    ended = await talk.say(input, { onEvent: (event) => report.tell(event), signal: stop.signal });
  } finally {
    await report.end();
  }
  const { result } = ended;
  const { agent } = talk;
  const facts = [describeTurn(result, performance.now() - startedAt)];
  if (result.resumption !== null) {
    const { sessionId, resumption } = result;
    facts.push(describeResumption({ sessionId, agent, resumption, ids: "whole" }));
  }
  await report.result(result, facts);
  const error = errorOf(result, stop.signal);
  if (error !== null) throw error;
  return 0;
}

interface Asking {
  readonly shell: Shell;
  readonly stop: AbortController;
  readonly timeLimitMs: () => number;
}

/** Only where keys can be read, and the question can be seen. */
function askOf({ teller }: Report, { shell, stop, timeLimitMs }: Asking): AskPermission | undefined {
  if (teller === null || shell.stdin.isTTY !== true) return undefined;
  return createAsking({ teller, timeLimitMs, nextKey: nextKeyOf(shell, () => stop.abort()) });
}

/** Errors: `too_large`, `interrupted`. */
async function readPrompt({ stdin }: Shell, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of stdin) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size <= TALK_LIMITS.promptBytes) continue;
      throw new ContinuoError("too_large", `the prompt is larger than ${TALK_LIMITS.promptBytes} bytes`);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}

function nothingSaid(): ContinuoError {
  return new ContinuoError("usage", "there is nothing to say", {
    hint: 'Give a prompt: `continuo chat "why does the build fail?"`, or one on standard input. `continuo repl` asks for one.',
  });
}
