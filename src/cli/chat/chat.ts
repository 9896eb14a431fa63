/** `chat`: one turn. */

import { openTalk, TALK_LIMITS, type Talk } from "../../conversations/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { conversationOf } from "../conversation/opening/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";
import { nextKeyOf } from "./keys.ts";
import type { Telling } from "./telling.ts";

const LEFT_BY_SIGTERM = 143;

/** Errors: those of opening the conversation, and of the turn. */
export async function runChat(prompt: string | null, flags: ChatFlags, shell: Shell): Promise<number> {
  if (prompt === null && shell.stdin.isTTY === true) throw nothingSaid();
  const stop = new AbortController();
  const interrupt = (): void => {
    // Who says it twice does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new ContinuoError("interrupted", "interrupted"));
  };
  let isTerminated = false;
  using _held = shell.holdInterrupts(interrupt);
  // What was said so far is stored and reported, as with Ctrl-C.
  using _heldToo = shell.holdTermination(() => {
    if (stop.signal.aborted) process.exit(LEFT_BY_SIGTERM);
    isTerminated = true;
    stop.abort(new ContinuoError("interrupted", "terminated"));
  });
  if (flags.all === true) {
    const said = prompt ?? (await readPrompt(shell, stop.signal));
    if (said.trim() === "") throw nothingSaid();
    const { runChatAll } = await import("./all.ts");
    const exitCode = await runChatAll(said, flags, { shell, stop });
    return isTerminated ? LEFT_BY_SIGTERM : exitCode;
  }
  let talk: Talk | null = null;
  // What draws is loaded while the agent's program starts.
  let told: Promise<Telling> | null = null;
  const telling = (): Promise<Telling> => {
    told ??= import("./telling.ts").then(({ createTelling }) =>
      createTelling(flags, shell, {
        nextKey: nextKeyOf(shell, interrupt),
        timeLimitMs: () => talk?.settings.permissions.timeoutMs ?? 0,
      }),
    );
    return told;
  };
  const opening = openTalk({
    flags,
    ...conversationOf(flags, shell),
    // The answer is printed before the program has ended.
    keepOpen: "session",
    note: (text) => void telling().then(({ note }) => note(text)),
    ...(canAsk(flags, shell)
      ? { ask: async (request, call) => await (await telling()).ask(request, call) }
      : {}),
  });
  try {
    talk = await opening;
    await using open = talk;
    const { turn } = await telling();
    const input = prompt ?? (await readPrompt(shell, stop.signal));
    if (input.trim() === "") throw nothingSaid();
    const exitCode = await turn(open, input, stop);
    return isTerminated ? LEFT_BY_SIGTERM : exitCode;
  } catch (error) {
    // Pending output is printed before the error.
    const begun = await (told as Promise<Telling> | null);
    await begun?.fail(error, talk?.session?.sessionId ?? null);
    if (isTerminated) return LEFT_BY_SIGTERM;
    throw error;
  }
}

/** Only where keys can be read, and the question can be seen. */
function canAsk(flags: ChatFlags, { stdin, stdout, stderr }: Shell): boolean {
  return flags.json !== true && stdin.isTTY === true && (stdout.isTTY === true || stderr.isTTY === true);
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
  return new ContinuoError("usage", "the prompt is empty", {
    hint: 'Give a prompt, such as `continuo chat "why does the build fail?"`, or write it to standard input.',
  });
}
