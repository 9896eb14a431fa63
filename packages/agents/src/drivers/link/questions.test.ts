import { type AgentEvent, ContinuoError, type PermissionDecision } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { AskPermission } from "./permissions.ts";
import { Questions } from "./questions.ts";
import { AgentTurn } from "./turn.ts";

const newTurn = (): AgentTurn => {
  const failed = () => new ContinuoError("agent_failed", "failed");
  const limits = { cancelMs: Number.POSITIVE_INFINITY, silenceMs: Number.POSITIVE_INFINITY };
  return new AgentTurn({ cancel: () => undefined, stuck: failed, silent: failed, ...limits });
};
const requestOf = (approvalId: string) => ({ approvalId, readOnly: null, options: [] });
const silence: AskPermission = () => new Promise(() => undefined);
const granted: PermissionDecision = { outcome: "granted", by: "person" };

interface Answer {
  readonly id: string;
  readonly outcome: string;
  readonly isTakenBack: boolean;
}

function asker() {
  const [questions, turn, answers] = [new Questions(), newTurn(), [] as Answer[]];
  const events = Array.fromAsync<AgentEvent>(turn.events());
  const ask = (id: string, onPermission: AskPermission): void =>
    questions.ask(id, {
      turn,
      request: requestOf(id),
      onPermission,
      answer: ({ outcome }, { aborted }) => void answers.push({ id, outcome, isTakenBack: aborted }),
    });
  return { questions, turn, events, answers, ask };
}

test("each question gets its own decision; if one is withdrawn, the others stay", async () => {
  const { questions, answers, ask } = asker();
  const person = Promise.withResolvers<PermissionDecision>();
  ask("a", silence);
  ask("b", () => person.promise);
  questions.takeBack("a");
  questions.takeBack("never asked");
  await expect.poll(() => answers).toEqual([{ id: "a", outcome: "cancelled", isTakenBack: true }]);
  person.resolve(granted);
  await expect.poll(() => answers.slice(1)).toEqual([{ id: "b", outcome: "granted", isTakenBack: false }]);
});

test("the end withdraws open questions, and waits until each outcome is reported and answered", async () => {
  const { questions, turn, events, answers, ask } = asker();
  ask("a", silence);
  ask("b", silence);
  await questions.end();
  expect(answers.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["a", "cancelled"],
    ["b", "cancelled"],
  ]);
  turn.end("end_turn");
  expect((await events).map(({ type }) => type)).toEqual([
    "permission_request",
    "permission_request",
    "permission_decision",
    "permission_decision",
    "turn_completed",
  ]);
  await questions.end();
  expect(answers.length).toBe(2);
});

test("an answer that cannot be sent fails the turn", async () => {
  const [questions, turn] = [new Questions(), newTurn()];
  const answer = () => Promise.reject(new Error("broken pipe"));
  questions.ask("a", { turn, request: requestOf("a"), onPermission: async () => granted, answer });
  await expect(Array.fromAsync(turn.events())).rejects.toThrow("broken pipe");
  await questions.end();
});
