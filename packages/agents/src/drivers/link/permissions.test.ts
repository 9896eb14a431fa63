import { type AgentEvent, ContinuoError, type PermissionRequest } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  type AskPermission,
  answererOf,
  askPermission,
  decideByPolicy,
  optionFor,
  permissionsBy,
} from "./permissions.ts";
import { AgentTurn } from "./turn.ts";

const request: PermissionRequest = {
  approvalId: "p1",
  title: "write a file",
  readOnly: false,
  options: [
    { id: "always", name: "Always", kind: "allow_always" },
    { id: "once", name: "Once", kind: "allow_once" },
    { id: "never", name: "Never", kind: "reject_always" },
  ],
};
const signal = new AbortController().signal;
const grant: AskPermission = async () => ({ outcome: "granted", by: "person" });
const silence: AskPermission = (_, { signal: stop }) =>
  new Promise((_answer, refuse) => {
    stop.addEventListener("abort", () => refuse(new Error("too late")));
  });

describe("a policy", () => {
  test.each([
    ["safe", true, "granted"],
    ["safe", false, "denied"],
    ["safe", null, "denied"],
    ["unrestricted", false, "granted"],
    ["ask", true, undefined],
  ] as const)("%s with readOnly %s: %s", (policy, readOnly, outcome) => {
    expect(decideByPolicy(policy, { ...request, readOnly })?.outcome).toBe(outcome);
  });

  test("the policy ask passes the question to the person", async () => {
    expect(await permissionsBy({ policy: "ask", ask: grant })(request, { signal })).toEqual({
      outcome: "granted",
      by: "person",
    });
  });

  test("the policy ask denies if there is no person, or if nobody answers in time", async () => {
    expect(await permissionsBy({ policy: "ask" })(request, { signal })).toMatchObject({ outcome: "denied" });
    const late = permissionsBy({ policy: "ask", ask: silence, timeLimitMs: 5 });
    expect(await late(request, { signal })).toEqual({
      outcome: "denied",
      by: "time limit",
      reason: "no answer within 5 ms",
    });
  });
});

describe("a permission in a turn", () => {
  const ask = async (onPermission: AskPermission, stop = signal) => {
    const failed = () => new ContinuoError("agent_failed", "failed");
    const limits = { cancelMs: Number.POSITIVE_INFINITY, silenceMs: Number.POSITIVE_INFINITY };
    const turn = new AgentTurn({ cancel: () => undefined, stuck: failed, silent: failed, ...limits });
    const reading = Array.fromAsync<AgentEvent>(turn.events());
    const decision = await askPermission({ turn, request, onPermission, signal: stop });
    turn.end("end_turn");
    return { decision, events: await reading };
  };

  test("is reported as a question and a decision", async () => {
    expect((await ask(grant)).events.slice(0, 2)).toEqual([
      { type: "permission_request", ...request },
      { type: "permission_decision", approvalId: "p1", outcome: "granted", by: "person" },
    ]);
  });

  test.each([
    ["nobody can be asked", answererOf({}), signal, "denied"],
    ["asking fails", () => Promise.reject(new Error("no terminal")), signal, "denied"],
    ["the turn ends meanwhile", silence, AbortSignal.abort(), "cancelled"],
  ] as const)("is not granted when %s", async (_, onPermission, stop, outcome) => {
    expect((await ask(onPermission, stop)).decision.outcome).toBe(outcome);
  });
});

test.each([
  ["safe", true, "granted"],
  ["safe", null, "denied"],
  ["unrestricted", false, "granted"],
  [undefined, true, "denied"],
] as const)(
  "without a function that answers, the policy %s decides for readOnly %s: %s",
  async (permissions, readOnly, outcome) => {
    const answer = answererOf(permissions === undefined ? {} : { permissions });
    expect((await answer({ ...request, readOnly }, { signal })).outcome).toBe(outcome);
  },
);

test("a caller that answers questions is asked whatever the policy", async () => {
  const answer = answererOf({ permissions: "safe", onPermission: grant });
  expect(await answer(request, { signal })).toEqual({ outcome: "granted", by: "person" });
});

test("an answer is valid for one call, unless it names another option", () => {
  const chosen = [
    optionFor({ outcome: "granted", by: "person" }, request.options),
    optionFor({ outcome: "granted", by: "person", optionId: "always" }, request.options),
    optionFor({ outcome: "denied", by: "policy" }, request.options),
    optionFor({ outcome: "cancelled", by: "agent" }, request.options),
  ];
  expect(chosen.map((option) => option?.id ?? null)).toEqual(["once", "always", "never", null]);
});
