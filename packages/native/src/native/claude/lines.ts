/**
 * Reads single lines of a session file. Pure.
 *
 * An answer or a prompt is always on some branch; only a later line with the same uuid replaces it. A result may be on
 * no branch, and so may a line of a sub-agent.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { hasField, isAlone, type LineReader, standsOnce } from "../kit/index.ts";
import { type MessageOptions, type PlacedLine, toAnswer, toMessages } from "./messages.ts";
import { contentOf, isChained, isToolResult } from "./records.ts";
import { sidechainsOf } from "./skim.ts";

const OPTIONS: MessageOptions = { children: new Map(), native: false };

export const claudeLines: LineReader = {
  isPlain: (found, bytes) =>
    isAlone(found) && sidechainsOf(found) === "foreign" && !hasField(bytes, "isSidechain", "true"),
  messagesOf(value, bytes) {
    if (!isJson(value)) return null;
    if (!isChained(value)) return [];
    const id = textField(value, "uuid");
    const line: PlacedLine = { place: {}, id: id ?? "", value };
    const isAnswer = value.type === "assistant";
    const answer = isAnswer ? toAnswer([line], OPTIONS) : null;
    const messages = isAnswer
      ? answer === null
        ? []
        : [answer]
      : toMessages(line, () => undefined, OPTIONS);
    const isKept = (): boolean => id !== null && isSpoken(value) && standsOnce(bytes, "uuid", id);
    return messages.map((message) => ({ message, isKept }));
  },
};

function isSpoken(record: Json): boolean {
  const content = contentOf(record);
  if (content === null) return false;
  return record.type === "assistant" || (record.type === "user" && !content.every(isToolResult));
}
