import type { PermissionDecision, PermissionRequest } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  answerQuestion,
  openQuestionsOf,
  type StoredQuestion,
  storedAnswer,
  withSharedAnswers,
} from "./shared-questions.ts";

const REQUEST: PermissionRequest = { approvalId: "q", toolName: "bash", readOnly: false, options: [] };
const GRANTED: PermissionDecision = { outcome: "granted", by: "person" };

let store: OpenedStore;
let question: StoredQuestion;
beforeEach(async () => {
  store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  question = { store, sessionId, runId: "r", approvalId: "q" };
  const input = [{ type: "text", text: "why?" }] as const;
  const { approvalId, toolName, options } = REQUEST;
  await store.append(
    sessionId,
    [
      { type: "run_created", runId: "r", data: { runId: "r", input } },
      { type: "approval_requested", runId: "r", data: { approvalId, toolName, options } },
    ],
    {
      also: [
        { type: "new_run", run: { runId: "r", input } },
        { type: "run", runId: "r", to: "running" },
      ],
    },
  );
});
afterEach(() => store.close());

/**
 * Asks in this process, where the decision is given at once. With `null`, nobody here answers before the question is
 * over.
 */
async function asked(decision: PermissionDecision | null): Promise<PermissionDecision> {
  const ask = withSharedAnswers(
    (_, { signal }) =>
      decision === null
        ? new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(new Error("no longer asked"))),
          )
        : Promise.resolve(decision),
    async () => question,
  );
  return await ask(REQUEST, { signal: new AbortController().signal });
}

test("the answer of a person is stored, and a later answer of another program does not count", async () => {
  expect(await asked(GRANTED)).toMatchObject({ outcome: "granted", recorded: true });
  expect(await openQuestionsOf(question)).toEqual([]);
  expect(await answerQuestion(question, { outcome: "denied", by: "person" })).toMatchObject({
    decision: { outcome: "granted" },
    isGiven: false,
  });
});

test("the answer that another program stored counts for the person who is asked here", async () => {
  const answer = asked(null);
  expect((await openQuestionsOf(question)).map(({ approvalId }) => approvalId)).toEqual(["q"]);
  await answerQuestion(question, { outcome: "denied", by: "person", reason: "not now" });
  expect(await answer).toMatchObject({ outcome: "denied", by: "person", reason: "not now" });
});

test.each<PermissionDecision>([
  { outcome: "granted", by: "policy" },
  { outcome: "cancelled", by: "person" },
])("an answer that no person gave is not stored as that of a person: %j", async (decision) => {
  expect(await asked(decision)).toEqual(decision);
  expect(await storedAnswer(question)).toBeNull();
});

test("a question of a run that has ended can no longer be answered", async () => {
  const ended = { type: "run_completed", runId: "r", data: { runId: "r" } };
  await store.append(question.sessionId, [ended], { also: [{ type: "run", runId: "r", to: "completed" }] });
  expect(await answerQuestion(question, GRANTED)).toBeNull();
  expect(await storedAnswer(question)).toBeNull();
});

test("an answer is stored although another event is stored at the same moment", async () => {
  let others = 0;
  const busy: OpenedStore = Object.create(store, {
    latestSequence: {
      value: async (logId: string) => {
        const latest = await store.latestSequence(logId);
        if (others++ === 0) await store.append(logId, [{ type: "custom", data: { name: "e" } }]);
        return latest;
      },
    },
  });
  expect(await answerQuestion({ ...question, store: busy }, GRANTED)).toMatchObject({ isGiven: true });
  expect(await storedAnswer(question)).toMatchObject({ outcome: "granted", by: "person" });
});
