/**
 * Speech: the answer of an agent that arrives in parts. The parts are gathered into events of a useful size. A
 * message that was stored only in parts is stored again as a whole when it ends, so that pruning the parts
 * loses nothing. A long message becomes several messages, so that memory holds at most one piece. Pure.
 */

import { type AgentEvent, type Block, ContinuoError, present } from "@continuo/core/model";
import type { JournalEntry } from "./entry.ts";
import { LIMITS } from "./limits.ts";

type Kind = "text" | "thinking";

interface Piece {
  readonly type: Kind;
  text: string;
}

interface OpenMessage {
  /** The agent's id of the message. */
  readonly named: string | undefined;
  /** The log's id of the message. */
  messageId: string;
  pieces: Piece[];
  chars: number;
  /** The number of this piece of one message of the agent: 1 for the first. */
  part: number;
}

export interface Speech {
  open: OpenMessage | null;
  /** Text that is not yet an event. */
  waiting: Piece | null;
  /** The number of pieces of each message that has ended. */
  readonly closed: Map<string, number>;
  unnamed: number;
}

export function createSpeech(): Speech {
  return { open: null, waiting: null, closed: new Map(), unnamed: 0 };
}

/** Errors: `invalid` for a value that is not text, from an agent in plain JavaScript. */
export function sayPart(
  speech: Speech,
  { type, delta, messageId }: Extract<AgentEvent, { type: Kind }>,
): readonly JournalEntry[] {
  if (typeof delta !== "string") throw new ContinuoError("invalid", "a part of a message must be a text");
  const entries: JournalEntry[] = [];
  let message = speech.open;
  if (message === null || message.named !== messageId) {
    entries.push(...closeMessage(speech));
    message = openMessage(speech, messageId);
  }
  let rest = delta;
  while (rest !== "") {
    const piece = cutAt(rest, LIMITS.messageChars - message.chars);
    rest = rest.slice(piece.length);
    entries.push(...addPiece(speech, message, { type, text: piece }));
    if (message.chars < LIMITS.messageChars - 1) continue;
    entries.push(...closeMessage(speech));
    message = openMessage(speech, messageId);
  }
  return entries;
}

/** Never cuts between the halves of a surrogate pair. */
function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const code = text.charCodeAt(length - 1);
  const isHigh = code >= 0xd800 && code <= 0xdbff;
  return text.slice(0, Math.max(1, isHigh ? length - 1 : length));
}

function addPiece(speech: Speech, message: OpenMessage, piece: Piece): readonly JournalEntry[] {
  const entries = speech.waiting !== null && speech.waiting.type !== piece.type ? journalPart(speech) : [];
  const last = message.pieces.at(-1);
  if (last?.type === piece.type) last.text += piece.text;
  else message.pieces.push({ ...piece });
  message.chars += piece.text.length;
  if (speech.waiting === null) speech.waiting = { ...piece };
  else speech.waiting.text += piece.text;
  return speech.waiting.text.length < LIMITS.streamChars ? entries : [...entries, ...journalPart(speech)];
}

/** The pending text as one event. */
export function journalPart(speech: Speech): readonly JournalEntry[] {
  const { waiting, open } = speech;
  speech.waiting = null;
  if (waiting === null || open === null) return [];
  const { messageId } = open;
  return [{ type: "message_streamed", data: { delta: waiting.text, messageId, kind: waiting.type } }];
}

/** Completes the message in progress. */
export function closeMessage(speech: Speech): readonly JournalEntry[] {
  const { open } = speech;
  if (open === null) return [];
  const part = journalPart(speech);
  speech.open = null;
  remember(speech, open.named, open.part);
  const { messageId, pieces } = open;
  // Only its calls were stored: there is no text to store again.
  if (pieces.length === 0) return [{ type: "message_completed", data: { messageId } }];
  return [...part, { type: "message_received", data: { content: pieces, messageId } }];
}

/** Ends the message in progress, unless the agent reports that it continues. */
export function closeOthers(speech: Speech, messageId?: string): readonly JournalEntry[] {
  const goesOn = messageId !== undefined && speech.open?.named === messageId;
  return goesOn ? journalPart(speech) : closeMessage(speech);
}

/** Returns the id in the log of the message that a call belongs to; begins the message if it is new. */
export function messageOfCall(speech: Speech, messageId: string | undefined): string | undefined {
  if (messageId === undefined) return undefined;
  const open = speech.open?.named === messageId ? speech.open : undefined;
  if (open !== undefined) return open.messageId;
  // The message is already complete, and the call is added to it.
  if (speech.closed.get(messageId) === 1) return messageId;
  return openMessage(speech, messageId).messageId;
}

/** A message that the agent reports as a whole replaces its parts, except for content that it does not repeat. */
export function sayWhole(
  speech: Speech,
  event: Extract<AgentEvent, { type: "message" }>,
): readonly JournalEntry[] {
  const { messageId: named, model, usage, stopReason } = event;
  const content = blocksOf(event.content);
  const open = speech.open !== null && speech.open.named === named ? speech.open : null;
  // Readers of the parts do not see the message itself, so the last part is stored too.
  const entries: JournalEntry[] = [...(open === null ? closeMessage(speech) : journalPart(speech))];
  speech.open = null;
  const before = named === undefined ? 0 : (speech.closed.get(named) ?? 0);
  const message = open ?? { messageId: named ?? `said-${++speech.unnamed}`, pieces: [], part: before };
  // A long message was divided: its texts are already stored, except for those of the last piece.
  const others =
    message.part > 1 ? content.filter(({ type }) => type !== "text" && type !== "thinking") : content;
  const whole = joined(message.pieces, others);
  remember(speech, named, Math.max(1, message.part));
  const data = present({ content: whole, messageId: message.messageId, model, usage, stopReason });
  return [...entries, { type: "message_received", data }];
}

/**
 * An agent in plain JavaScript may pass any value: a value that is not a block is kept as it is, as an unknown block.
 */
function blocksOf(content: unknown): readonly Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [{ type: "unknown", raw: content }];
  return content.map((block: unknown): Block => (isBlock(block) ? block : { type: "unknown", raw: block }));
}

function isBlock(value: unknown): value is Block {
  const { type, text } = (value ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  if (type === "text" || type === "thinking") return typeof text === "string";
  return typeof type === "string";
}

/** Pieces are left out if the content has blocks of the same kind. */
function joined(pieces: readonly Piece[], content: readonly Block[]): Block[] {
  const isSaid = (kind: Kind): boolean =>
    content.some((block) => block.type === kind && (kind === "thinking" || textIn(block) !== ""));
  const kept = pieces.filter(({ type }) => !isSaid(type));
  return [...kept, ...content];
}

function textIn(block: Block): string {
  return block.type === "text" ? block.text.trim() : "";
}

function openMessage(speech: Speech, named: string | undefined): OpenMessage {
  const part = (named === undefined ? 0 : (speech.closed.get(named) ?? 0)) + 1;
  const base = named ?? `said-${++speech.unnamed}`;
  const messageId = part === 1 ? base : `${base}:${part}`;
  speech.open = { named, messageId, pieces: [], chars: 0, part };
  return speech.open;
}

function remember(speech: Speech, named: string | undefined, part: number): void {
  if (named === undefined) return;
  speech.closed.delete(named);
  speech.closed.set(named, part);
  if (speech.closed.size <= LIMITS.rememberedIds) return;
  for (const oldest of speech.closed.keys()) {
    speech.closed.delete(oldest);
    return;
  }
}
