/**
 * Selects the messages of a session that are handed over: the conversation as the source's model saw it last,
 * with the thinking that the source keeps and does not send. Pure.
 */

import type { Block, Message } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import { linesOf, placeText, type ReceiptRecord } from "./receipt.ts";

export interface Selection {
  readonly messages: readonly Message[];
  /** The records that are left out. */
  readonly left: readonly ReceiptRecord[];
}

/** @param view the source's own `modelView` of the history. */
export function selectMessages(history: readonly Message[], view: readonly Message[]): Selection {
  const position = new Map(history.map((message, at) => [message, at]));
  const byId = new Map(history.map((message) => [message.id, message]));
  const viewIds = new Set(view.map(({ id }) => id));
  const firstSeen = history.findIndex(({ id }) => viewIds.has(id));
  const thinking = new Set(
    history
      .slice(Math.max(firstSeen, 0))
      .filter((message) => !viewIds.has(message.id) && isThinkingAlone(message)),
  );
  const messages: Message[] = [];
  const left: ReceiptRecord[] = [];
  const taken = new Set<string>();
  const take = (message: Message): void => {
    taken.add(message.id);
    messages.push(message);
  };
  for (const seen of view) {
    if (seen.role === "system") continue;
    const own = byId.get(seen.id);
    if (own === undefined) {
      if (!isMade(seen, byId)) take(seen);
      continue;
    }
    for (const message of thinking) {
      // The thoughts are in the order of the history.
      if ((position.get(message) ?? 0) >= (position.get(own) ?? 0)) break;
      thinking.delete(message);
      take(message);
    }
    taken.add(own.id);
    const chosen = isReworded(own, seen) ? seen : own;
    messages.push(chosen);
    left.push(...unsent(own, chosen));
  }
  for (const message of thinking) take(message);
  for (const message of history) {
    if (message.content.length === 0) left.push(silent(message));
    else if (!taken.has(message.id)) left.push(...leftBehind(message, messages.length > 0));
  }
  return { messages, left };
}

/** True if the agent sends its model another text than the record has, by a rule or because of an edit. */
function isReworded(own: Message, seen: Message): boolean {
  if (own === seen) return false;
  if (own.role !== seen.role) return true;
  if (own.content.some(isUnknown) && seen.content.some(({ type }) => type === "text")) return true;
  return !hasTexts(seen, own) && !isThoughtAsText(own, seen);
}

function isUnknown({ type }: Block): boolean {
  return type === "unknown";
}

/** Returns a line for each block of an unknown kind that the agent leaves out without a replacement. */
function unsent(own: Message, seen: Message): readonly ReceiptRecord[] {
  if (own === seen || seen.content.some(isUnknown) || !hasTexts(own, seen)) return [];
  const place = placeText(own.metadata.records);
  const reason = "the agent does not send it to its model";
  return linesOf(own.content.filter(isUnknown), { place, outcome: "noted", reason });
}

/** Most texts are the same string objects, whose comparison costs nothing; a set would have to hash them. */
function hasTexts({ content }: Message, other: Message): boolean {
  return other.content.every(
    (one) =>
      one.type !== "text" ||
      one.text.trim() === "" ||
      content.some((block) => block.type === "text" && block.text === one.text),
  );
}

/** An agent may send the thinking of another model as text, joined with the text after it. */
function isThoughtAsText(own: Message, seen: Message): boolean {
  const isThinking = ({ type }: Block): boolean => type === "thinking";
  if (!own.content.some(isThinking) || seen.content.some(isThinking)) return false;
  return readable(own) === readable(seen);
}

function readable({ content }: Message): string {
  const texts = content.flatMap((block) =>
    block.type === "text" || block.type === "thinking" ? block.text : [],
  );
  return texts.filter((text) => text !== "").join("\n");
}

/**
 * Returns true for a message that an agent shows and does not send: a thought at the end of an answer that was
 * broken off.
 */
function isThinkingAlone({ role, origin, content }: Message): boolean {
  return (
    role === "assistant" &&
    origin === "agent" &&
    content.length > 0 &&
    content.every((block) => block.type === "thinking")
  );
}

/**
 * Returns true for a message that the source's agent makes only on a resumption: results and answers that no
 * record holds, and the further parts of a message that it divides.
 */
function isMade(message: Message, byId: ReadonlyMap<string, Message>): boolean {
  const isFlagged = Object.values(message.metadata).some(
    (flags) => isJson(flags) && (flags.made !== undefined || byId.has(String(flags.partOf))),
  );
  return isFlagged || message.role === "tool" || byId.has(message.id.replace(/(?:\/|#media$).*/su, ""));
}

/** Returns the line of a message without blocks, such as an answer that broke off before its first word. */
function silent({ metadata }: Message): ReceiptRecord {
  const place = placeText(metadata.records);
  return { place, kind: "other", outcome: "noted", reason: "an empty message" };
}

function leftBehind(message: Message, hasView: boolean): ReceiptRecord[] {
  const place = placeText(message.metadata.records);
  const lines = linesOf(message.content, { place, ...whyLeft(message, hasView) });
  return isAside(message) ? lines.map((line) => ({ ...line, kind: "other" })) : lines;
}

function isAside({ origin, role }: Message): boolean {
  return role === "system" || origin === "injected" || origin === "notification" || origin === "error";
}

function whyLeft({ origin, role }: Message, hasView: boolean): Pick<ReceiptRecord, "outcome" | "reason"> {
  if (origin === "injected" || role === "system")
    return { outcome: "noted", reason: "each agent creates it again" };
  if (origin === "notification")
    return { outcome: "noted", reason: "shown to the person, not sent to the model" };
  if (origin === "error") return { outcome: "noted", reason: "an error in place of an answer" };
  if (hasView) return { outcome: "noted", reason: "no longer in what the agent sends to its model" };
  return { outcome: "dropped", reason: "not for the model" };
}
