import type { Message } from "@continuo/core/model";
import { withContent } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { isLarge, openShelf } from "./shelf.ts";

const MESSAGES: readonly Message[] = [
  {
    id: "1",
    role: "user",
    origin: "person",
    content: [{ type: "text", text: "ä\u2028日本 \ud83d\ude00 \\ \u0000" }],
    metadata: { records: [{ line: 1 }] },
  },
  { id: "2", role: "assistant", content: [], timestamp: "2026-01-01T00:00:00.000Z", metadata: {} },
  {
    id: "3",
    role: "tool",
    toolCallId: "call",
    toolInput: { "@": 1, __proto__: null },
    // This text is longer than one read, and longer than the part in memory.
    toolOutput: "x".repeat(3_000_000),
    content: [{ type: "tool_result", toolCallId: "call", content: [], isError: true }],
    metadata: { claude: { isMeta: true } },
  },
  {
    id: "4",
    role: "user",
    content: ["\0utf8 0 1", "\ud83d".repeat(300), "日本".repeat(300), "\0"].map((text) => ({
      type: "text",
      text,
    })),
    metadata: {},
  },
];

const SHELVES = [
  ["in a file", () => openShelf("file")],
  ["in a file, with few outlines in memory", () => openShelf("file", 2000)],
  ["in memory", () => openShelf("memory")],
] as const;

test.each(SHELVES)("a shelf %s returns unchanged messages, in any order", (_, open) => {
  using shelf = open();
  const many = Array.from({ length: 700 }, (_, at) =>
    MESSAGES.map((one) => ({ ...one, id: `${one.id}-${at}` })),
  );
  const wanted = [...many.flat().slice(0, 30), ...many.flat().filter(({ role }) => role !== "tool")];
  const kept = wanted.map(shelf.keep);
  for (const at of [...kept.keys()].toReversed()) expect({ ...kept[at] }).toEqual(wanted[at]);
  for (const [at, message] of kept.entries())
    expect(JSON.stringify(message)).toBe(JSON.stringify(wanted[at]));
});

test("a message in a file is not held in memory", () => {
  using shelf = openShelf("file");
  const [message] = MESSAGES.slice(2).map(shelf.keep);
  const held = Object.entries(Object.getOwnPropertyDescriptors(message)).filter(
    ([, { get }]) => get === undefined,
  );
  expect(held.map(([key]) => key)).toEqual(["id", "role", "toolCallId"]);
});

test.each(SHELVES)("a message of a shelf %s can have other content", (_, open) => {
  using shelf = open();
  const [, , result] = MESSAGES.map(shelf.keep);
  if (result === undefined) throw new Error("there is no result");
  const changed = withContent(
    withContent(result, (content) => [...content, ...content]),
    (content) => content.slice(1),
  );
  expect({ ...changed }).toEqual(MESSAGES[2]);
  expect({ ...withContent(result, () => []) }).toEqual({ ...MESSAGES[2], content: [] });
});

test("only a long text needs the file, as long as the outlines fit into memory", () => {
  const shelf = openShelf("file");
  const [short, , long] = MESSAGES.map(shelf.keep);
  const missing = openShelf("file", 0);
  const [none] = MESSAGES.map(missing.keep);
  shelf[Symbol.dispose]();
  missing[Symbol.dispose]();
  expect(short?.content).toEqual(MESSAGES[0]?.content);
  expect(long?.content).toEqual(MESSAGES[2]?.content);
  expect(() => JSON.stringify(long)).toThrow("EBADF");
  expect(() => none?.content).toThrow("EBADF");
});

const GIGABYTE = 1024 ** 3;
const FOUND = { agent: "opencode", sessionId: "ses_1", archived: false, live: null, problems: [] } as const;

test.each([
  ["a short session of a large database", "a.db", GIGABYTE, 1000, false],
  ["a long session", "a.jsonl", GIGABYTE, GIGABYTE, true],
  ["a compressed file that may expand", "a.jsonl.zst", GIGABYTE / 100, 1000, true],
])("%s is held in memory only if it is short itself", (_name, path, fileBytes, sizeBytes, isInFile) => {
  const file = { path, sizeBytes: fileBytes, mtimeMs: 0, ctimeMs: 0, inode: 1 };
  expect(isLarge({ ...FOUND, location: path, files: [file] }, { sizeBytes })).toBe(isInFile);
});
