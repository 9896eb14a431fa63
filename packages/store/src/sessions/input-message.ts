/**
 * The input of a run as a message of its session's log. A run writes the message when it begins; a run that never began
 * writes it with its end, so that no reader finds an end without its input.
 */

import type { Block, CallOptions, NewEvent, Run, Store } from "@continuo/core/model";
import { newId } from "./ids.ts";
import { isInput, toBlocks } from "./input.ts";
import type { JournalEntry } from "./journal/index.ts";

export function inputEntry(input: readonly Block[]): JournalEntry {
  return { type: "message_sent", data: { content: input }, by: "person", blobs: blobsOf(input) };
}

export function blobsOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) =>
    (block.type === "image" || block.type === "file") && block.blob !== undefined ? [block.blob] : [],
  );
}

/** Returns the input as an event. The event has an id, because the append may be repeated. */
export function inputEvent(input: readonly Block[], runId: string): NewEvent {
  const { type, data, blobs = [] } = inputEntry(input);
  return { id: newId(), type, data, runId, actor: { kind: "person" }, blobs };
}

/** The input event that must be written before the end of a run; none if the log already has it. */
export async function unsaidInput(store: Store, run: Run): Promise<readonly NewEvent[]> {
  if (!isInput(run.input) || (await runThatSaid(store, run)) !== null) return [];
  return [inputEvent(toBlocks(run.input), run.runId)];
}

/** The id of the run whose message has the input: an earlier attempt, or the run itself; `null` if none has it. */
export async function runThatSaid(
  store: Store,
  { sessionId, runId, metadata }: Run,
  call: CallOptions = {},
): Promise<string | null> {
  for (const by of [metadata.saidBy, runId]) {
    if (typeof by === "string" && (await sequenceOfInput(store, { sessionId, runId: by }, call)) !== null)
      return by;
  }
  return null;
}

/** The sequence of the message that holds the input of a run; `null` if the log has none. */
export async function sequenceOfInput(
  store: Store,
  { sessionId, runId }: Pick<Run, "sessionId" | "runId">,
  call: CallOptions = {},
): Promise<number | null> {
  const { events } = await store.read(sessionId, { runId, types: ["message_sent"], limit: 1, ...call });
  return events[0]?.sequence ?? null;
}
