/** `mcp`: the server on standard input and output. */

import { ContinuoError } from "@continuo/core/model";
import type { QuestionChannels } from "@continuo/server/mcp";
import { keepIndexed } from "../indexing/index.ts";
import type { Shell } from "../terminal/index.ts";
import { toolContextOf } from "./tool-context.ts";

/** The channels in which agents may ask; `null` if there are none. */
export type OpenAsking = (shell: Shell) => Promise<QuestionChannels | null>;

/** Errors: `usage` on a terminal, because no agent is connected there. */
export async function runMcp(shell: Shell, openAsking: OpenAsking): Promise<number> {
  if (shell.stdin.isTTY) {
    throw new ContinuoError("usage", "continuo mcp talks to an agent, and standard input is a terminal", {
      hint: "Run `continuo mcp --help` to see how agents start it.",
    });
  }
  const { serveMcpOnStdio } = await import("@continuo/server/mcp");
  using _indexing = keepIndexed(shell);
  await using _answers = await shell.answerCommands?.();
  const stopped = new AbortController();
  using _termination = shell.holdTermination(() => stopped.abort());
  await serveMcpOnStdio({
    context: toolContextOf(shell, "here", await openAsking(shell)),
    input: shell.stdin,
    output: shell.stdout,
    signal: stopped.signal,
    report: (line) => shell.stderr.write(`continuo mcp: ${line}\n`),
  });
  return 0;
}
