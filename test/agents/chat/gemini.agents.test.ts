/**
 * `continuo chat` with Gemini CLI, which by itself leaves additional session files: with Continuo each chat has one
 * file, and continues without a wait.
 */

import { expect, test } from "vitest";
import { text } from "../../model-servers/index.ts";
import { sessionFilesIn } from "../gemini/driver.ts";
import { nativeIn, stage } from "./stage.ts";

const SCRIPT = {
  turns: [
    { user: "One.", answers: [[text("First.")]] },
    { user: "Two.", answers: [[text("Second.")]] },
    { user: "Three.", answers: [[text("Third.")]] },
  ],
};

test("a session can be continued at once, even in the minute in which it began, and leaves no second file", async () => {
  await using on = await stage(["gemini"], SCRIPT);
  const home = `${on.sandbox.root}/gemini-home`;
  const first = await on.continuo("chat", "One.");
  expect(first.code, first.stderr).toBe(0);
  expect(await sessionFilesIn(home)).toHaveLength(1);
  for (const [words, answer] of [
    ["Two.", "Second."],
    ["Three.", "Third."],
  ] as const) {
    const { code, stdout, stderr } = await on.continuo("chat", "--continue", words);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${answer}\n` });
    expect(stderr).toContain(`resumed gemini:${nativeIn(first.stderr, "gemini")}`);
    expect(stderr).not.toContain("waiting");
    expect(await sessionFilesIn(home)).toHaveLength(1);
  }
  const said = on.newest().map(([, words]) => words);
  expect(said.join("\n")).toMatch(/One\..*First\..*Two\..*Second\..*Three\./su);
  const other = await on.continuo("chat", "One.");
  expect(other.code, other.stderr).toBe(0);
  expect(await sessionFilesIn(home)).toHaveLength(2);
});
