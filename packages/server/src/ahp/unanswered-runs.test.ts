/** Prompts without a complete answer are among the turns, each once, with the reason for their end. */

import type { ChatRun } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import type { ChatTurn } from "./protocol.ts";
import { withUnanswered } from "./unanswered-runs.ts";

const at = (second: number): string => `2026-11-27T10:00:0${second}.000Z`;
const turn = (id: string, second: number, text: string): ChatTurn => ({
  id,
  startedAt: at(second),
  message: { text, origin: { kind: "user" } },
  responseParts: [{ kind: "markdown", id: `${id}.0`, content: "so far" }],
  usage: undefined,
  duration: 0,
  state: "complete",
});
const run = (runId: string, second: number, text: string, more: Partial<ChatRun> = {}): ChatRun => ({
  runId,
  status: "interrupted",
  agent: "robot",
  text,
  at: at(second),
  message: "the process ended",
  ...more,
});
const shown = (turns: readonly ChatTurn[]): readonly string[] =>
  turns.map(({ id, state, responseParts }) => `${id} ${state} ${responseParts.length}`);

const ANSWERED = turn("a", 1, "first");
const BEGUN = turn("b", 4, "again");

test.each([
  [
    "a run that was never started is a turn of its own",
    [ANSWERED],
    [run("r", 3, "second")],
    ["a complete 1", "r error 1"],
  ],
  [
    "a run that said something ends its own turn",
    [ANSWERED, BEGUN],
    [run("r", 3, "again")],
    ["a complete 1", "b error 2"],
  ],
  [
    "a run that was never started stands before a later one that was",
    [ANSWERED, BEGUN],
    [run("r1", 2, "again and again"), run("r2", 3, "again")],
    ["a complete 1", "r1 error 1", "b error 2"],
  ],
  [
    "two runs with the same words are two turns",
    [BEGUN],
    [run("r1", 2, "again"), run("r2", 5, "again")],
    ["b error 2", "r2 error 1"],
  ],
  [
    "each of two runs with the same words ends the turn in which it said something",
    [turn("b1", 4, "again"), turn("b2", 6, "again")],
    [run("r1", 2, "again"), run("r2", 3, "again")],
    ["b1 error 2", "b2 error 2"],
  ],
  [
    "an earlier turn with the same words is another one",
    [turn("a", 1, "again")],
    [run("r", 3, "again")],
    ["a complete 1", "r error 1"],
  ],
  [
    "a run without words, whose turn is unknown, claims no other turn",
    [BEGUN],
    [run("r", 3, "")],
    ["r error 1", "b complete 1"],
  ],
  [
    "a cancelled run has no error",
    [BEGUN],
    [run("r", 3, "again", { status: "cancelled" })],
    ["b cancelled 1"],
  ],
] as const)("%s", (_, turns, runs, expected) => {
  const all = withUnanswered(turns, runs, new Set());
  expect(shown(all)).toEqual(expected);
  expect(withUnanswered(all, [], new Set())).toBe(all);
});

test("a run whose end was already shown changes nothing", () => {
  const turns = [ANSWERED];
  expect(withUnanswered(turns, [run("r", 3, "second")], new Set(["r"]))).toBe(turns);
});
