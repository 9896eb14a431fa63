/** Chunks of the UI message stream, folded into the parts of a message as the AI SDK's `useChat` folds them. Pure. */

import type { UIChunk } from "./ui-chunks.ts";

/** A part of a message, as the type `UIMessage` of the package `ai` has it. */
export interface UIPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

type OpenUIPart = { type: string } & Record<string, unknown>;

/** Only for chunks of `createUIFold`: each refers to a part that exists. */
export class UIParts {
  readonly #parts: OpenUIPart[] = [];
  readonly #open = new Map<unknown, OpenUIPart>();

  /** A copy: later chunks do not change it. A step that has nothing yet is not shown. */
  parts(): readonly UIPart[] {
    const shown = this.#parts.at(-1)?.type === "step-start" ? this.#parts.slice(0, -1) : this.#parts;
    return structuredClone(shown);
  }

  take(chunk: UIChunk): void {
    switch (chunk.type) {
      case "start-step":
        this.#parts.push({ type: "step-start" });
        break;
      case "reset-step":
        this.#parts.splice(this.#parts.findLastIndex(({ type }) => type === "step-start") + 1);
        break;
      case "text-start":
        this.#begin(chunk.id, { type: "text", text: "", state: "streaming" });
        break;
      case "reasoning-start":
        this.#begin(chunk.id, { type: "reasoning", id: chunk.id, text: "", state: "streaming" });
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#change(chunk.id, ({ text }) => ({ text: `${text}${chunk.delta}` }));
        break;
      case "text-end":
      case "reasoning-end":
        this.#change(chunk.id, () => ({ state: "done" }));
        break;
      case "file":
        this.#parts.push({ ...chunk });
        break;
      default:
        this.#call(chunk);
    }
  }

  #call(chunk: UIChunk): void {
    const { toolCallId, approvalId } = chunk;
    switch (chunk.type) {
      case "tool-input-available":
        this.#begin(toolCallId, {
          type: `tool-${chunk.toolName}`,
          toolCallId,
          state: "input-available",
          input: chunk.input,
        });
        break;
      case "tool-approval-request":
        this.#change(toolCallId, () => ({ state: "approval-requested", approval: { id: approvalId } }));
        this.#open.set(approvalId, this.#open.get(toolCallId) as OpenUIPart);
        break;
      case "tool-approval-response": {
        const { approved, reason } = chunk;
        const approval = { id: approvalId, approved, ...(reason === undefined ? {} : { reason }) };
        this.#change(approvalId, () => ({ state: "approval-responded", approval }));
        break;
      }
      case "tool-output-available":
        this.#change(toolCallId, () => ({ state: "output-available", output: chunk.output }));
        break;
      case "tool-output-error":
        this.#change(toolCallId, () => ({ state: "output-error", errorText: chunk.errorText }));
        break;
      case "tool-output-denied":
        this.#change(toolCallId, () => ({ state: "output-denied" }));
    }
  }

  #begin(id: unknown, part: OpenUIPart): void {
    this.#parts.push(part);
    this.#open.set(id, part);
  }

  #change(id: unknown, to: (part: OpenUIPart) => object): void {
    const part = this.#open.get(id);
    if (part !== undefined) Object.assign(part, to(part));
  }
}
