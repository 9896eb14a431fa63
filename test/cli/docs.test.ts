import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toTriedTests } from "../../scripts/editors-page.ts";

test("docs/cli.md has the text of --help", () => {
  const script = join(import.meta.dirname, "../../scripts/docs.ts");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});

test("a test with several agents is in docs/editors.md only with every one of them", () => {
  const source = `
test("one thing works", () => {});
test.each([["codex"], ["pi"]] as const)(
  "a session of %s works",
  () => {},
);`;
  expect(toTriedTests(source)).toEqual([
    { title: "one thing works", titles: ["one thing works"] },
    {
      title: "a session of Codex and pi works",
      titles: ["a session of codex works", "a session of pi works"],
    },
  ]);
  const computed = 'test.each(AGENTS)("a session of %s works", () => {});';
  expect(() => toTriedTests(computed)).toThrow(/are not a list of texts/u);
});
