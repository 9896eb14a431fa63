import type { PermissionOption, PermissionRequest } from "@continuo/core/model";
import { expect, test } from "vitest";
import { paintFor, widthOf } from "../../terminal/index.ts";
import { answerOf, choicesOf, drawQuestion, oneKeyIn } from "./question.ts";
import { drawRequest } from "./request.ts";
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

const paint = paintFor({ hasColours: false });
const draw = (asked: PermissionRequest, columns: number, hidden = 0): readonly string[] =>
  drawQuestion(asked, { columns, paint, leftMs: 61_000, hidden });

test("a question shows its keys, and each lasting option with its own words on a line that fits", () => {
  expect(draw(request([]), 100)).toEqual(["? allow Bash? [y]es [n]o · denied in 1:01"]);
  expect(draw(request(ALL), 100)).toEqual([
    "? allow Bash? [y]es [n]o · denied in 1:01",
    "  [a] allow: 2",
    "  [d] refuse: 4",
  ]);
  for (const columns of [20, 40, 59, 60, 79]) {
    for (const line of draw(request(ALL, "日本語".repeat(50)), columns)) {
      expect(widthOf(line)).toBeLessThan(columns);
    }
  }
});

test("each of several lasting options of one kind has a number, and only the option whose number is pressed is granted", () => {
  const rules = ["npm test, in this session", "npm:*, always in this project"];
  const asked = request([...ALL, ...rules.map((name) => ({ ...option(name, "allow_always"), name }))]);
  expect(choicesOf(asked).map(({ key, option: { id } }) => [key, id])).toEqual([
    ["1", "2"],
    ["2", "4"],
    ["3", "npm test, in this session"],
    ["4", "npm:*, always in this project"],
  ]);
  expect(answerOf("4", asked)).toMatchObject({
    outcome: "granted",
    optionId: "npm:*, always in this project",
  });
  expect(answerOf("2", asked)).toMatchObject({ outcome: "denied", optionId: "4" });
  expect(answerOf("a", asked)).toBeNull();
  expect(draw(asked, 60)).toContain("  [3] allow: npm test, in this session");
});

test("while lines are hidden the question counts them, and offers neither yes nor a lasting option", () => {
  expect(draw(request(ALL), 100, 12)).toEqual([
    "? allow Bash? [v]iew 12 more lines first [n]o · denied in 1:01",
  ]);
});

const bash = (command: string): PermissionRequest => ({ ...request(ALL), toolInput: { command } });
const pen = { columns: 60, paint };

test("a request is drawn completely: the question shows what the line of its call leaves out", () => {
  expect(drawRequest(bash("make test"), pen)).toEqual({ shown: [], hidden: [] });
  expect(drawRequest(bash("make\nrm -rf ~"), pen).shown).toEqual(["  command:", "    make", "    rm -rf ~"]);
  const long = `echo ${"x".repeat(100)}; rm -rf ~`;
  expect(drawRequest(bash(long), pen).shown.join("").replaceAll("  ", "")).toContain("rm -rf ~");
  const reason = { ...bash("make"), title: "make - it needs the network" };
  expect(drawRequest(reason, pen).shown).toEqual(["  make - it needs the network", "  command: make"]);
});

test("a call that was allowed before in a turn that was cut off says above its request that it may have run", () => {
  const again = { ...bash("make\nrm -rf ~"), grantedBefore: "q" };
  expect(drawRequest(again, pen).shown.map((line) => line.trimEnd())).toEqual([
    "  allowed before, in a turn that was cut off: it may",
    "  already have run",
    ...drawRequest(bash("make\nrm -rf ~"), pen).shown,
  ]);
  for (const columns of [12, 40]) {
    for (const line of drawRequest({ ...bash("make"), grantedBefore: "q" }, { columns, paint }).shown)
      expect(widthOf(line)).toBeLessThan(columns);
  }
});

test("the rest of a long request is hidden until a person asks for it, and nothing of it is lost", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  const { shown, hidden } = drawRequest(bash(lines.join("\n")), pen);
  expect([...shown, ...hidden]).toEqual(["  command:", ...lines.map((line) => `    ${line}`)]);
  expect(hidden.length).toBeGreaterThan(0);
});

test("a diff that was cut above the question must be shown completely before yes counts, and a complete one is not repeated", () => {
  const edit = (newText: string): PermissionRequest => ({
    ...request(ALL, "Edit"),
    toolInput: { file_path: "a.ts", old_string: "x", new_string: newText },
  });
  expect(drawRequest(edit("y"), pen)).toEqual({ shown: [], hidden: [] });
  const many = Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n");
  expect(drawRequest(edit(many), pen).hidden).toContain("  + line 199");
  const wide = `${"x".repeat(100)} rm -rf ~`;
  expect(
    drawRequest(edit(wide), pen)
      .hidden.map((line) => line.trim())
      .join(""),
  ).toContain("rm -rf ~");
});

test("the requested text cannot draw over the question", () => {
  const { shown } = drawRequest(bash("a\u001b[2J\nb\u202e"), pen);
  for (const hostile of ["\u001b", "\u202e"]) expect(shown.join("")).not.toContain(hostile);
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
    "session s1 · replayed the conversation to claude · 3 messages left out · There is no native session.",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "agent and disk", replayedAs: "session" },
    "session s1 · replayed the conversation to claude:4bf3 (as a session of its own, checked by agent and disk)",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "none", replayedAs: "session" },
    "session s1 · replayed the conversation to claude:4bf3 (as a session of its own)",
  ],
  [
    { requested: "auto", happened: "replay", ref, verifiedBy: "agent", replayedAs: "text" },
    "session s1 · replayed the conversation to claude:4bf3 (as text of the prompt)",
  ],
  [
    { requested: "auto", happened: "native", ref, verifiedBy: "agent", forked: { from: "4bf2", to: "4bf3" } },
    "session s1 · resumed claude:4bf3 (checked by agent) · the agent continued in another session than 4bf2",
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

test.each([100, 80, 50])(
  "the question about a change names its file, or the end of its path, at %i columns",
  (columns) => {
    const path = "packages/agents/src/catalog/prices.ts";
    const asked = {
      approvalId: "1",
      toolName: "Write",
      readOnly: false,
      options: [],
      toolInput: { file_path: path },
    };
    const lines = drawQuestion(asked, { columns, paint: (text) => text, leftMs: 600_000 });
    const [, shown = ""] = /allow Write …?(\S*)\?/u.exec(lines.join(" ")) ?? [];
    expect(path.endsWith(shown)).toBe(true);
    expect(shown).toContain("prices.ts");
    expect(lines.filter((line) => line.length >= columns)).toEqual([]);
  },
);
