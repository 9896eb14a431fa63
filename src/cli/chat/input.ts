/** Joins the prompt of the command line and the standard input after it, as `claude -p` does. */

import { TALK_LIMITS } from "@continuo/agents/conversations";
import { ContinuoError } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";

const AFTER_BUSY_MS = 50;

export interface ReadInputOptions {
  readonly signal: AbortSignal;
  /** Called with a note for the person. */
  readonly note: (text: string) => void;
}

/**
 * Without a prompt, all of standard input is the prompt. After a prompt, standard input is read if it is not a terminal
 * and its first byte arrives soon: scripts are often started with a pipe into which nobody writes.
 *
 * Errors: `too_large`, `interrupted`, `usage` if neither has a word.
 */
export async function readInput(
  prompt: string | null,
  { stdin }: Pick<Shell, "stdin">,
  { signal, note }: ReadInputOptions,
): Promise<string> {
  if (prompt === null) return assertSaid(await readAll(stdin, { signal, before: "" }));
  assertSaid(prompt);
  if (stdin.isTTY === true) return prompt;
  if (!(await beginsSoon(stdin, signal))) {
    stdin.destroy();
    signal.throwIfAborted();
    const seconds = TALK_LIMITS.firstInputMs / 1000;
    note(
      `nothing came from standard input within ${seconds} s, so only the prompt is sent; \`< /dev/null\` saves the wait`,
    );
    return prompt;
  }
  const text = await readAll(stdin, { signal, before: prompt });
  return text.trim() === "" ? prompt : `${prompt}\n\n${text}`;
}

/** Errors: `usage`. */
export function assertSaid(input: string | null): string {
  if (input !== null && input.trim() !== "") return input;
  throw new ContinuoError("usage", "the prompt is empty", {
    hint: 'Give a prompt, such as `continuo chat "why does the build fail?"`, or write it to standard input.',
  });
}

/** Resolves to true if a byte or the end of the input arrives in time. */
async function beginsSoon(stdin: Shell["stdin"], signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const begins = (): void => resolve(true);
  const ends = (): void => resolve(false);
  // Input that arrived while this process was busy is read only after its timers.
  let timer = setTimeout(() => {
    timer = setTimeout(ends, AFTER_BUSY_MS);
  }, TALK_LIMITS.firstInputMs);
  signal.addEventListener("abort", ends, { once: true });
  const events = ["readable", "end", "error"] as const;
  for (const event of events) stdin.once(event, begins);
  try {
    return stdin.readableEnded || stdin.destroyed || (await promise);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", ends);
    for (const event of events) stdin.removeListener(event, begins);
  }
}

interface InputContext {
  readonly signal: AbortSignal;
  /** The prompt that comes before the input; its bytes count too. */
  readonly before: string;
}

/** Errors: `too_large`, `interrupted`. */
async function readAll(stdin: Shell["stdin"], { signal, before }: InputContext): Promise<string> {
  const chunks: Buffer[] = [];
  let size = Buffer.byteLength(before);
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
