/** Messages that arrive complete or in parts, and that later events change. */

import {
  addUsage,
  type Block,
  type Message,
  type MessageMetadata,
  type Origin,
  type Role,
  type Usage,
} from "../../model/index.ts";
import { anyField, type EventEntry, type Fields, isFields, textField } from "../events/index.ts";
import { hasText, toBlocks, toUsage } from "./content.ts";
import {
  eventId,
  findCall,
  findMessage,
  freeId,
  leaveOut,
  placeOf,
  runOf,
  type TranscriptDraft,
  withEvents,
} from "./draft.ts";
import { noteInput } from "./inputs.ts";
import { addResult, registerCalls } from "./tools.ts";

export function messageSent(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const role = textField(payload, "role");
  addSaid(draft, entry, { payload, role: isRole(role) ? role : "user" });
}

export function messageReceived(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const usage = toUsage(anyField(payload, "usage"));
  if (usage !== undefined) {
    const sums = draft.facts.usage;
    const instead = replacedUsage(draft, entry, payload);
    draft.facts.usage = { ...sums, messages: addUsage(sums.messages, usage, { instead }) };
  }
  addSaid(draft, entry, { payload, role: "assistant" });
}

/** A message that has grown is reported again, with the usage of the whole message. */
function replacedUsage(draft: TranscriptDraft, entry: EventEntry, payload: Fields): Usage | undefined {
  const named = textField(payload, "messageId");
  const content = anyField(payload, "content");
  // A message with invalid content changes no message.
  if (named === undefined || !(typeof content === "string" || Array.isArray(content))) return undefined;
  const old = draft.messages.at(findMessage(draft, named, entry.runId));
  return old?.role === "assistant" ? old.usage : undefined;
}

interface MessageFields {
  readonly payload: Fields;
  readonly role: Role;
}

function addSaid(draft: TranscriptDraft, entry: EventEntry, { payload, role }: MessageFields): void {
  const blocks = toBlocks(anyField(payload, "content"));
  if (blocks === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  if (role === "tool" && !blocks.some((block) => block.type === "tool_result")) {
    addPlainResult(draft, entry, { payload, blocks });
    return;
  }
  const results = blocks.filter((block) => block.type === "tool_result");
  const said = results.length === 0 ? blocks : blocks.filter((block) => block.type !== "tool_result");
  const isSaid = said.length > 0 || results.length === 0;
  const place = (): void =>
    placeMessage(draft, entry, { payload, role: role === "tool" ? "user" : role, blocks: said });
  // Results in a message of the agent belong to calls of that message; other results belong to earlier calls.
  if (isSaid && role === "assistant") place();
  // A tool message holds one result, so parallel results become several messages.
  const id = textField(payload, "messageId") ?? eventId(draft, entry);
  for (const [at, result] of results.entries()) {
    addResult(draft, entry, { result, id: !isSaid && at === 0 ? id : `${id}:${at + 1}` });
  }
  if (isSaid && role !== "assistant") place();
}

/** Adds the message of a tool that names its call outside of its content. */
function addPlainResult(
  draft: TranscriptDraft,
  entry: EventEntry,
  { payload, blocks }: { payload: Fields; blocks: readonly Block[] },
): void {
  const toolCallId = textField(payload, "toolCallId");
  if (toolCallId === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  const isError = anyField(payload, "isError") === true;
  const result = { type: "tool_result", toolCallId, content: blocks, isError } as const;
  addResult(draft, entry, { result, id: eventId(draft, entry) });
}

interface MessageBlocks extends MessageFields {
  readonly blocks: readonly Block[];
}

function placeMessage(
  draft: TranscriptDraft,
  entry: EventEntry,
  { payload, role, blocks }: MessageBlocks,
): void {
  const named = textField(payload, "messageId");
  const found = named === undefined ? undefined : findMessage(draft, named, entry.runId);
  const old = draft.messages.at(found);
  if (found !== undefined && old?.role === role) {
    const content = joined(old.content, newCalls(draft, entry, { blocks, own: found }));
    draft.messages.replace(found, {
      ...old,
      ...extras(payload, role, entry),
      content,
      metadata: whole(withEvents(withOwn(old.metadata, payload), entry)),
    });
    const added = content.filter(
      (block) => block.type === "tool_call" && findCall(old, block.id) === undefined,
    );
    registerCalls(draft, entry, { position: found, blocks: added });
    return;
  }
  const id = freeId(draft, entry, named);
  const content = newCalls(draft, entry, { blocks });
  const own = ownMetadata(payload);
  const place = placeOf(entry);
  const metadata = own === undefined ? place : { ...own, ...place };
  const message: Message = {
    id,
    role,
    content,
    ...(entry.time === undefined ? {} : { timestamp: entry.time }),
    ...extras(payload, role, entry),
    metadata: named === undefined ? metadata : { ...metadata, messageId: named },
  };
  const position = draft.messages.push(message);
  noteInput(draft, position, message);
  if (named !== undefined) draft.lookup.set("message", named, position);
  registerCalls(draft, entry, { position, blocks: content });
}

/** Returns the position of the message that an event names, by the name of the message or by the id of its event. */
function findNamed(draft: TranscriptDraft, named: string | undefined): number | undefined {
  if (named === undefined) return undefined;
  const position = draft.lookup.find("message", named);
  if (position !== undefined) return position;
  for (let at = draft.messages.length - 1; at >= 0; at--) if (draft.messages.at(at)?.id === named) return at;
  return undefined;
}

/** Removes calls that another message already contains, because an agent can report a call twice. */
function newCalls(
  draft: TranscriptDraft,
  entry: EventEntry,
  { blocks, own }: MessageCalls,
): readonly Block[] {
  return blocks.filter((block) => {
    if (block.type !== "tool_call") return true;
    const position = draft.lookup.find("call", block.id);
    const holder = draft.messages.at(position);
    const known = findCall(holder, block.id);
    if (position === undefined || known === undefined || position === own) return true;
    // The last of several calls with one id is the newest, so a later event belongs to it.
    if (draft.open.has(block.id) || (own !== undefined && position > own)) return false;
    // Agents reuse ids: two calls are the same only if they are equal and in the same run.
    const isSame = known.name === block.name && JSON.stringify(known.args) === JSON.stringify(block.args);
    return !(isSame && runOf(holder) === entry.runId);
  });
}

interface MessageCalls {
  readonly blocks: readonly Block[];
  /** The position of the message with these blocks, if it has begun. */
  readonly own?: number;
}

/**
 * The final text wins if it is not empty. Streamed thinking stays if the final message has none. Streamed calls that
 * the final message does not repeat stay too.
 */
function joined(old: readonly Block[], final: readonly Block[]): readonly Block[] {
  const kept = old.filter((block) => {
    if (block.type === "text") return !hasText(final);
    if (block.type === "thinking") return !final.some((other) => other.type === "thinking");
    if (block.type === "tool_call") return !final.some((other) => isSameCall(other, block.id));
    return final.length === 0;
  });
  const added = hasText(final) ? final : final.filter((block) => block.type !== "text");
  const isBefore = (block: Block): boolean => block.type === "thinking" || block.type === "text";
  return [...kept.filter(isBefore), ...added, ...kept.filter((block) => !isBefore(block))];
}

function isSameCall(block: Block, id: string): boolean {
  return block.type === "tool_call" && block.id === id;
}

export function messageUpdated(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const named = textField(payload, "messageId");
  const blocks = toBlocks(anyField(payload, "content"));
  const position = findNamed(draft, named);
  const old = draft.messages.at(position);
  if (blocks === undefined || position === undefined || old === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  // The calls of the message stay, because their results exist.
  const calls = old.content.filter((block) => block.type === "tool_call");
  const said = blocks.filter((block) => block.type !== "tool_call" && block.type !== "tool_result");
  draft.messages.replace(position, {
    ...old,
    content: [...said, ...calls],
    metadata: whole(withEvents({ ...withOwn(old.metadata, payload), updated: true }, entry)),
  });
}

export function messageCompleted(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const named = textField(payload, "messageId");
  const position = findNamed(draft, named);
  const old = draft.messages.at(position);
  if (position === undefined || old === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  draft.messages.replace(position, { ...old, metadata: whole(withEvents(old.metadata, entry)) });
}

/** The message keeps its place, without content: later messages may refer to it. */
export function messageDeleted(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const position = findNamed(draft, textField(payload, "messageId"));
  const old = draft.messages.at(position);
  if (position === undefined || old === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  draft.messages.replace(position, {
    ...old,
    content: old.content.filter((block) => block.type === "tool_call"),
    metadata: whole(withEvents({ ...old.metadata, deleted: true }, entry)),
  });
}

/** Marks a message as complete: parts that arrive later are left out. */
function whole(metadata: MessageMetadata): MessageMetadata {
  const { partial: _, ...rest } = metadata;
  return rest;
}

function extras(payload: Fields, role: Role, entry: EventEntry): Partial<Message> {
  const model = textField(payload, "model");
  const stopReason = textField(payload, "stopReason");
  const usage = toUsage(anyField(payload, "usage"));
  const origin = originOf(payload, role, entry);
  return {
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(origin === undefined ? {} : { origin }),
  };
}

const ORIGINS: Readonly<Record<Origin, true>> = {
  person: true,
  agent: true,
  injected: true,
  summary: true,
  notification: true,
  error: true,
};

function originOf(payload: Fields, role: Role, entry: EventEntry): Origin | undefined {
  const given = textField(payload, "origin");
  if (given !== undefined && Object.hasOwn(ORIGINS, given)) return given as Origin;
  if (role === "assistant") return "agent";
  return role === "user" && entry.actor?.kind === "person" ? "person" : undefined;
}

/** Keys of the metadata that only the fold sets, from events: where a message came from, and whether it is complete. */
const SET_BY_FOLD: ReadonlySet<string> = new Set([
  "sequence",
  "lastSequence",
  "events",
  "runId",
  "messageId",
  "partial",
  "note",
  "closedBy",
  "unanswered",
  "retriedBy",
  "replacedBy",
]);

/** The metadata that the application gave the message under its own keys. */
function ownMetadata(payload: Fields): MessageMetadata | undefined {
  const metadata = anyField(payload, "metadata");
  if (!isFields(metadata)) return undefined;
  if (!Object.keys(metadata).some((key) => SET_BY_FOLD.has(key))) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !SET_BY_FOLD.has(key)));
}

/** Adds the metadata of an event. Keeps the agent that the first event of a message named. */
function withOwn(metadata: MessageMetadata, payload: Fields): MessageMetadata {
  const own = ownMetadata(payload);
  return metadata.agent === undefined
    ? { ...metadata, ...own }
    : { ...metadata, ...own, agent: metadata.agent };
}

function isRole(value: string | undefined): value is Role {
  return value === "system" || value === "user" || value === "assistant" || value === "tool";
}
