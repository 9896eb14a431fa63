/** The messages that Gemini CLI sends to the model. */

import type { Block, Message } from "@continuo/core/model";
import { isJson, textOfValue } from "@continuo/files";
import { withContent } from "../kit/index.ts";
import { textOfPart } from "./records.ts";

/**
 * Rules of Gemini CLI 0.61.0 when it resumes a session (seen in its requests; each has a test):
 *
 * - after a compaction, messages before the newest summary are not sent
 * - notices (`info`, `warning`, `error`) are not sent
 * - a user message is not sent if its text is empty or, after white space, begins with `/`, `?`,
 *   `<session_context>` or `<hook_context>`; it is sent if a picture, file or result comes before its text
 * - thoughts are not sent
 * - consecutive answers without a message of the user between them are not sent if one of them has an empty text
 * - a record with a raw U+2028 or U+2029 in it is not sent: Gemini CLI does not see it
 * - if the last record is a result, an answer is added which says that the response was interrupted
 * - each result is sent as often as it is recorded, up to three times; `modelView` returns it only once
 * - ids of calls are sent without the `NAME__` in front; `modelView` returns them as recorded
 */
export function modelView(history: readonly Message[]): Message[] {
  const start = history.findLastIndex((message) => message.origin === "summary");
  const sent: Message[] = [];
  for (const message of history.slice(Math.max(0, start))) {
    if (message.role === "system" || isLost(message)) continue;
    if (message.role === "user" && !isBehindResults(message) && isDropped(message.content)) continue;
    sent.push(message);
  }
  const spoken = withoutInvalidRuns(sent).flatMap(withoutThoughts);
  const last = spoken.at(-1);
  return last?.role === "tool" ? [...spoken, interruption(last)] : spoken;
}

function interruption({ id }: Message): Message {
  const text = "[The previous response was interrupted before it completed.]";
  return {
    id: `${id}/interrupted`,
    role: "assistant",
    content: [{ type: "text", text }],
    metadata: { gemini: { made: "answer" } },
  };
}

function isLost({ metadata: { gemini } }: Message): boolean {
  return isJson(gemini) && gemini.lostOnResume === true;
}

function isBehindResults({ metadata: { gemini } }: Message): boolean {
  return isJson(gemini) && gemini.behindResults === true;
}

const DROPPED = /^(?:[/?]|<session_context>|<hook_context>|$)/u;

function isDropped(content: readonly Block[]): boolean {
  let text = "";
  for (const block of content) {
    const own = wordsOf(block);
    if (own === null && text.trim() === "") return false;
    text += own ?? "";
  }
  return DROPPED.test(text.trim());
}

/** A part without a key that Gemini CLI knows is an empty text; `null` for a part that is not empty. */
function wordsOf(block: Block): string | null {
  if (block.type === "text") return block.text;
  if (block.type !== "unknown") return null;
  const { raw } = block;
  return isJson(raw) && raw.text && typeof raw.text !== "string" ? textOfValue(raw.text) : textOfPart(raw);
}

/**
 * Leaves out runs of consecutive answers if one of them has an empty text. The reader keeps an empty text of an answer
 * only if the content is a list of parts.
 */
function withoutInvalidRuns(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (let at = 0; at < messages.length; ) {
    let end = at;
    while (messages[end]?.role === "assistant") end += 1;
    const run = messages.slice(at, Math.max(end, at + 1));
    if (!run.some(isInvalid)) kept.push(...run);
    at += run.length;
  }
  return kept;
}

function isInvalid(message: Message): boolean {
  return (
    message.role === "assistant" &&
    message.content.some(
      (block) => block.type === "text" && block.text === "" && block.signature === undefined,
    )
  );
}

function withoutThoughts(message: Message): Message[] {
  if (message.role !== "assistant") return [message];
  const { content } = message;
  if (content.every(isThinking)) return [];
  if (!content.some(isThinking)) return [message];
  return [withContent(message, (blocks) => blocks.filter((block) => !isThinking(block)))];
}

function isThinking({ type }: Block): boolean {
  return type === "thinking";
}
