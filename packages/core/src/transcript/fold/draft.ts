/** A transcript that is being folded: the messages so far, and the items that later events may refer to. */

import type { Message, MessageMetadata, ToolCallBlock } from "../../model/index.ts";
import type { EventEntry } from "../events/index.ts";
import { createList, type MessageList } from "./list.ts";
import { createLookup, type Layers, type Lookup } from "./lookup.ts";
import { type Facts, type LeftOutReason, NO_FACTS, type OpenCall } from "./state.ts";

export interface TranscriptDraft {
  readonly messages: MessageList;
  readonly lookup: Lookup;
  /** Calls without a result: their runs by call id. */
  readonly open: Map<string, string | null>;
  /** Results whose call was not found, by call id. */
  readonly waiting: Map<string, Message>;
  readonly facts: Mutable<Facts>;
  /** Parts of one message that were not yet written to it. */
  stream: MessageStream | null;
}

type Mutable<T> = {
  -readonly [Key in keyof T]: T[Key] extends Readonly<Record<LeftOutReason, number>>
    ? Record<LeftOutReason, number>
    : T[Key];
};

export interface MessageStream {
  readonly position: number;
  readonly messageId: string;
  readonly runId: string | undefined;
  readonly kind: "text" | "thinking";
  text: string;
  events: number;
  lastSequence: number | undefined;
}

export interface DraftParts {
  /** The messages that callers already have. */
  readonly messages: readonly Message[];
  readonly layers: Layers;
  readonly facts?: Facts;
  readonly open?: readonly OpenCall[];
  readonly waiting?: readonly Message[];
}

export function createDraft({
  messages,
  layers,
  facts = NO_FACTS,
  open = [],
  waiting = [],
}: DraftParts): TranscriptDraft {
  return {
    messages: createList(messages),
    lookup: createLookup(layers),
    open: new Map(open),
    waiting: new Map(waiting.map((message) => [message.toolCallId ?? "", message])),
    facts: { ...facts, leftOut: { ...facts.leftOut } },
    stream: null,
  };
}

export function leaveOut(draft: TranscriptDraft, reason: LeftOutReason): void {
  draft.facts.leftOut[reason]++;
}

export function setState(draft: TranscriptDraft, key: string, value: unknown): void {
  draft.facts.state = { ...draft.facts.state, [key]: value };
}

/** Returns the place of the message with that id, if it is of the same run: runs may use the same ids again. */
export function findMessage(
  draft: TranscriptDraft,
  id: string,
  runId: string | undefined,
): number | undefined {
  const position = draft.lookup.find("message", id);
  return position !== undefined && runOf(draft.messages.at(position)) === runId ? position : undefined;
}

export function runOf(message: Message | undefined): string | undefined {
  const runId = message?.metadata.runId;
  return typeof runId === "string" ? runId : undefined;
}

export function findCall(message: Message | undefined, toolCallId: string): ToolCallBlock | undefined {
  return message?.content.find((block) => block.type === "tool_call" && block.id === toolCallId) as
    | ToolCallBlock
    | undefined;
}

/** Returns the metadata of a message that consists of one event. */
export function placeOf(entry: EventEntry): MessageMetadata {
  const { sequence, runId } = entry;
  const agent = entry.actor?.agent;
  // Most messages take this path, so that their metadata objects have the same shape.
  if (sequence !== undefined && runId !== undefined && agent === undefined) {
    return { events: 1, sequence, lastSequence: sequence, runId };
  }
  return {
    events: 1,
    ...(sequence === undefined ? {} : { sequence, lastSequence: sequence }),
    ...(runId === undefined ? {} : { runId }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** Returns the metadata with one more event, or with `events` more. */
export function withEvents(
  metadata: MessageMetadata,
  { events = 1, sequence }: { readonly events?: number; readonly sequence: number | undefined },
): MessageMetadata {
  const count = (typeof metadata.events === "number" ? metadata.events : 0) + events;
  if (sequence === undefined) return { ...metadata, events: count };
  return { ...metadata, events: count, lastSequence: sequence };
}

/** The id of a message that an event made: that of the event, or one made from its position. */
export function eventId(draft: TranscriptDraft, entry: EventEntry): string {
  if (entry.id !== undefined) return entry.id;
  return entry.sequence === undefined ? `entry-${draft.messages.length + 1}` : `event-${entry.sequence}`;
}

/** The id of a new message: the one that events use, unless another run used the same one before. */
export function freeId(draft: TranscriptDraft, entry: EventEntry, named: string | undefined): string {
  const isFree = named !== undefined && draft.lookup.find("message", named) === undefined;
  return isFree ? named : eventId(draft, entry);
}
