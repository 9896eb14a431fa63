/** The complete output of a program, such as its help or its version. */

import { type ProcessStart, startAgent } from "./program.ts";

export interface OutputOptions extends ProcessStart {
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Returns the output on stdout without the white space around it, or the output on stderr if stdout is empty (help of
 * pi 0.73.1). Errors: those of `startAgent`; `agent_failed` if the program does not end in time, ends with a code other
 * than 0, or closes its output early.
 */
export async function readOutput(options: OutputOptions): Promise<string> {
  const { limitMs, signal, command } = options;
  const what = command.at(-1) ?? "";
  signal?.throwIfAborted();
  await using program = await startAgent({ ...options, prints: "text" });
  let late: Error | null = null;
  const stop = (): void => void program.end();
  const timer = setTimeout(() => {
    late = program.late(`${what} did not end`, limitMs);
    stop();
  }, limitMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const lines: string[] = [];
    const isCut = await readAll(program.lines, lines);
    const { code } = await program.ended;
    signal?.throwIfAborted();
    if (late !== null) throw late;
    if (code !== 0) throw program.failed(`failed at ${what}`);
    if (isCut) throw program.failed("closed its output before it ended");
    return lines.join("\n").trim() || program.stderr().trim();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Returns true if the stream was closed before its end, which happens when the program is ended from here. */
async function readAll(from: AsyncIterable<string | null>, lines: string[]): Promise<boolean> {
  try {
    for await (const line of from) lines.push(line ?? "");
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE") return true;
    throw error;
  }
}
