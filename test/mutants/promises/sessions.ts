/** The promises of `packages/store/src/sessions/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ROOM = "packages/store/src/sessions";
const PLAN = { file: `${ROOM}/plan.ts`, test: "test/sessions/other-runs.test.ts" };
const FOUND = { file: `${ROOM}/cut-off.ts`, test: "test/sessions/cut-off.test.ts" };
const LEFT = { file: `${ROOM}/interrupt.ts`, test: "test/sessions/other-runs.test.ts" };
const STOPS = { file: `${ROOM}/stops.ts`, test: `${ROOM}/stops.test.ts` };
const AGAIN = { file: `${ROOM}/retries.ts`, test: "test/sessions/other-runs.test.ts" };

export const SESSIONS: readonly PromiseOfRoom[] = [
  {
    ...LEFT,
    promise: "A run that was cut off is offered, although an earlier one was to be cancelled.",
    text: '{ runId, types: ["run_cancel_requested"], limit: 1 }',
    mistake: '{ types: ["run_cancel_requested"], limit: 1 }',
  },
  {
    ...LEFT,
    promise: "The thoughts of a message that was cut off stay thoughts.",
    text: 'const type = kind === "thinking" ? "thinking" : "text";',
    mistake: 'const type = kind === "none" ? "thinking" : "text";',
  },
  {
    ...STOPS,
    test: "test/sessions/other-runs.test.ts",
    promise: "A request to cancel a run does not end the run after it.",
    text: " || event.data.runId !== runId) continue",
    mistake: ") continue",
  },
  {
    ...STOPS,
    promise: "A run that ran out of time stays so when it is cancelled later.",
    text: "controller.signal.aborted || stop !== null",
    mistake: 'controller.signal.aborted && stop?.status !== "timeout"',
  },
  {
    ...AGAIN,
    test: "test/runtime/retries.test.ts",
    promise: "The next attempt at an input comes before later messages.",
    text: "metadata, placeOf: root }",
    mistake: "metadata }",
  },
  {
    file: `${ROOM}/wake.ts`,
    test: "test/runtime/retries.test.ts",
    promise: "Input that waits behind a later attempt of an earlier one does not count as answered.",
    text: "second !== undefined && rootIn(run) !== runId",
    mistake: "second === undefined && rootIn(run) !== runId",
  },
  {
    ...AGAIN,
    promise: "The input of a run that ran out of time can be given again.",
    text: '"cancelled", "failed", "timeout"]',
    mistake: '"cancelled", "failed"]',
  },
  {
    ...AGAIN,
    test: "test/sessions/refusals.test.ts",
    promise: "The input of a run is given again in its own session only.",
    text: " || before.sessionId !== sessionId",
    mistake: "",
  },
  {
    ...FOUND,
    promise: "The newest of several inputs with the same words is found.",
    text: ".toReversed()",
    mistake: "",
  },
  {
    ...FOUND,
    promise: "An input that is new enough is found.",
    text: "Date.parse(run.createdAt) >= sinceMs",
    mistake: "Date.parse(run.createdAt) / 1000 >= sinceMs",
  },
  {
    ...PLAN,
    promise: "A native session receives the turns on another one of its agent.",
    text: "used?.sessionId === ref.sessionId && used.agent === ref.agent",
    mistake: "used?.agent === ref.agent",
  },
  {
    ...PLAN,
    test: "test/sessions/continuation.test.ts",
    promise: "A native session receives how its own turns ended.",
    text: "    END_NOTES.has(String(metadata.note)) ||\n",
    mistake: "",
  },
  {
    file: `${ROOM}/budget.ts`,
    test: "test/sessions/continuation.test.ts",
    promise: "A budget of tokens counts what is sent and what comes back.",
    text: "tokensOf(usage)",
    mistake: "usage.outputTokens",
  },
  {
    file: `${ROOM}/lease.ts`,
    test: "test/sessions/queue.test.ts",
    promise: "The lease of a session is renewed before its time is over.",
    text: "  }, leaseMs / 3);",
    mistake: "  }, leaseMs * 3);",
  },
  {
    file: `${ROOM}/finish.ts`,
    test: "test/sessions/runs.test.ts",
    promise: "The usage of a session is the sum over its runs.",
    text: "addUsage(session.metadata.usage as Usage | undefined, usage)",
    mistake: "addUsage(undefined, usage)",
  },
  {
    file: `${ROOM}/references.ts`,
    test: `${ROOM}/references.test.ts`,
    promise: "The native session of one agent leaves those of others.",
    text: "{ ...referencesOf(session), [agent]: reference }",
    mistake: "{ [agent]: reference }",
  },
  {
    file: `${ROOM}/wake.ts`,
    test: "test/sessions/wake.test.ts",
    promise: "Inputs that nobody answered are offered in the order in which they were given.",
    text: "a.sequence - b.sequence",
    mistake: "b.sequence - a.sequence",
  },
  {
    file: `${ROOM}/patient-store.ts`,
    test: `${ROOM}/patient-store.test.ts`,
    promise: "A session of the same id that was made otherwise is not taken for the one that was asked for.",
    text: " || !isAsked(made, session)",
    mistake: "",
  },
  {
    file: `${ROOM}/plan.ts`,
    test: "test/sessions/unanswered.test.ts",
    promise: "A native session that continues after a crash receives the words that only the log has.",
    text: "      stopReason === CUT_OFF);",
    mistake: '      stopReason === "never");',
  },
  {
    file: `${ROOM}/queue.ts`,
    test: "test/sessions/queue.test.ts",
    promise: "A run that is cancelled while it waits for room leaves the room to the next one.",
    text: "for (const look of slots.waiting.splice(0)) look();",
    mistake: "slots.waiting.shift()?.();",
  },
  {
    promise: "A session that was forked elsewhere is not returned for a fork.",
    file: "packages/store/src/sessions/start.ts",
    text: "(asked.logId === origin?.logId && (asked.sequence ?? origin.sequence) === origin.sequence)",
    mistake: "asked.logId === origin?.logId",
    test: "test/sessions/repeats.test.ts",
  },
  {
    promise: "A run for another agent is another run.",
    file: "packages/store/src/sessions/start.ts",
    text: "    (agent === undefined || run.agent === agent) &&\n",
    mistake: "",
    test: "test/sessions/repeats.test.ts",
  },
  {
    file: "packages/store/src/sessions/queue.ts",
    test: "test/sessions/queue.test.ts",
    promise: "A waiting run whose process ended does not hold up the others.",
    text: '|| isOwnerGone((await readStarter(store, run)) ?? "");',
    mistake: '|| isOwnerGone(run.owner ?? "");',
  },
  {
    file: "packages/store/src/sessions/run-turn.ts",
    test: "test/sessions/continuation.test.ts",
    promise: "A turn is not replayed beside another program that has the native session open.",
    text: 'if (outcome.error.code === "session_live") return;',
    mistake: 'if (outcome.error.code === "fenced") return;',
  },
  {
    file: "packages/store/src/sessions/turn-state.ts",
    test: "test/sessions/replay-forms.test.ts",
    promise: "An agent that answers from another session than the written one has no confirmed replay.",
    text: 'isForked && replayedAs === "session" ? undefined : replayedAs',
    mistake: "replayedAs",
  },
  {
    file: "packages/store/src/sessions/turn-state.ts",
    test: "test/sessions/replay-forms.test.ts",
    promise: "Only a replay has the form of a replay.",
    text: 'replayedAs: plan.kind === "replay" ?',
    mistake: "replayedAs: plan.kind !== null ?",
  },
];
