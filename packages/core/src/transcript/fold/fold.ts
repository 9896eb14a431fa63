/** Folds one event after another into a draft. */

import { isEventType } from "../../model/index.ts";
import { type EventEntry, type EventLike, isFields, toEntry } from "../events/index.ts";
import { leaveOut, type TranscriptDraft } from "./draft.ts";
import { FOLDS } from "./folds.ts";
import { flushStream } from "./streams.ts";

/** Events come in order. */
export function foldEvent(draft: TranscriptDraft, event: EventLike): void {
  const entry = toEntry(event);
  countEvent(draft, entry);
  if (entry.type !== "message_streamed") flushStream(draft);
  if (!isEventType(entry.type)) leaveOut(draft, "custom");
  else if (entry.isPruned) leaveOut(draft, "pruned");
  else if (isFields(entry.data)) FOLDS[entry.type](draft, entry, entry.data);
  else leaveOut(draft, "invalid");
}

function countEvent({ facts }: TranscriptDraft, entry: EventEntry): void {
  facts.events++;
  if (entry.time !== undefined) facts.lastTimestamp = entry.time;
  if (entry.sequence === undefined) return;
  if (facts.firstSequence === 0) facts.firstSequence = entry.sequence;
  facts.lastSequence = Math.max(facts.lastSequence, entry.sequence);
}

/** Writes the gathered text to the streamed message. */
export function finishFold(draft: TranscriptDraft): void {
  flushStream(draft);
}
