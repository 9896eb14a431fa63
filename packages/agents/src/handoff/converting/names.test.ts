import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { agentOf } from "@continuo/native";
import { expect, test } from "vitest";
import { createNames } from "./names.ts";

const idsFor = (to: AgentName, ids: readonly string[], taken: readonly string[] = []): string[] =>
  ids.map(createNames(agentOf(to).accepts, taken).callId);

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["an id that is used again gets a number that Claude Code reads as a part of it", ["c", "c"], ["c", "c-2"]],
  ["Claude Code would treat an id with a number at the end as a copy", ["c", "c_1"], ["c", "c_1-2"]],
  ["the copy may come first", ["c_10", "c"], ["c_10", "c-2"]],
  ["numbered ids without the bare one stay", ["c_0", "c_1", "c_2"], ["c_0", "c_1", "c_2"]],
  ["an id made acceptable is compared too", ["c", "c.1", "c:1"], ["c", "c_1-2", "c_1-3"]],
  ["a long id keeps its number", ["x".repeat(70), "x".repeat(70)], ["x".repeat(64), `${"x".repeat(62)}-2`]],
  ["other ends are safe", ["c", "c-2", "c2", "c_x", "c__2x"], ["c", "c-2", "c2", "c_x", "c__2x"]],
])("%s", (_name, ids, expected) => {
  expect(idsFor("claude", ids)).toEqual(expected);
});

test("Gemini CLI sends an id without the name in front, whichever came first", () => {
  expect(idsFor("gemini", ["look__c", "c", "d", "look__d"])).toEqual(["look__c", "c-2", "d", "look__d-2"]);
});

test.each(AGENT_NAMES)("%s: no id is given twice, whatever was used before", (to) => {
  const ids = ["c", "c", "c-2", "c_2", "c", ""];
  const made = idsFor(to, ids, ["c-3"]);
  expect(new Set([...made, "c-3"]).size).toBe(ids.length + 1);
});
