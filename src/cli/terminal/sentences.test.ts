import { expect, test } from "vitest";
import { sentenceLines } from "./sentences.ts";
import type { Shell } from "./shell.ts";

function linesAt(columns: number | null, text: string): readonly string[] {
  const stream = (columns === null ? { isTTY: false } : { isTTY: true, columns }) as NodeJS.WriteStream;
  const shell = { env: { NO_COLOR: "1" } } as unknown as Shell;
  return sentenceLines([{ text }], shell, stream).map((line) => line.trimEnd());
}

const HINT = "Create it again, or run `continuo handoff 601e98ac --to claude`.";

test("a sentence breaks between words on a terminal, and is one line elsewhere", () => {
  expect(linesAt(20, "there is no session that anybody could open")).toEqual([
    "there is no session",
    "that anybody could",
    "open",
  ]);
  expect(linesAt(null, HINT)).toEqual([HINT]);
});

test("a command stays on one line if it fits", () => {
  expect(linesAt(50, HINT)).toEqual(["Create it again, or run", "`continuo handoff 601e98ac --to claude`."]);
  expect(linesAt(24, HINT)).toEqual([
    "Create it again, or run",
    "`continuo handoff",
    "601e98ac --to claude`.",
  ]);
});
