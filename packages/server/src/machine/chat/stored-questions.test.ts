import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerQuestion } from "@continuo/agents/conversations";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { answerElsewhere, questionsElsewhere } from "./stored-questions.ts";

test.each([
  [
    "the agent that asks",
    "agents: { claude: { permissions: { timeout_ms: 1000 } }, codex: { permissions: { timeout_ms: 7000 } } }",
    7_000,
  ],
  [
    "every agent, where it has none of its own",
    "agents: { claude: { permissions: { timeout_ms: 1000 } } }",
    600_000,
  ],
  ["every agent, where the configuration cannot be read", "agents: [", 600_000],
])("a question of another process can be answered within the time limit of %s", async (_, yaml, limitMs) => {
  const home = scratchFolder("stored-questions");
  mkdirSync(join(home, ".continuo"));
  writeFileSync(join(home, ".continuo/continuo.yaml"), yaml);
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const data = { approvalId: "q", toolName: "bash", options: [] };
  await store.append(sessionId, [{ type: "approval_requested", runId: "r", data }]);
  const [asked] = (await store.read(sessionId, { types: ["approval_requested"] })).events;
  const questions = await questionsElsewhere({
    store,
    sessionId,
    runId: "r",
    places: { home, cwd: home, env: {} },
    agent: "codex",
    cwd: null,
  });
  expect(questions.map(({ approvalId, until }) => [approvalId, Date.parse(until)])).toEqual([
    ["q", Date.parse(asked?.occurredAt ?? "") + limitMs],
  ]);
});

test("an answer is a conflict if another program answered after the question was read", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const [runId, approvalId] = ["r", "q"];
  const input = [{ type: "text", text: "why?" }] as const;
  await store.append(
    sessionId,
    [
      { type: "run_created", runId, data: { runId, input, agent: "robot" } },
      { type: "run_started", runId, data: { runId } },
      { type: "approval_requested", runId, data: { approvalId, toolName: "bash", options: [] } },
    ],
    {
      also: [
        { type: "new_run", run: { runId, input, agent: "robot" } },
        { type: "run", runId, to: "running" },
      ],
    },
  );
  const question = { sessionId, runId, approvalId };
  const other: Store = Object.assign(Object.create(store) as Store, {
    latestSequence: async (logId: string) => {
      await answerQuestion({ store, ...question }, { outcome: "denied", by: "person" });
      return await store.latestSequence(logId);
    },
  });
  const page = { id: "page-1", name: "Firefox on Linux" };
  const answer = { given: { approvalId, outcome: "granted", page }, lasting: "allowed" } as const;
  await expect(answerElsewhere({ store: other, sessionId, runId }, answer)).rejects.toMatchObject({
    code: "conflict",
  });
  // Later, the question is no longer open.
  await expect(answerElsewhere({ store, sessionId, runId }, answer)).rejects.toMatchObject({
    code: "not_found",
  });
});
