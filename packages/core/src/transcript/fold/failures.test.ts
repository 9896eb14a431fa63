/** The blocks of a failed tool stay blocks: in a replay, on the screen and in exports. */

import { describe, expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { fromEvents } from "../builder/index.ts";
import { messageToHtml } from "../html/index.ts";
import { messagesToText, messageToMarkdown } from "../render/index.ts";

const DATA = "iVBORw0KGgo=";
const PICTURE = { type: "image", mimeType: "image/png", data: DATA };
const BLOCKS = [{ type: "text", text: "no such file" }, PICTURE, "or folder"];

function failedWith(error: unknown, status?: string): readonly Message[] {
  return fromEvents([
    { type: "tool_call_started", sequence: 1, data: { toolCallId: "c", toolName: "read" } },
    { type: "tool_call_failed", sequence: 2, data: { toolCallId: "c", error, status } },
  ]).messages;
}

function contentOf(messages: readonly Message[]): unknown {
  const [result] = messages[1]?.content ?? [];
  return result?.type === "tool_result" ? result.content : null;
}

const AS_BLOCKS = [{ type: "text", text: "no such file" }, PICTURE, { type: "text", text: "or folder" }];

describe("a tool that failed with blocks", () => {
  test("has them in its result, and no JSON", () => {
    const messages = failedWith(BLOCKS);
    expect(contentOf(messages)).toEqual(AS_BLOCKS);
    expect(messages[1]?.content).toMatchObject([{ isError: true, status: "error" }]);
  });

  test.each(["denied", "cancelled", "interrupted"])(
    "says once, before the blocks, that the call was %s",
    (status) => {
      const [first, ...rest] = contentOf(failedWith(BLOCKS, status)) as readonly { readonly text: string }[];
      expect(rest).toEqual(AS_BLOCKS);
      const again = failedWith([{ type: "text", text: `${first?.text} By the person.` }, PICTURE], status);
      expect(contentOf(again)).toEqual([{ type: "text", text: `${first?.text} By the person.` }, PICTURE]);
    },
  );

  test.each([
    ["a replay", messagesToText],
    [
      "Markdown",
      (all: readonly Message[]) => all.map((each) => messageToMarkdown(each, { tools: "full" })).join(""),
    ],
  ])("shows no base64 and no JSON in %s", (_, render) => {
    const text = render(failedWith(BLOCKS));
    expect(text).toContain("no such file");
    expect(text).toContain("or folder");
    expect(text).not.toContain(DATA);
    expect(text).not.toContain('"type"');
  });

  test("shows its picture in HTML, and no JSON", () => {
    const html = failedWith(BLOCKS)
      .map((message) => messageToHtml(message))
      .join("");
    expect(html).toContain(`data:image/png;base64,${DATA}`);
    expect(html).not.toContain("&quot;type&quot;");
  });
});
