import { expect, test } from "vitest";
import type { PermissionOption, PermissionRequest } from "../../../model/index.ts";
import { paintFor, widthOf } from "../../terminal/index.ts";
import { answerOf, drawQuestion, oneKeyIn, questionKeys } from "./question.ts";
import { describeResumption } from "./resumption.ts";

const option = (id: string, kind: PermissionOption["kind"]): PermissionOption => ({ id, name: id, kind });
const ALL = [
  option("1", "allow_once"),
  option("2", "allow_always"),
  option("3", "reject_once"),
  option("4", "reject_always"),
];
const request = (options: readonly PermissionOption[], toolName = "Bash"): PermissionRequest => ({
  approvalId: "p",
  toolName,
  readOnly: false,
  options,
});

test.each([
  ["y", ALL, { outcome: "granted", by: "person", optionId: "1" }],
  ["A", ALL, { outcome: "granted", by: "person", optionId: "2" }],
  ["n", ALL, { outcome: "denied", by: "person", optionId: "3" }],
  ["d", ALL, { outcome: "denied", by: "person", optionId: "4" }],
  ["\u001b", ALL, { outcome: "denied", by: "person", optionId: "3" }],
  ["y", [], { outcome: "granted", by: "person" }],
  ["a", ALL.slice(0, 1), null],
  ["d", [], null],
  ["x", ALL, null],
  ["\r", ALL, null],
  ["yes, all of it", ALL, null],
])("the key %j with these options: %j", (key, options, decision) => {
  expect(answerOf(key, request(options))).toEqual(decision);
});

test("what can be pressed is shown, and fits the line", () => {
  const paint = paintFor({ hasColours: false });
  const draw = (asked: PermissionRequest, columns: number): readonly string[] =>
    drawQuestion(asked, { columns, paint, leftMs: 61_000 });
  expect(questionKeys(request([]))).toEqual(["y", "n"]);
  expect(draw(request(ALL), 100)).toEqual(["? allow Bash? [y]es [a]lways [n]o [d] never · denied in 1:01"]);
  expect(draw(request(ALL.slice(0, 2), "\u001b[2J".repeat(50)), 79)).toHaveLength(1);
  expect(draw(request(ALL), 24)).toEqual([
    "? allow Bash? [y]es ",
    "[a]lways [n]o [d] never",
    "· denied in 1:01",
  ]);
  for (const columns of [4, 20, 40, 59, 60, 79]) {
    for (const line of draw(request(ALL, "日本語".repeat(50)), columns)) {
      expect(widthOf(line)).toBeLessThan(columns);
    }
  }
});

const ref = { agent: "claude", sessionId: "4bf3", location: null, cwd: "/a" };

test.each([
  [
    { requested: "auto", happened: "native", ref, verifiedBy: "agent and disk" },
    "session s1 · resumed claude:4bf3 (checked by agent and disk)",
  ],
  [
    { requested: "native", happened: "native", ref, verifiedBy: "none" },
    "session s1 · resumed claude:4bf3 (not checked)",
  ],
  [{ requested: "new", happened: "new", ref, verifiedBy: "agent" }, "session s1 · new claude:4bf3"],
  [{ requested: "new", happened: "new", verifiedBy: "none" }, "session s1"],
  [
    {
      requested: "auto",
      happened: "replay",
      verifiedBy: "none",
      reason: "There is no native session.",
      omitted: { messages: 3 },
    },
    "session s1 · told all that was said to claude · 3 messages left out · There is no native session.",
  ],
  [
    { requested: "auto", happened: "native", ref, verifiedBy: "agent", forked: { from: "4bf2", to: "4bf3" } },
    "session s1 · resumed claude:4bf3 (checked by agent) · it answers from another session than 4bf2",
  ],
  [
    {
      requested: "auto",
      happened: "native",
      ref,
      verifiedBy: "agent",
      steps: [
        { step: "session/load", outcome: "not offered" },
        { step: "session/resume", outcome: "done" },
        { step: "other", outcome: "skipped" },
      ],
    },
    "session s1 · resumed claude:4bf3 (checked by agent) · session/load not offered, session/resume done",
  ],
] as const)("%j in one line", (resumption, line) => {
  expect(describeResumption({ sessionId: "s1", agent: "claude", resumption, ids: "whole" })).toBe(line);
});

test.each([
  ["y", "y"],
  ["yyy", "y"],
  ["y\r", "y"],
  ["\r", "\r"],
  ["\u001b[A", "\u001b[A"],
  ["\u001b[A\u001b[A", "\u001b[A"],
  ["\u001b[1;5D", "\u001b[1;5D"],
  ["\u001bOA", "\u001bOA"],
  ["\u001b", "\u001b"],
  ["\u001by", "\u001by"],
  ["xy", null],
  ["\u001b[Ay", null],
  ["please\r", null],
  ["y\rn", null],
  ["", null],
])("%j is the key %j", (text, key) => expect(oneKeyIn(text)).toBe(key));
