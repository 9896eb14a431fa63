/**
 * The words of an answer as strings, for readers who cannot take back what they have shown. They are those of the UI
 * message stream; where another attempt says again what a crash cut off, the reader gets only what is new. Pure.
 */

import type { KnownEvent } from "@continuo/core/model";
import { createUIFold, type UIChunk } from "./ui-chunks.ts";

/** Comes before words that replace the shown words and do not begin with them. */
const BEGINS_AGAIN = "\n\n[The answer begins again.]\n\n";

interface LateReader {
  /** The run of the newest attempt. Words of earlier attempts that it has replaced are left out. */
  readonly latest: string;
  /** The end of the log before the reader came. */
  readonly known: number;
}

/**
 * The process of an attempt may already be dead; the next attempt then replaces its last words. A reader who comes late
 * gets these words only when the attempt continues, when the next one begins, or at the end.
 */
export async function* textOfEvents(
  events: AsyncIterable<KnownEvent>,
  { latest, known }: LateReader,
): AsyncGenerator<string, void> {
  const fold = createUIFold(latest);
  const words = new StepWords();
  let hasReached = false;
  let isAlive = false;
  for await (const event of events) {
    for (const chunk of fold.take(event)) yield* words.take(chunk);
    if (event.type === "run_started" && event.runId === latest) hasReached = true;
    if (event.sequence > known && (event.runId === latest || hasReached)) isAlive ||= isWorkOfAgent(event);
    if (hasReached && (isAlive || words.areKept)) yield* words.show();
  }
  for (const chunk of fold.end()) yield* words.take(chunk);
  yield* words.end();
}

/** A process that finds a dead attempt writes events of its run, too, such as the end of its answer. */
function isWorkOfAgent(event: KnownEvent): boolean {
  if (event.type === "message_received") return event.data.stopReason !== "interrupted";
  return event.type === "message_streamed" || event.type === "run_started";
}

/** The words of the open step, as its present attempt says them and as the reader has them. */
class StepWords {
  #said = "";
  #shown = "";
  #isFirst = true;
  /** The next attempt continues after a step with calls, and replaces any other one. */
  areKept = false;

  *take({ type, delta }: UIChunk): Generator<string, void> {
    if (type.startsWith("tool-")) this.areKept = true;
    if (type === "text-start" && this.#said !== "") this.#said += "\n\n";
    if (type === "text-delta") this.#said += delta;
    if (type === "reset-step") this.#said = "";
    if (type === "start-step") yield* this.end();
  }

  /** Words that the reader has from the attempt before are not shown again. */
  *show(): Generator<string, void> {
    if (this.#shown.startsWith(this.#said)) return;
    yield this.#rest();
  }

  *end(): Generator<string, void> {
    // An attempt that said less begins again; if it said nothing, the shown words stay.
    if (this.#said !== "" && this.#said !== this.#shown) yield this.#rest();
    this.#said = "";
    this.#shown = "";
    this.areKept = false;
  }

  #rest(): string {
    const isAddition = this.#said.startsWith(this.#shown);
    const before = this.#shown === "" && !this.#isFirst ? "\n\n" : "";
    const rest = isAddition ? before + this.#said.slice(this.#shown.length) : BEGINS_AGAIN + this.#said;
    this.#shown = this.#said;
    this.#isFirst = false;
    return rest;
  }
}
