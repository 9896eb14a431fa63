/**
 * The prompts that programs of Continuo sent in a session. An agent writes such a prompt into its own file too, where
 * it must not be taken for a turn of the agent's own program.
 */

import { type Block, keepNewest, type Message, textOf, typedTextOf } from "@continuo/core/model";
import { GATEWAY_LIMITS } from "./limits.ts";

export interface SentPrompt {
  readonly runId: string;
  readonly input: readonly Block[];
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  /** `null` while its turn runs. */
  readonly toMs: number | null;
}

interface KnownPrompt {
  /** The words that the person typed, and those that the agent received. */
  readonly texts: readonly string[];
  readonly fromMs: number;
  toMs: number;
  /** The message of the agent's file that is this prompt. */
  messageId: string | null;
}

export class KnownPrompts {
  /** The keys are the ids of their runs; the oldest prompt comes first. */
  readonly #prompts = new Map<string, KnownPrompt>();

  get size(): number {
    return this.#prompts.size;
  }

  /** Adds a prompt, or says when the turn of a known one ended. */
  add({ runId, input, fromMs, toMs }: SentPrompt): void {
    const known = this.#prompts.get(runId);
    const end = toMs ?? Number.POSITIVE_INFINITY;
    if (known !== undefined) {
      known.toMs = end;
      return;
    }
    this.#prompts.set(runId, { texts: textsOf(input), fromMs, toMs: end, messageId: null });
    keepNewest(this.#prompts, GATEWAY_LIMITS.knownPrompts);
  }

  /** True for the message of one of these prompts. Each prompt is one message. */
  has({ id, content, timestamp }: Message): boolean {
    const written = textsOf(content);
    const atMs = timestamp === undefined ? Date.now() : Date.parse(timestamp);
    for (const prompt of this.#prompts.values()) {
      if (prompt.messageId === id) return true;
      const isThen = atMs >= prompt.fromMs - CLOCK_MS && atMs <= prompt.toMs + CLOCK_MS;
      const isSaid = written.some((text) => prompt.texts.some((sent) => isSame(text, sent)));
      if (prompt.messageId !== null || !isThen || !isSaid) continue;
      prompt.messageId = id;
      return true;
    }
    return false;
  }
}

/** Agents write a prompt a moment later than they receive it, with times of their own. */
const CLOCK_MS = 2_000;

/** Agents write commands in forms of their own, and put texts of theirs before a prompt. */
function isSame(written: string, sent: string): boolean {
  return sent === "" || sent.startsWith("/") || written === sent || written.endsWith(` ${sent}`);
}

function textsOf(blocks: readonly Block[]): readonly string[] {
  return [typedTextOf(blocks), textOf(blocks)].map((text) => text.replaceAll(/\s+/gu, " ").trim());
}
