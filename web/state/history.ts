/** The loaded part of a session as a value, its changes, and its rows. Pure. */

import type { ToolResultBlock } from "@continuo/core/model";
import { type MessageKind, messageKind } from "@continuo/core/transcript";
import {
  type HistoryWindow,
  type OutlineTurn,
  searchableText,
  type TextRest,
  valueAt,
  type WindowMessage,
  withText,
} from "@continuo/core/wire/machine";

/** A piece of the history without gaps. */
export interface LoadedPart {
  readonly messages: readonly WindowMessage[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

export const EMPTY_PART: LoadedPart = { messages: [], hasOlder: false, hasNewer: false };

export function foldWindow(
  part: LoadedPart,
  { messages, hasOlder, hasNewer }: Pick<HistoryWindow, "messages" | "hasOlder" | "hasNewer">,
  place: "instead" | "older" | "newer",
): LoadedPart {
  if (place === "instead") return { messages, hasOlder, hasNewer };
  const known = new Set(part.messages.map(idOf));
  const fresh = messages.filter((one) => !known.has(idOf(one)));
  return place === "older"
    ? { messages: [...fresh, ...part.messages], hasOlder, hasNewer: part.hasNewer }
    : { messages: [...part.messages, ...fresh], hasOlder: part.hasOlder, hasNewer };
}

/** Changed messages replace those with the same ids; new ones are added if the end is loaded. */
export function foldGrowth(part: LoadedPart, grown: readonly WindowMessage[]): LoadedPart {
  const changed = new Map(grown.map((one) => [idOf(one), one]));
  const known = new Set(part.messages.map(idOf));
  const messages = part.messages.map((one) => changed.get(idOf(one)) ?? one);
  const fresh = part.hasNewer ? [] : grown.filter((one) => !known.has(idOf(one)));
  return { ...part, messages: [...messages, ...fresh] };
}

/** Adds the rest of a shortened text, as far as the answer has it. */
export function foldRest(part: LoadedPart, messageId: string, path: string, rest: TextRest): LoadedPart {
  const messages = part.messages.map((one): WindowMessage => {
    const text = valueAt(one.message, path);
    if (idOf(one) !== messageId || typeof text !== "string" || text.length !== rest.from) return one;
    const kept = text.length + rest.text.length;
    const cuts = one.cuts.map((cut) => (cut.path === path ? { ...cut, kept } : cut));
    const message = withText(one.message, path, text + rest.text);
    return { ...one, message, cuts: cuts.filter((cut) => cut.kept < cut.total) };
  });
  return { ...part, messages };
}

function idOf({ message }: WindowMessage): string {
  return message.id;
}

/** A row of a session; `at` is the message, `index` the block. */
export type Row =
  | { readonly type: "question"; readonly key: string; readonly at: WindowMessage }
  | { readonly type: BlockRow; readonly key: string; readonly at: WindowMessage; readonly index: number }
  | {
      readonly type: "call";
      readonly key: string;
      readonly at: WindowMessage;
      readonly index: number;
      readonly result: ToolResultBlock | null;
      /** The message that contains the result. */
      readonly resultAt: WindowMessage | null;
      /** True if the result is in a later message, which the film has not reached. */
      readonly endsLater: boolean;
    }
  | {
      readonly type: "whole";
      readonly key: string;
      readonly at: WindowMessage;
      /** The next messages that a program injected as well: together they are one row. */
      readonly more: readonly WindowMessage[];
    }
  | { readonly type: "seen"; readonly key: string }
  | { readonly type: "foot"; readonly key: string; readonly turn: OutlineTurn };

type BlockRow = "text" | "thinking" | "media" | "result" | "unknown";

export interface RowsOptions {
  readonly turns: readonly OutlineTurn[];
  /** The first message that the model still sees, unless it sees all. */
  readonly seenFrom: string | null;
  /** The next messages, which a film does not show yet. */
  readonly later?: readonly WindowMessage[];
}

export function toRows(
  messages: readonly WindowMessage[],
  { turns, seenFrom, later = [] }: RowsOptions,
): readonly Row[] {
  const facts = new Map(turns.map((turn) => [turn.id, turn]));
  const coming = resultsOf(later).results;
  const { results, called } = resultsOf(messages);
  const rows: Row[] = [];
  for (const [place, at] of messages.entries()) {
    const { message, turnId } = at;
    if (message.id === seenFrom) rows.push({ type: "seen", key: "seen" });
    const kind = messageKind(message);
    if (kind === "person") rows.push({ type: "question", key: message.id, at });
    else if (kind === "agent") rows.push(...rowsOfAgent(at, results, coming));
    else if (kind === "tool") rows.push(...rowsOfResult(at, called));
    else pushWhole(rows, at, kind);
    const ends = messages[place + 1] === undefined || messages[place + 1]?.turnId !== turnId;
    const turn = facts.get(turnId);
    if (ends && turn !== undefined && turn.tokens > 0)
      rows.push({ type: "foot", key: `foot:${turnId}`, turn });
  }
  return rows;
}

/** Joins messages that a program injects one after the other, because it often injects several short ones. */
function pushWhole(rows: Row[], at: WindowMessage, kind: MessageKind): void {
  const last = rows.at(-1);
  const isMore =
    kind === "injected" &&
    last?.type === "whole" &&
    last.at.turnId === at.turnId &&
    messageKind(last.at.message) === kind;
  if (isMore) rows[rows.length - 1] = { ...last, more: [...last.more, at] };
  else rows.push({ type: "whole", key: at.message.id, at, more: [] });
}

/** The messages of a row. */
export function messagesOf(row: Row): readonly WindowMessage[] {
  if (!("at" in row)) return [];
  return row.type === "whole" ? [row.at, ...row.more] : [row.at];
}

interface ResultOfCall {
  readonly result: ToolResultBlock | null;
  readonly resultAt: WindowMessage | null;
}

const NO_RESULT: ResultOfCall = { result: null, resultAt: null };

type Results = ReadonlyMap<string, ResultOfCall>;

function rowsOfAgent(at: WindowMessage, results: Results, coming: Results): Row[] {
  return at.message.content.flatMap((block, index): Row[] => {
    const key = `${at.message.id}:${index}`;
    switch (block.type) {
      case "tool_call":
        return [
          {
            ...(results.get(block.id) ?? NO_RESULT),
            type: "call",
            key,
            at,
            index,
            endsLater: coming.has(block.id),
          },
        ];
      case "tool_result":
        return [{ type: "result", key, at, index }];
      case "image":
      case "file":
        return [{ type: "media", key, at, index }];
      case "text":
        return block.text.trim() === "" ? [] : [{ type: "text", key, at, index }];
      default:
        return [{ type: block.type, key, at, index }];
    }
  });
}

/** A result is in the row of its call, and has its own row only if the call is not loaded. */
function rowsOfResult(at: WindowMessage, called: ReadonlySet<string>): Row[] {
  return at.message.content.flatMap((block, index): Row[] =>
    block.type === "tool_result" && called.has(block.toolCallId)
      ? []
      : [{ type: "result", key: `${at.message.id}:${index}`, at, index }],
  );
}

function resultsOf(messages: readonly WindowMessage[]): {
  readonly results: ReadonlyMap<string, ResultOfCall>;
  readonly called: ReadonlySet<string>;
} {
  const results = new Map<string, ResultOfCall>();
  const called = new Set<string>();
  for (const resultAt of messages) {
    for (const block of resultAt.message.content) {
      if (block.type === "tool_result") results.set(block.toolCallId, { result: block, resultAt });
      else if (block.type === "tool_call") called.add(block.id);
    }
  }
  return { results, called };
}

/** True also for the message with the result, because a result is in the row of its call. */
export function isOfMessage(row: Row, id: string): boolean {
  const isOwn = messagesOf(row).some(({ message }) => message.id === id);
  return isOwn || ("resultAt" in row && row.resultAt?.message.id === id);
}

export function isFoldable({ type }: Row): boolean {
  return type === "call" || type === "result" || type === "thinking" || type === "whole";
}

/** Counts the words that are in the texts of the row; the words are as `searchableText` makes them. */
export function wordsInRow(row: Row, words: readonly string[]): number {
  if (!("at" in row) || words.length === 0) return 0;
  const content = messagesOf(row).flatMap(({ message }) => message.content);
  const shown = "index" in row ? content[row.index] : content;
  const text = searchableText(JSON.stringify(["result" in row ? row.result : null, shown]));
  return words.filter((word) => text.includes(word)).length;
}

/** The turn to which a row belongs; `null` for a line between turns. */
export function turnOfRow(row: Row | undefined): number | null {
  if (row === undefined || row.type === "seen") return null;
  return row.type === "foot" ? row.turn.number : row.at.turn;
}
