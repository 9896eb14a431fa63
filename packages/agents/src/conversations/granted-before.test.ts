import type { PermissionRequest } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { ScriptedAgent, type Step } from "@continuo/store/testing";
import { expect, test } from "vitest";
import { withGrantedBefore } from "./granted-before.ts";

const COMMAND = { toolName: "Bash", toolInput: { command: "make" } };
const OTHER = { toolName: "Bash", toolInput: { command: "ls" } };

/** A call that is asked for and answered; with a result if it ended. */
function call(
  id: string,
  outcome: "granted" | "denied",
  { result, of = COMMAND }: { readonly result?: string; readonly of?: typeof COMMAND } = {},
): readonly Step[] {
  const request = { approvalId: `ask ${id}`, toolCallId: id, ...of, readOnly: false, options: [] };
  return [
    { event: { type: "tool_call", toolCallId: id, ...of } },
    { event: { type: "permission_request", ...request } },
    { event: { type: "permission_decision", approvalId: `ask ${id}`, outcome, by: "person" } },
    ...(result === undefined
      ? []
      : [
          {
            event: {
              type: "tool_result" as const,
              toolCallId: id,
              status: "ok" as const,
              content: [{ type: "text" as const, text: result }],
            },
          },
        ]),
  ];
}

const CUT: Step = { fail: "the agent ended" };

test.each<[string, readonly (readonly Step[])[], string | undefined]>([
  ["nothing was asked before", [[{ say: "hello" }]], undefined],
  ["the call was granted, and its turn was cut off", [[...call("1", "granted"), CUT]], "ask 1"],
  ["the call had a result", [[...call("1", "granted", { result: "done" }), CUT]], undefined],
  ["the call was denied", [[...call("1", "denied"), CUT]], undefined],
  [
    "another call of its turn was granted",
    [[...call("1", "denied"), ...call("2", "granted", { of: OTHER }), CUT]],
    undefined,
  ],
  ["the turn is complete", [[...call("1", "granted"), { say: "done" }]], undefined],
  [
    "the repeated call had a result",
    [[...call("1", "granted"), CUT], call("2", "granted", { result: "done" })],
    undefined,
  ],
  ["the repeated call was denied", [[...call("1", "granted"), CUT], call("2", "denied")], "ask 1"],
])("a call that asks again: %s", async (_, turns, grantedBefore) => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const agent = new ScriptedAgent({ turns });
  for (const _turn of turns) await runOnce(store, agent, "go on", { sessionId });
  const shown: PermissionRequest[] = [];
  const ask = withGrantedBefore(
    async (request) => {
      shown.push(request);
      return { outcome: "denied", by: "person" };
    },
    async () => ({ store, sessionId }),
  );
  const request = { approvalId: "now", toolCallId: "9", readOnly: false, options: [] };
  const { signal } = new AbortController();
  await ask({ ...request, ...COMMAND }, { signal });
  await ask({ ...request, toolName: "Bash", toolInput: { command: "make clean" } }, { signal });
  expect(shown.map((one) => one.grantedBefore)).toEqual([grantedBefore, undefined]);
});
