import type { Block, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { toModelMessages } from "./messages.ts";

test("an attached file without words makes no message without words, which providers refuse", () => {
  const file = (text: string): Block => ({ type: "file", mimeType: "text/plain", text });
  const asked = (text: string): Message => ({ id: text, role: "user", content: [file(text)], metadata: {} });
  expect(toModelMessages([asked(""), asked("words")]).messages).toEqual([
    { role: "user", content: [{ type: "text", text: "words" }] },
  ]);
});
