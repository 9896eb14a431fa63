/** The promises of approvals, retries and readers in `packages/server/src/runtime/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const RUNTIME: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/runtime/ui-chunks.ts",
    test: "test/runtime/calls-after-crash.test.ts",
    promise: "A page learns that a call was lost in a crash before the words of the next attempt.",
    text: "  return endedCalls(lost, shown, finish);",
    mistake: "  return lost.length < 0 ? endedCalls(lost, shown, finish) : [];",
  },
  {
    file: "packages/server/src/runtime/ui-chunks.ts",
    test: "test/runtime/calls-after-crash.test.ts",
    promise: "A page is asked once about a call, also when two processes asked.",
    text: "toolCallId === undefined || approvals.has(approvalId)",
    mistake: 'toolCallId === undefined || approvals.get(approvalId) === "answered"',
  },
  {
    file: "packages/server/src/runtime/approvals.ts",
    test: "test/runtime/approvals.test.ts",
    promise: "The time limit of a question counts from when it was first asked, over restarts.",
    text: 'Date.parse(claim?.data.requestedAt ?? "") + limitMs',
    mistake: "(claim === null ? 0 : Date.now()) + limitMs",
  },
  {
    file: "packages/server/src/runtime/retries.ts",
    test: "test/runtime/retries.test.ts",
    promise: "A dead letter that is started again has all its attempts.",
    text: "metadata: { attempt: 1, ",
    mistake: "metadata: { attempt: attemptOf(last), ",
  },
  {
    file: "packages/server/src/runtime/readers.ts",
    test: "test/runtime/handler.test.ts",
    promise: "A reader over the network does not see the details of an error.",
    text: "data: { ...rest, code, message: failureText({ code, message }) }",
    mistake: "data: { ...event.data, code, message: failureText({ code, message }) }",
  },
  {
    file: "packages/server/src/runtime/chat.ts",
    test: "packages/server/src/runtime/chat.test.ts",
    promise: "An answer whose input was given up is no longer open.",
    text: "=== GIVEN_UP) exchange.isOpen = false;",
    mistake: "=== GIVEN_UP) exchange.isOpen = true;",
  },
  {
    file: "packages/server/src/runtime/session.ts",
    test: "test/runtime/front-door.test.ts",
    promise: "The handle of an attempt has the events of all attempts of its input.",
    text: "runId: rootIn(run) };",
    mistake: "runId: run.runId };",
  },
  {
    promise: "An id that a closed and an open question have names the open one.",
    file: "packages/server/src/runtime/approval-lookup.ts",
    text: "const [first] = open.length > 0 ? open : found;",
    mistake: "const [first] = found;",
    test: "test/runtime/approval-ids.test.ts",
  },
  {
    promise: "A question whose run has ended is not among the open ones.",
    file: "packages/server/src/runtime/approvals.ts",
    text: "if ((status === undefined || current.status === status) && filter(approval))",
    mistake: "if (filter(approval))",
    test: "test/runtime/approval-ids.test.ts",
  },
  {
    promise: "A scheduled message that waits for room in the queue of its session is no error.",
    file: "packages/server/src/runtime/retries.ts",
    text: 'if (isContinuoError(error, "too_many_runs")) full.add(owner);\n      else report(error, name);',
    mistake: "report(error, name);",
    test: "test/runtime/queue.test.ts",
  },
  {
    promise: "An answer that is there when a run was asked to stop lets no call run.",
    file: "packages/server/src/runtime/approvals.ts",
    text: "          if (await this.#isStopped(run)) {\n            await sleep(STOP_PAUSE_MS);\n            continue;\n          }\n",
    mistake: "",
    test: "test/runtime/answers-at-once.test.ts",
  },
];
