/**
 * The prompts that programs of Continuo sent in a session. An agent writes such a prompt into its own file too, where
 * it must not be taken for a turn of the agent's own program.
 */

import { matchPrompt, PROMPT_MATCHES, type SentPrompt, textsOfPrompt } from "@continuo/agents/conversations";
import { type Block, keepNewest, type Message } from "@continuo/core/model";
import { GATEWAY_LIMITS } from "./limits.ts";

export interface RunPrompt extends Omit<SentPrompt, "texts"> {
  readonly runId: string;
  readonly input: readonly Block[];
}

interface KnownPrompt extends SentPrompt {
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

  /** Adds a prompt, or sets the end of the turn of a known one. */
  add({ runId, input, fromMs, toMs }: RunPrompt): void {
    const known = this.#prompts.get(runId);
    if (known !== undefined) {
      known.toMs = toMs;
      return;
    }
    // The pictures of so many prompts would fill the memory.
    this.#prompts.set(runId, { texts: textsOfPrompt(input), fromMs, toMs, messageId: null });
    keepNewest(this.#prompts, GATEWAY_LIMITS.knownPrompts);
  }

  /** True if the message is one of these prompts. Each prompt stands for only one message. */
  has(message: Message): boolean {
    const prompts = [...this.#prompts.values()];
    if (prompts.some(({ messageId }) => messageId === message.id)) return true;
    const nowMs = Date.now();
    const open = prompts.filter(({ messageId }) => messageId === null);
    const matches = open.map((prompt) => matchPrompt(message, prompt, nowMs));
    const best = PROMPT_MATCHES.find((match) => matches.includes(match));
    const prompt = best === undefined ? undefined : open[matches.indexOf(best)];
    if (prompt === undefined) return false;
    prompt.messageId = message.id;
    return true;
  }
}
