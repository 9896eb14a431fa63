/**
 * Tells whether a message in an agent's file is a prompt that Continuo sent: the one rule for editors, which show turns
 * of the agent's own program, and for the log, which stores them. Pure.
 */

import { type Block, type Message, textOf, typedTextOf, withNamedFiles } from "@continuo/core/model";

/** Times are milliseconds since the epoch. */
export interface SentPrompt {
  /** See `textsOfPrompt`. */
  readonly texts: readonly string[];
  readonly fromMs: number;
  /** Infinity while its turn runs. */
  readonly toMs: number;
}

/** `same`: the message has the prompt's words. `part`: the agent wrote them in a form of its own, or added its own. */
export type PromptMatch = "same" | "part";

/** The kinds of a match, the better one first: each message is compared with all prompts by one before the other. */
export const PROMPT_MATCHES: readonly PromptMatch[] = ["same", "part"];

/** The time by which the clock of an agent may differ, and by which it may write a prompt later than it received it. */
const CLOCK_MS = 2_000;

/**
 * Returns `null` for a message that is not this prompt. A message without a time can be the prompt of any time.
 *
 * @param nowMs the time of a message that has none, if it is known
 */
export function matchPrompt(
  message: Pick<Message, "content" | "timestamp">,
  prompt: SentPrompt,
  nowMs: number = Number.NaN,
): PromptMatch | null {
  if (!isDuring(message, prompt, nowMs)) return null;
  const { texts } = prompt;
  const written = textsOf(message.content);
  if (written.some((text) => texts.includes(text))) return "same";
  return written.some((text) => texts.some((part) => isPart(text, part))) ? "part" : null;
}

/** The texts in which an agent may write the prompt into its file. They are all that is compared, and have no pictures. */
export function textsOfPrompt(input: readonly Block[]): readonly string[] {
  return [...textsOf(input), flat(textOf(withNamedFiles(input)))];
}

/** True for a message that was written while the turn of the prompt ran. */
export function isDuring(
  { timestamp }: Pick<Message, "timestamp">,
  { fromMs, toMs }: Pick<SentPrompt, "fromMs" | "toMs">,
  nowMs: number = Number.NaN,
): boolean {
  const atMs = timestamp === undefined ? nowMs : Date.parse(timestamp);
  return Number.isNaN(atMs) || (atMs >= fromMs - CLOCK_MS && atMs <= toMs + CLOCK_MS);
}

/** The text with single spaces. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}

/** Agents write commands in forms of their own, and put texts of theirs before or after a prompt. */
function isPart(written: string, sent: string): boolean {
  return (
    sent === "" || sent.startsWith("/") || written.endsWith(` ${sent}`) || written.startsWith(`${sent} `)
  );
}

/** The words that a person typed, and all words that the agent received. */
function textsOf(blocks: readonly Block[]): readonly string[] {
  return [typedTextOf(blocks), textOf(blocks)].map(flat);
}
