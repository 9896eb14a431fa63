/** `acp`: the gateway on standard input and output. */

import { ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { readVersion } from "@continuo/files";
import { conversationOf } from "../flags/index.ts";
import { startIndexing } from "../indexing/index.ts";
import { pricesWork } from "../stats/index.ts";
import type { Shell } from "../terminal/index.ts";

/** Errors: `usage` on a terminal, because no editor is connected there. */
export async function runAcp(shell: Shell): Promise<number> {
  if (shell.stdin.isTTY) {
    throw new ContinuoError("usage", "continuo acp talks to an editor, and standard input is a terminal", {
      hint: "Run `continuo acp --help` to see how editors start it.",
    });
  }
  const { serveAcp } = await import("../../gateway/index.ts");
  const stopped = new AbortController();
  using _interrupts = shell.holdInterrupts(() => stopped.abort());
  using _termination = shell.holdTermination(() => stopped.abort());
  const { places, openStore } = conversationOf({}, shell);
  await serveAcp({
    places,
    openStore,
    input: shell.stdin,
    output: shell.stdout,
    version: readVersion(),
    signal: stopped.signal,
    report: (line) => void shell.stderr.write(`continuo acp: ${visibleLine(line)}\n`),
    prices: () => pricesWork(shell),
    onUnindexed: () => void startIndexing("search", shell),
  });
  return 0;
}
