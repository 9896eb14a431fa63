/** `chat`: runs one turn. */

import { openTalk, type Talk } from "@continuo/agents/conversations";
import { ContinuoError } from "@continuo/core/model";
import { conversationOf } from "../flags/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";
import { assertSaid, readInput } from "./input.ts";
import { nextKeyOf } from "./keys.ts";
import type { TurnOutput } from "./turn-output.ts";

const LEFT_BY_SIGTERM = 143;

/** Errors: `usage` if there is no prompt. */
export function assertPrompted(prompt: string | null, { stdin }: Shell): void {
  if (prompt === null && stdin.isTTY === true) assertSaid(prompt);
}

/** Must be called after `assertPrompted`. Errors: those of opening the conversation, and those of the turn. */
export async function runChat(prompt: string | null, flags: ChatFlags, shell: Shell): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => {
    // A second Ctrl-C ends the process at once.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new ContinuoError("interrupted", "interrupted"));
  };
  let isTerminated = false;
  using _held = shell.holdInterrupts(interrupt);
  // The answer so far is stored and reported, as with Ctrl-C.
  using _heldToo = shell.holdTermination(() => {
    if (stop.signal.aborted) process.exit(LEFT_BY_SIGTERM);
    isTerminated = true;
    stop.abort(new ContinuoError("interrupted", "terminated"));
  });
  if (flags.all === true) {
    const note = (text: string): void => void shell.stderr.write(`· ${text}\n`);
    const said = await readInput(prompt, shell, { signal: stop.signal, note });
    const { runChatAll } = await import("./all.ts");
    const exitCode = await runChatAll(said, flags, { shell, stop });
    return isTerminated ? LEFT_BY_SIGTERM : exitCode;
  }
  let talk: Talk | null = null;
  // The drawing code is loaded while the agent's program starts.
  let told: Promise<TurnOutput> | null = null;
  const telling = (): Promise<TurnOutput> => {
    told ??= import("./turn-output.ts").then(({ createTurnOutput }) =>
      createTurnOutput(flags, shell, {
        nextKey: nextKeyOf(shell, interrupt),
        timeLimitMs: () => talk?.settings.permissions.timeoutMs ?? 0,
      }),
    );
    return told;
  };
  const note = (text: string): void => void telling().then((lines) => lines.note(text));
  // The input is read while the agent's program starts. If that fails, the error is thrown when the input is needed.
  const input = readInput(prompt, shell, { signal: stop.signal, note });
  input.catch(() => undefined);
  const opening = openTalk({
    flags,
    ...conversationOf(flags, shell),
    // The answer is printed without waiting for the end of the agent's program.
    keepOpen: "session",
    note,
    ...(canAsk(flags, shell)
      ? {
          ask: async (request, call) => await (await telling()).ask(request, call),
          askTrust: async (question) => {
            const { createTrustPrompt } = await import("../conversation/index.ts");
            const nextKey = nextKeyOf(shell, interrupt);
            const asking = { shell, out: shell.stderr, nextKey, signal: stop.signal };
            return await createTrustPrompt(asking)(question);
          },
        }
      : {}),
  });
  try {
    const prices = pricesBefore(flags, shell);
    talk = await opening;
    for (const line of await prices) note(line);
    await using open = talk;
    const { turn } = await telling();
    const exitCode = await turn(open, await input, stop);
    return isTerminated ? LEFT_BY_SIGTERM : exitCode;
  } catch (error) {
    // Pending output is printed before the error.
    const begun = await (told as Promise<TurnOutput> | null);
    await begun?.fail(error, talk?.session?.sessionId ?? null);
    if (isTerminated) return LEFT_BY_SIGTERM;
    throw error;
  }
}

/** Returns lines about the cost of the next prompt of a resumed session; no lines for a new session. */
async function pricesBefore({ resume, agent }: ChatFlags, shell: Shell): Promise<readonly string[]> {
  if (resume === undefined) return [];
  const { resumePriceLinesOf } = await import("../notices/index.ts");
  return await resumePriceLinesOf(resume, agent, shell);
}

/** Returns true if a person can see a question and answer it with a key. */
function canAsk(flags: ChatFlags, { stdin, stdout, stderr }: Shell): boolean {
  return flags.json !== true && stdin.isTTY === true && (stdout.isTTY === true || stderr.isTTY === true);
}
