import { shippedPrices } from "@continuo/agents/catalog";
import {
  type CachedHistory,
  changedFiles,
  changesOfFile,
  createCachedHistory,
  HISTORY_LIMITS,
  outlineOf,
  windowOf,
} from "@continuo/agents/pages";
import type { Message } from "@continuo/core/model";
import type { HistoryWindow } from "@continuo/core/wire/machine";
import { afterEach, expect, test } from "vitest";
import type { CompleteHistory } from "../../packages/server/src/machine/history/history-reader.ts";
import { historyChangesOf } from "../../packages/server/src/machine/history-changes.ts";
import { imageIn, textIn } from "../../packages/server/src/machine/parts.ts";

const PRICES = { own: {}, list: shippedPrices() };

const NAME = { key: "pi:1" };
let kept: CachedHistory;
afterEach(() => kept[Symbol.dispose]());

function message(id: string, role: Message["role"], more: Partial<Message> = {}): Message {
  return { id, role, content: [{ type: "text", text: id }], metadata: {}, ...more };
}

/** Makes a history with one message for each letter; a capital letter is a message of a person. */
function keep(letters: string, more: Readonly<Record<string, Partial<Message>>> = {}): CachedHistory {
  kept = createCachedHistory("g", PRICES);
  for (const id of letters) kept.put(message(id, id < "a" ? "user" : "assistant", more[id]));
  kept.settle();
  return kept;
}

function idsOf({ messages }: Pick<HistoryWindow, "messages">): string {
  return messages.map(({ message: { id } }) => id).join("");
}

test("a window is before, after or around a message, and tells whether there is more on either side", () => {
  keep("AbcDefGhi");
  const window = (query: Parameters<typeof windowOf>[2]): unknown => {
    const one = windowOf(kept, NAME, query);
    return [idsOf(one), one.hasOlder, one.hasNewer];
  };
  expect(window({ limit: 3 })).toEqual(["Ghi", true, false]);
  expect(window({ limit: 3, before: "G" })).toEqual(["Def", true, true]);
  expect(window({ limit: 9, before: "D" })).toEqual(["Abc", false, true]);
  expect(window({ limit: 3, after: "c" })).toEqual(["Def", true, true]);
  expect(window({ limit: 9, after: "f" })).toEqual(["Ghi", true, false]);
  expect(window({ limit: 3, around: "turn:2" })).toEqual(["Def", true, true]);
  expect(window({ limit: 8, around: "f" })).toEqual(["Defghi".replace("g", "G"), true, false]);
  expect(windowOf(kept, NAME, { limit: 9 }).messages.map(({ turn, turnId }) => `${turn}${turnId}`)).toEqual([
    "1A",
    "1A",
    "1A",
    "2D",
    "2D",
    "2D",
    "3G",
    "3G",
    "3G",
  ]);
  for (const around of ["z", "turn:4", "turn:0"]) {
    expect(() => windowOf(kept, NAME, { around })).toThrow(expect.objectContaining({ code: "not_found" }));
  }
});

test("an outline has the turns before a number, and says whether there are older ones", () => {
  keep("AbCdEf", { d: { origin: "summary" } });
  const outline = outlineOf(kept, { before: 3, limit: 1 }, null);
  expect(outline.turns.map(({ number, id }) => [number, id])).toEqual([[2, "C"]]);
  expect([outline.total, outline.hasOlder]).toEqual([3, true]);
  expect(outline.marks).toMatchObject([{ type: "compaction", turn: 2, messageId: "d" }]);
  expect(outlineOf(kept, {}, null).hasOlder).toBe(false);
});

test("a message that changed changes the facts of its turn, and keeps its place", () => {
  keep("AbC", { b: { usage: { inputTokens: 5, outputTokens: 0 } } });
  kept.put(message("b", "assistant", { usage: { inputTokens: 7, outputTokens: 1 } }));
  kept.settle();
  expect([kept.length, kept.turns.map(({ tokens }) => tokens)]).toEqual([3, [8, 0]]);
});

test("changes since a position come in order, and a position of another read gives a reset", () => {
  keep("Abc");
  const whole = { kept } as CompleteHistory;
  const before = { generation: "g", revision: kept.revision };
  expect(historyChangesOf(whole, NAME, before)).toEqual({ news: [], seen: before, isMore: false });
  kept.put(message("D", "user"));
  kept.put(message("b", "assistant", { content: [{ type: "text", text: "changed" }] }));
  const { news, seen, isMore } = historyChangesOf(whole, NAME, before);
  expect([news.length, isMore, seen.revision]).toEqual([1, false, kept.revision]);
  expect(idsOf(news[0] as unknown as HistoryWindow)).toBe("Db");
  const other = { generation: "other", revision: 1 };
  expect(historyChangesOf(whole, NAME, other).news).toEqual([
    { type: "reset", position: `g.${kept.revision}` },
  ]);
});

test("changes that do not fit in one answer follow in the next one", () => {
  keep("A");
  const whole = { kept } as CompleteHistory;
  let seen = { generation: "g", revision: kept.revision };
  for (let n = 0; n < 150; n++) kept.put(message(`m${n}`, "assistant"));
  const ids: string[] = [];
  for (let isMore = true; isMore; ) {
    const answer = historyChangesOf(whole, NAME, seen);
    for (const one of answer.news)
      ids.push(...(one as unknown as HistoryWindow).messages.map((m) => m.message.id));
    ({ seen, isMore } = answer);
  }
  expect(ids).toEqual(Array.from({ length: 150 }, (_, n) => `m${n}`));
});

const EDIT = {
  type: "tool_call",
  name: "Edit",
  args: { file_path: "/a", old_string: "x", new_string: "y\nz" },
};

test("lines of the changes of a file are added up, and those of calls that failed are left out", () => {
  const call = (id: string): Message =>
    message(id, "assistant", { content: [{ ...EDIT, id }] as Message["content"] });
  const result = (id: string, isError: boolean): Message =>
    message(`${id}r`, "tool", {
      content: [
        { type: "tool_result", toolCallId: id, content: [], isError },
      ] as unknown as Message["content"],
    });
  kept = createCachedHistory("g", PRICES);
  const all = [
    message("A", "user"),
    call("1"),
    result("1", false),
    call("2"),
    result("2", true),
    call("3"),
    result("3", false),
  ];
  for (const one of all) kept.put(one);
  kept.settle();
  expect(changedFiles(kept).files).toMatchObject([{ path: "/a", changes: 2, added: 4, removed: 2 }]);
  expect(outlineOf(kept, {}, null).turns).toMatchObject([{ errors: 1, toolCalls: 3 }]);
  const rest = changesOfFile(kept, "/a", 1);
  expect([rest.total, rest.changes.map(({ messageId }) => messageId)]).toEqual([3, ["2", "3"]]);
  expect(() => changesOfFile(kept, "/b")).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("a commit that a call made is marked in its turn", () => {
  const block = { type: "tool_call", id: "1", name: "Bash", args: { command: "git commit -m x" } };
  const text = "[main 1a2b3c4] Fix the parser\n 1 file changed";
  const result = { type: "tool_result", toolCallId: "1", content: [{ type: "text", text }], isError: false };
  keep("Abc", {
    b: { content: [block] as Message["content"] },
    c: { content: [result] as unknown as Message["content"] },
  });
  expect(outlineOf(kept, {}, null).marks).toMatchObject([
    { type: "commit", turn: 1, text: "1a2b3c4 Fix the parser" },
  ]);
});

test("the rest of a long text is handed out from any place, up to the limit of an answer", () => {
  const { textAnswerChars } = HISTORY_LIMITS;
  const long = `${"a".repeat(textAnswerChars)}${"b".repeat(textAnswerChars)}c`;
  keep("Ab", { b: { content: [{ type: "text", text: long }] } });
  const rest = (from: number): unknown => textIn(kept, { messageId: "b", path: "content/0/text", from });
  const total = long.length;
  expect(rest(textAnswerChars)).toEqual({ text: "b".repeat(textAnswerChars), from: textAnswerChars, total });
  expect(rest(total - 1)).toEqual({ text: "c", from: total - 1, total });
});

test("only texts and images of the content are handed out, and no image that could run something", () => {
  const image = (mimeType: string) => ({ type: "image", mimeType, data: "aGk=" });
  const content = [{ type: "text", text: "hello" }, image("image/png"), image("image/svg+xml")];
  keep("Ab", { b: { content: content as Message["content"], metadata: { pi: { secret: "text" } } } });
  const text = (path: string, from = 0): unknown => textIn(kept, { messageId: "b", path, from });
  expect(text("content/0/text", 2)).toEqual({ text: "llo", from: 2, total: 5 });
  expect(() => text("content/0/text", 6)).toThrow(expect.objectContaining({ code: "out_of_range" }));
  const missing = expect.objectContaining({ code: "not_found" });
  for (const path of ["metadata/pi/secret", "id", "content/1"]) expect(() => text(path)).toThrow(missing);
  expect(imageIn(kept, { messageId: "b", path: "content/1" })).toMatchObject({ mimeType: "image/png" });
  expect(() => imageIn(kept, { messageId: "b", path: "content/2" })).toThrow(missing);
});
