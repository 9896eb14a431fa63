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
  ["parts are one text, its last line ended", [text("a "), text("*b*")], "a *b*\n"],
  ["a line that was ended is not ended again", [text("a\n")], "a\n"],
  ["messages are paragraphs", [text("a", "1"), text("b", "2"), text("c", "2")], "a\n\nbc\n"],
  ["what was heard in parts is not said again", [text("a", "1"), whole("a", "1")], "a\n"],
  ["what was not heard is", [whole("a", "1"), text("b"), whole("b"), whole("c")], "a\n\nb\n\nc\n"],
  ["escapes are made visible, also in parts", [text("\u001b"), text("[2J\r"), text("\nb")], "␛[2J\nb\n"],
  ["a pair that came in halves", [text("\ud83d"), text("\ude00!")], "😀!\n"],
  ["a joined sign that came in parts", [text("👩"), text("\u200d"), text("💻 ok")], "👩‍💻 ok\n"],
])("%s", async (_, events, expected) => {
  expect(await said(events)).toBe(expected);
});
