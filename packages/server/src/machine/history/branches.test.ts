import { lookUp, shippedPrices } from "@continuo/agents/catalog";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import type { SessionBranches } from "@continuo/core/wire/machine";
import { expect, onTestFinished, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome } from "../../../../../test/cli/home.ts";
import { branchesOf } from "./branches.ts";

/** A session whose first prompt has this number of answers. */
async function branchesWith(answers: number): Promise<SessionBranches> {
  using home = createHome();
  const time = "10:00:00";
  const content = [{ type: "text", text: "Yes." }];
  const lines = Array.from({ length: answers }, (_, at) => {
    return { uuid: `a${at}`, parent: "q", role: "assistant" as const, content, time };
  });
  const first = { uuid: "q", parent: null, role: "user" as const, content: "Ask", time };
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, [first, ...lines]));
  const places = { home: home.path, cwd: home.path, env: {} };
  const key = `claude:${CLAUDE_ID}`;
  const locate = async () => await lookUp(key, { places, store: null, examples: "without examples" });
  const prices = { own: {}, list: shippedPrices() };
  return await branchesOf({ key, view: "history", places, prices, locate }, new AbortController().signal);
}

test.each([
  [2, 0],
  [HISTORY_LIMITS.branches + 3, 3],
])("of %i branches, %i are not read, and they are counted", async (answers, left) => {
  const branches = await branchesWith(answers);
  expect(branches.branches).toHaveLength(answers - left);
  expect(branches.left).toBe(left);
});

test("the active branch is read even if it is longer than the limit of messages", async () => {
  const limits: { branchMessages: number } = HISTORY_LIMITS;
  const { branchMessages } = limits;
  onTestFinished(() => {
    limits.branchMessages = branchMessages;
  });
  limits.branchMessages = 1;
  const { branches, left } = await branchesWith(3);
  expect([branches.length, left]).toEqual([1, 2]);
});
