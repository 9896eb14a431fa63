import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createPlainText } from "./plain-text.ts";

async function said(events: readonly AgentEvent[]): Promise<string> {
  let all = "";
  const text = createPlainText({
    isClosed: false,
    write: async (chunk) => {
      all += chunk;
    },
  });
  for (const event of events) await text.tell(event);
  await text.end();
  return all;
}

const text = (delta: string, messageId?: string): AgentEvent => ({
  type: "text",
  delta,
  ...(messageId === undefined ? {} : { messageId }),
});
const whole = (words: string, messageId?: string): AgentEvent => ({
  type: "message",
  content: [{ type: "text", text: words }],
  ...(messageId === undefined ? {} : { messageId }),
});

test.each<[string, readonly AgentEvent[], string]>([
  ["nothing", [], ""],
  [
    "the texts of a message without parts are paragraphs, as in its answer",
    [{ type: "message", content: ["a", "b"].map((words) => ({ type: "text", text: words })) }],
    "a\n\nb\n",
  ],
  ["parts are joined to one text, which ends with a line break", [text("a "), text("*b*")], "a *b*\n"],
  ["a line that was ended is not ended again", [text("a\n")], "a\n"],
  ["messages are paragraphs", [text("a", "1"), text("b", "2"), text("c", "2")], "a\n\nbc\n"],
  [
    "a message that was written in parts is not written again at its end",
    [text("a", "1"), whole("a", "1")],
    "a\n",
  ],
  [
    "a message without parts is written at its end",
    [whole("a", "1"), text("b"), whole("b"), whole("c")],
    "a\n\nb\n\nc\n",
  ],
  ["escapes are made visible, also in parts", [text("\u001b"), text("[2J\r"), text("\nb")], "␛[2J\nb\n"],
  ["a pair that came in halves", [text("\ud83d"), text("\ude00!")], "😀!\n"],
  ["a joined sign that came in parts", [text("👩"), text("\u200d"), text("💻 ok")], "👩‍💻 ok\n"],
])("%s", async (_, events, expected) => {
  expect(await said(events)).toBe(expected);
});
