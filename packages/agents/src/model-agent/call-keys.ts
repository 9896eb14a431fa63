/**
 * Makes a key for each call of a tool. Another attempt at the same message gets the same key for the same call, so a
 * tool that ran just before a crash can find out what it has already done. Pure.
 */

import { createHash } from "node:crypto";
import { type AgentRequest, type Block, canonicalJson } from "@continuo/core/model";
import { earlierAttempt } from "@continuo/core/transcript";
import { isCutOff } from "./prompt.ts";

/** The numbers of equal calls: of those that have a result, and of those in the present attempt. */
interface Numbers {
  readonly ended: Set<number>;
  taken: Set<number>;
}

export class CallKeys {
  readonly #root: string;
  readonly #numbers = new Map<string, Numbers>();

  constructor(request: AgentRequest) {
    const { retryOf } = request.run.metadata ?? {};
    this.#root = typeof retryOf === "string" ? retryOf : request.run.runId;
    this.#readEarlier(request);
  }

  /**
   * Returns the key of a call, which contains a number: equal calls of one attempt get 0, 1, 2 …. If a call has no
   * result, the next attempt uses its number again.
   */
  take(toolName: string, input: unknown): string {
    const content = contentOf(toolName, input);
    return createHash("sha256")
      .update(canonicalJson([this.#root, content, this.#number(content)]))
      .digest("hex")
      .slice(0, 32);
  }

  #number(content: string): number {
    const known = this.#numbers.get(content) ?? { ended: new Set(), taken: new Set() };
    this.#numbers.set(content, known);
    let number = 0;
    while (known.ended.has(number) || known.taken.has(number)) number++;
    known.taken.add(number);
    return number;
  }

  #readEarlier(request: AgentRequest): void {
    const since = earlierAttempt(request)?.since ?? [];
    const { saidBy } = request.run.metadata ?? {};
    // Later messages of people have their own runs, and the calls of these runs do not count here.
    const asked = since.filter(({ role, metadata }) => role === "user" && typeof metadata.note !== "string");
    const others = new Set(asked.map(({ metadata }) => metadata.runId).filter((id) => id !== saidBy));
    const calls = new Map<string, { readonly content: string; readonly number: number }>();
    let attempt: unknown;
    for (const { content, metadata } of since) {
      if (others.has(metadata.runId)) continue;
      if (metadata.runId !== attempt) this.#free();
      attempt = metadata.runId;
      for (const block of content) this.#readBlock(block, calls);
    }
    this.#free();
  }

  #readBlock(block: Block, calls: Map<string, { readonly content: string; readonly number: number }>): void {
    if (block.type === "tool_call") {
      const content = contentOf(block.name, block.args);
      calls.set(block.id, { content, number: this.#number(content) });
    }
    if (block.type !== "tool_result" || isCutOff(block)) return;
    const call = calls.get(block.toolCallId);
    if (call !== undefined) this.#numbers.get(call.content)?.ended.add(call.number);
  }

  #free(): void {
    for (const known of this.#numbers.values()) known.taken = new Set();
  }
}

function contentOf(toolName: string, input: unknown): string {
  return canonicalJson([toolName, input ?? null]);
}
