import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const CRASH = "test/runtime/calls-after-crash.test.ts";
const CODING = "test/runtime/asked-again.full.test.ts";

/** The first cell of each row, with the test that proves the row. */
const ROWS: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "model: the question is in the log, and not in the list yet": [
    CRASH,
    "a question that was only in the log is asked by the next process, for the same call",
  ],
  "model: the call waits for its answer": [
    "test/runtime/approvals.test.ts",
    "survives more ends of its process than a message has attempts",
  ],
  "model: the answer came, and the call has not begun": [
    CRASH,
    "answers for calls that had not begun when their process ended are used by the next one, without another question",
  ],
  "model: the call has begun and has no result": [
    CRASH,
    "a call that began before a crash has the same key in the next attempt, and its new question names the first",
  ],
  "model: the call was denied, and the log has it": [
    CRASH,
    "a process that begins after the result of a denied call does not ask about it again",
  ],
  "coding agent: the question waits for its answer": [
    CODING,
    "survives a kill of the program %s: the agent receives each answer once",
  ],
  "coding agent: the answer came after the crash": [
    CODING,
    "survives a kill of the program %s: the agent receives each answer once",
  ],
  "coding agent: the agent has received the answer": [
    CODING,
    "is asked again if the agent had received the answer before the program was killed",
  ],
  "coding agent: the call has its result in the log": [
    CODING,
    "a call that is repeated although it has a result is a new question, which names no earlier one",
  ],
};

test("each row of the table of kills in the guide has a test", () => {
  const guide = readFileSync(join(ROOT, "docs/guides/front-door.md"), "utf8");
  const rows = [...guide.matchAll(/^\| ((?:model|coding agent): [^|]+) \|/gmu)].map(([, cell]) => cell);
  expect(rows).toEqual(Object.keys(ROWS));
  const missing = Object.values(ROWS).filter(
    ([file, title]) => !readFileSync(join(ROOT, file), "utf8").includes(`"${title}"`),
  );
  expect(missing).toEqual([]);
});
