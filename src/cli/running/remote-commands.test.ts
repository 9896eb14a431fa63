import { expect, test } from "vitest";
import { isAnswered } from "./remote-commands.ts";

const split = (line: string): readonly string[] => line.split(" ");

test.each([
  ["list"],
  ["session list --json --all"],
  ["list claude continuo CODEX"],
  ["list --title retry --limit=3 --here --exact"],
  ["list --since 2d --sort size --archived --empty"],
  ["search retry backoff agent:codex"],
  ["search --json --limit 5 retry"],
])("a running process answers `%s`", (line) => {
  expect(isAnswered(split(line))).toBe(true);
});

test.each([
  ["show last"],
  ["session check"],
  ["session"],
  ["list --has-problems"],
  ["list --limit=3 --has-problems"],
  ["list --model opus"],
  ["list --agent goose"],
  ["list goose"],
  ["list --help"],
  ["search --regex (a+)+$"],
  ["search --timeout 5s retry"],
  ["search retry -h"],
  ["search retry --debug"],
  ["search constructor --toString"],
  ["resume"],
  [""],
])("a running process does not answer `%s`", (line) => {
  expect(isAnswered(split(line))).toBe(false);
});
