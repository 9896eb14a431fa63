/** Messages that come in parts. Parts are gathered, and written to their message when something else happens. */

import { type EventEntry, type Fields, textField } from "../events/index.ts";
import {
  findMessage,
  freeId,
  leaveOut,
  type MessageStream,
  placeOf,
  type TranscriptDraft,
  withEvents,
} from "./draft.ts";

/** The kinds of parts that are text: of the answer, or of a thought. A part of any other kind is `invalid`. */
const KINDS: ReadonlyMap<string, MessageStream["kind"]> = new Map([
  ["text", "text"],
  ["message", "text"],
  ["thinking", "thinking"],
  ["thought", "thinking"],
  ["reasoning", "thinking"],
]);

export function messageStreamed(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const { stream } = draft;
  const delta = textField(payload, "delta");
  const messageId = textField(payload, "messageId");
  const kind = KINDS.get(textField(payload, "kind") ?? "text");
  if (delta === undefined || messageId === undefined || kind === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  if (stream?.messageId === messageId && stream.kind === kind && stream.runId === entry.runId) {
    stream.text += delta;
    stream.events++;
    stream.lastSequence = entry.sequence;
    return;
  }
  flushStream(draft);
  const position = findMessage(draft, messageId, entry.runId) ?? beginMessage(draft, entry, messageId);
  const message = draft.messages.at(position);
  // The final text has arrived: nothing is added to it.
  if (message?.metadata.partial !== true) {
    leaveOut(draft, "late");
    return;
  }
  const lastSequence = entry.sequence;
  draft.stream = { position, messageId, runId: entry.runId, kind, text: delta, events: 1, lastSequence };
}

function beginMessage(draft: TranscriptDraft, entry: EventEntry, named: string): number {
  const position = draft.messages.push({
    id: freeId(draft, entry, named),
    role: "assistant",
    content: [],
    ...(entry.time === undefined ? {} : { timestamp: entry.time }),
    origin: "agent",
    metadata: {
      ...placeOf(entry),
      events: 0,
      messageId: named,
      partial: true,
    },
  });
  draft.lookup.set("message", named, position);
  return position;
}

export function flushStream(draft: TranscriptDraft): void {
  const { stream } = draft;
  if (stream === null) return;
  draft.stream = null;
  const message = draft.messages.at(stream.position);
  if (message === undefined) return;
  const last = message.content.at(-1);
  const content =
    last?.type === stream.kind
      ? [...message.content.slice(0, -1), { ...last, text: last.text + stream.text }]
      : [...message.content, { type: stream.kind, text: stream.text }];
  const metadata = withEvents(message.metadata, { events: stream.events, sequence: stream.lastSequence });
  draft.messages.replace(stream.position, { ...message, content, metadata });
}
