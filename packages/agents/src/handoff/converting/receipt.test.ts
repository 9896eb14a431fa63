import type { Block, RecordPlace } from "@continuo/core/model";
import { expect, test } from "vitest";
import { excessOf, linesOf, placeText, type ReceiptRecord, toldApart, toReceipt } from "./receipt.ts";

const text: Block = { type: "text", text: "a" };
const image: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
const unknown: Block = { type: "unknown", raw: 1 };
const result: Block = {
  type: "tool_result",
  toolCallId: "c",
  isError: false,
  content: [text, image, unknown],
};

function line(kind: ReceiptRecord["kind"], outcome: ReceiptRecord["outcome"]): ReceiptRecord {
  return { place: "line 1", kind, outcome, reason: outcome === "kept" ? "" : "why" };
}

const RECORDS: readonly ReceiptRecord[] = [
  line("text", "kept"),
  line("text", "kept"),
  line("text", "rewritten"),
  line("thinking", "noted"),
  line("thinking", "dropped"),
  line("thinking", "dropped"),
];

test("a receipt counts its records by outcome, and by kind", () => {
  expect(toReceipt(RECORDS)).toEqual({
    kept: 2,
    rewritten: 1,
    noted: 1,
    dropped: 2,
    byKind: {
      text: { kept: 2, rewritten: 1, noted: 0, dropped: 0 },
      thinking: { kept: 0, rewritten: 0, noted: 1, dropped: 2 },
    },
    records: RECORDS,
  });
  expect(toReceipt([])).toEqual({ kept: 0, rewritten: 0, noted: 0, dropped: 0, byKind: {}, records: [] });
});

test.each([
  ["no limit", {}, {}],
  ["a limit that is just reached", { thinking: 3 }, {}],
  ["a limit that is exceeded by one", { thinking: 2 }, { thinking: 3 }],
  ["limits of kinds that lost nothing", { text: 0, file: 0 }, {}],
])("what exceeds %s", (_name, maxLoss, excess) => {
  expect(excessOf(toReceipt(RECORDS), maxLoss)).toEqual(excess);
});

test.each(["text", "thinking", "tool_call", "tool_result", "image", "file", "other"] as const)(
  "a limit for %s is checked",
  (kind) => {
    expect(excessOf(toReceipt([line(kind, "dropped")]), { [kind]: 0 })).toEqual({ [kind]: 1 });
  },
);

test("a result has a line, and each part of it that is not text has one too", () => {
  expect(toldApart([text, result, image])).toEqual([text, result, image, unknown, image]);
  expect(linesOf([result], { place: "line 3", outcome: "noted", reason: "why" })).toEqual([
    { place: "line 3", kind: "tool_result", outcome: "noted", reason: "why" },
    { place: "line 3", kind: "image", outcome: "noted", reason: "why" },
    { place: "line 3", kind: "other", outcome: "noted", reason: "why" },
  ]);
});

test.each<readonly [string, readonly RecordPlace[] | undefined, string]>([
  ["no places", undefined, ""],
  ["an empty list", [], ""],
  ["lines", [{ line: 3 }, { line: 4 }], "line 3"],
  ["a line that is not known", [{}], "line ?"],
  ["a line of another file", [{ file: "b.jsonl", line: 3 }], "b.jsonl:3"],
  ["another file", [{ file: "b.jsonl" }], "b.jsonl:?"],
  ["a row", [{ row: "prt_1", file: "b.db", line: 3 }], "prt_1"],
])("%s as the place of a message", (_name, places, words) => {
  expect(placeText(places)).toBe(words);
});
