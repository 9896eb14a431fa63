import { expect, test } from "vitest";
import type { Block, Message } from "../../model/index.ts";
import { messageKind, type PartOptions, toParts } from "./parts.ts";

function partOf(block: Block, more: Partial<Message> = {}, options?: PartOptions): unknown {
  return toParts({ id: "m", role: "assistant", content: [block], metadata: {}, ...more }, options)[0];
}

const OVERRIDE = "a\u202eb";
const SPELLED = "a<U+202E>b";
const EMBEDDING = "a\u202bb";
const ISOLATED = "a\u2068\u202bb\u202c\u2069";

test.each([
  ["user", undefined, "person"],
  ["user", "person", "person"],
  ["assistant", "agent", "agent"],
  ["tool", undefined, "tool"],
  ["system", undefined, "injected"],
  ["user", "injected", "injected"],
  ["system", "notification", "injected"],
  ["user", "summary", "summary"],
  ["assistant", "error", "error"],
] as const)("a message of role %s and origin %s is shown as %s", (role, origin, kind) => {
  const message: Message = { id: "m", role, content: [], metadata: {} };
  expect(messageKind(origin === undefined ? message : { ...message, origin })).toBe(kind);
});

const CALL = { type: "call", id: "c", name: "Look", childSessionId: null } as const;

test.each<readonly [string, object, object]>([
  ["with no arguments", { args: {} }, { argument: null, input: "{}" }],
  ["with arguments", { args: { path: " a\n" } }, { argument: "a", input: '{\n  "path": " a\\n"\n}' }],
  ["with native text only", { args: {}, rawArgs: " ls\n-l " }, { argument: "ls␊-l", input: " ls\n-l " }],
  [
    "with arguments and their native text",
    { args: { n: 1 }, rawArgs: '{"n":1}' },
    { argument: '{"n":1}', input: '{\n  "n": 1\n}' },
  ],
  [
    "of a sub-agent, with hidden characters",
    { name: OVERRIDE, args: {}, rawArgs: OVERRIDE, childSessionId: OVERRIDE },
    { name: SPELLED, argument: SPELLED, input: SPELLED, childSessionId: SPELLED },
  ],
])("a call %s", (_, given, part) => {
  const block = { type: "tool_call", id: "c", name: "Look", ...given } as Block;
  expect(partOf(block)).toEqual({ ...CALL, ...part });
  expect(partOf(block, {}, { invisible: "kept" })).toEqual({ ...CALL, ...part });
});

test.each<readonly [string, string, Block]>([
  ["image png", "an image without data", { type: "image", mimeType: "image/png" }],
  ["image png, https://a.test/", "a url", { type: "image", mimeType: "image/png", url: "https://a.test/" }],
  ["image png, 3 B", "data and a url", { type: "image", mimeType: "image/png", data: "AAAA", url: "x" }],
  ["image png, 0 B", "empty data", { type: "image", mimeType: "image/png", data: "" }],
  ["image png, 2 B", "one pad", { type: "image", mimeType: "image/png", data: "AAA=" }],
  ["image png, 1 B", "two pads", { type: "image", mimeType: "image/png", data: "AA==" }],
  ["file a.png image/png", "a file with a name", { type: "file", mimeType: "image/png", name: "a.png" }],
  ["file a␊b text/plain", "a name of two lines", { type: "file", mimeType: "text/plain", name: "a\nb" }],
  ["file a/b, 1023 B", "less than 1 KB", { type: "file", mimeType: "a/b", data: "A".repeat(1364) }],
  ["file a/b, 1 KB", "1 KB", { type: "file", mimeType: "a/b", data: `${"A".repeat(1366)}==` }],
  ["file a/b, 2 KB", "1.5 KB and more", { type: "file", mimeType: "a/b", data: "A".repeat(2048) }],
])("the label %j stands for %s", (label, _, block) => {
  expect(partOf(block)).toEqual({ type: "media", label, text: null });
});

test("marks of direction are spelled out unless they are to be kept", () => {
  const blocks = (text: string): readonly (readonly [Block, object])[] => [
    [
      { type: "text", text: EMBEDDING },
      { type: "text", text },
    ],
    [
      { type: "thinking", text: EMBEDDING },
      { type: "thinking", text },
    ],
    [
      { type: "file", mimeType: "text/plain", text: EMBEDDING },
      { type: "media", label: "file text/plain", text },
    ],
  ];
  for (const [block, part] of blocks("a<U+202B>b")) {
    expect([partOf(block), partOf(block, {}, { invisible: "spelled" })]).toEqual([part, part]);
  }
  for (const [block, part] of blocks(ISOLATED))
    expect(partOf(block, {}, { invisible: "kept" })).toEqual(part);
});

test("a result shows what each of its blocks is, on lines of their own", () => {
  const content: readonly Block[] = [
    { type: "text", text: "a" },
    { type: "image", mimeType: "image/png" },
    { type: "file", mimeType: "text/plain", text: "# A" },
    { type: "tool_call", id: "d", name: "Look", args: {}, rawArgs: "raw" },
    { type: "unknown", raw: 7 },
    { type: "unknown", raw: undefined },
  ];
  const block: Block = { type: "tool_result", toolCallId: "c", isError: false, content };
  const text = "a\n[image png]\n[file text/plain]\n# A\nraw\n7\n";
  expect(partOf(block)).toEqual({ type: "result", toolCallId: "c", name: null, status: "ok", text });
});

test.each([
  [{ isError: false }, "ok"],
  [{ isError: true }, "error"],
  [{ isError: true, status: "denied" }, "denied"],
] as const)("a result with %j has the status %s", (given, status) => {
  const block: Block = { type: "tool_result", toolCallId: "c", content: [], ...given };
  const part = { type: "result", toolCallId: "c", name: "a␊b", status, text: "" };
  expect(partOf(block, { role: "tool", toolName: "a\nb" })).toEqual(part);
});
