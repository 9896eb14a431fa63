/** Chunks of the UI message stream, folded into the parts of a message as the AI SDK's `useChat` folds them. Pure. */

import { present } from "@continuo/core/model";
import type { ChatPartsChange, UIPart } from "@continuo/core/wire";
import type { UIChunk } from "./ui-chunks.ts";

type OpenUIPart = { type: string } & Record<string, unknown>;

/** Only for chunks of `createUIFold`: each refers to a part that exists. */
export class UIParts {
  readonly #parts: OpenUIPart[] = [];
  readonly #open = new Map<unknown, OpenUIPart>();
  /**
   * Three fields have the changes since the last `change()`: new and changed parts, text that was added to the last
   * part, and the number of parts that stay.
   */
  readonly #changed = new Set<number>();
  #delta = "";
  #length: number | undefined;

  /** A copy: later chunks do not change it. A step that has nothing yet is not shown. */
  parts(): readonly UIPart[] {
    return structuredClone(this.#parts.slice(0, this.#shown()));
  }

  /** The changes of `parts()` since the last call; `null` if there are none. */
  change(): ChatPartsChange | null {
    const shown = this.#shown();
    const places = [...this.#changed].filter((place) => place < shown).sort((one, other) => one - other);
    const parts = places.map((place) => [place, { ...(this.#parts[place] as UIPart) }] as const);
    const [length, delta] = [this.#length, this.#delta];
    for (const place of places) this.#changed.delete(place);
    [this.#length, this.#delta] = [undefined, ""];
    if (parts.length === 0 && length === undefined && delta === "") return null;
    return present({
      length,
      parts: parts.length === 0 ? undefined : parts,
      delta: delta === "" ? undefined : delta,
    });
  }

  #shown(): number {
    return this.#parts.at(-1)?.type === "step-start" ? this.#parts.length - 1 : this.#parts.length;
  }

  take(chunk: UIChunk): void {
    switch (chunk.type) {
      case "start-step":
        this.#add({ type: "step-start" });
        break;
      case "reset-step":
        this.#reset(this.#parts.findLastIndex(({ type }) => type === "step-start") + 1);
        break;
      case "text-start":
        this.#begin(chunk.id, { type: "text", text: "", state: "streaming" });
        break;
      case "reasoning-start":
        this.#begin(chunk.id, { type: "reasoning", id: chunk.id, text: "", state: "streaming" });
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#say(chunk);
        break;
      case "text-end":
      case "reasoning-end":
        this.#change(chunk.id, () => ({ state: "done" }));
        break;
      case "file":
        this.#add({ ...chunk });
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
    this.#add(part);
    this.#open.set(id, part);
  }

  #add(part: OpenUIPart): void {
    if (this.#delta !== "") this.#changed.add(this.#parts.length - 1);
    this.#delta = "";
    this.#changed.add(this.#parts.push(part) - 1);
  }

  /** Text is added to the last part, because each other part closes it. */
  #say({ id, delta }: UIChunk): void {
    const part = this.#open.get(id);
    if (part === undefined) return;
    part.text = `${part.text}${delta}`;
    const place = this.#parts.lastIndexOf(part);
    if (place !== this.#parts.length - 1) this.#changed.add(place);
    else if (!this.#changed.has(place)) this.#delta += delta;
  }

  #change(id: unknown, to: (part: OpenUIPart) => object): void {
    const part = this.#open.get(id);
    if (part === undefined) return;
    Object.assign(part, to(part));
    const place = this.#parts.lastIndexOf(part);
    this.#changed.add(place);
    if (place === this.#parts.length - 1) this.#delta = "";
  }

  /** Keeps the first `length` parts. The beginning of the step is shown again with its next part. */
  #reset(length: number): void {
    this.#parts.splice(length);
    const shown = this.#shown();
    for (const place of this.#changed) if (place >= shown) this.#changed.delete(place);
    if (shown < length) this.#changed.add(shown);
    this.#length = Math.min(this.#length ?? shown, shown);
    this.#delta = "";
  }
}
