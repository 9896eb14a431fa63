import type { Block, Message } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { modelView } from "./model-view.ts";

let count = 0;
function message(
  role: Message["role"],
  content: readonly Block[] | string,
  more: Partial<Message> = {},
): Message {
  count += 1;
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return { id: `m${count}`, role, content: blocks, metadata: { gemini: {} }, ...more };
}

const asked = message("user", "How long?");
const answered = message("assistant", "Two minutes.");
const picture: Block = { type: "image", mimeType: "image/png", data: "aA==" };

describe("what Gemini CLI sends", () => {
  test("the conversation as it is", () => {
    expect(modelView([asked, answered])).toEqual([asked, answered]);
  });

  test("an answer after a result that ends the history", () => {
    const called = message("assistant", [{ type: "tool_call", id: "c", name: "read", args: {} }]);
    const result = message("tool", [{ type: "tool_result", toolCallId: "c", content: [], isError: false }]);
    expect(modelView([asked, called, result]).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(modelView([asked, called, result, asked])).toEqual([asked, called, result, asked]);
  });

  test("nothing before the newest summary", () => {
    const first = message("user", "<state_snapshot>a</state_snapshot>", { origin: "summary" });
    const second = message("user", "<state_snapshot>b</state_snapshot>", { origin: "summary" });
    expect(modelView([asked, first, answered, second, asked])).toEqual([second, asked]);
  });

  test("no notices", () => {
    const notice = message("system", "Request cancelled.", { origin: "notification" });
    const error = message("system", "The service is away.", { origin: "error" });
    expect(modelView([asked, notice, error, answered])).toEqual([asked, answered]);
  });

  test.each(["", "  \n", "/quit", " ?", "? what", "<session_context>\nToday", "<hook_context>x"])(
    "no user message that is %j",
    (text) => {
      expect(modelView([message("user", text), asked])).toEqual([asked]);
    },
  );

  test.each([{}, { text: null }, { text: "" }])("no user message that holds only the part %j", (raw) => {
    expect(modelView([message("user", [{ type: "unknown", raw }]), asked])).toEqual([asked]);
  });

  test.each([{ text: true }, { text: 7 }, { fileData: {} }, { functionCall: {} }])(
    "a user message of the part %j, which says something",
    (raw) => {
      const odd = message("user", [{ type: "unknown", raw }]);
      expect(modelView([odd, asked])).toEqual([odd, asked]);
    },
  );

  test("a user message that begins with a picture, whatever follows", () => {
    const shown = message("user", [picture, { type: "text", text: "/look" }]);
    const asides = message("user", [{ type: "text", text: "/look" }, picture]);
    expect(modelView([shown, asides])).toEqual([shown]);
  });

  test("a user message behind results, whatever it begins with", () => {
    const beside = message("user", "/look", { metadata: { gemini: { behindResults: true } } });
    expect(modelView([beside])).toEqual([beside]);
  });

  test("a zero-width space keeps a slash", () => {
    const kept = message("user", "\u200b/tmp is full");
    expect(modelView([kept])).toEqual([kept]);
  });

  test("no thoughts, and no answer that has only thoughts", () => {
    const thought: Block = { type: "thinking", text: "Hm." };
    const said: Block = { type: "text", text: "Yes." };
    const both = message("assistant", [thought, said]);
    expect(modelView([asked, message("assistant", [thought]), both])).toEqual([
      asked,
      { ...both, content: [said] },
    ]);
  });

  test("no answers in a row with an empty text in one of them", () => {
    const empty = message("assistant", "");
    expect(modelView([asked, answered, empty, asked, answered])).toEqual([asked, asked, answered]);
  });

  test("no record that Gemini CLI does not see", () => {
    const lost = message("assistant", "Two\u2028lines", { metadata: { gemini: { lostOnResume: true } } });
    expect(modelView([asked, lost, answered])).toEqual([asked, answered]);
  });
});
