import type { AgentEvent, AgentRequest, PermissionDecision } from "@continuo/core/model";
import { expect, test } from "vitest";
import { ScriptedAgent } from "./scripted-agent.ts";

const REQUEST = {
  run: { runId: "r" },
  session: { cwd: "/srv/build" },
  input: [{ type: "text", text: "Mend the build." }],
} as unknown as AgentRequest;

async function askedTo(outcome: PermissionDecision["outcome"]) {
  let runs = 0;
  const result = async (): Promise<string> => `run ${++runs}`;
  const agent = new ScriptedAgent({ turns: [[{ call: "Bash", id: "t1", ask: true, result }]] });
  const events: AgentEvent[] = [];
  await agent.execute(REQUEST, {
    signal: new AbortController().signal,
    onEvent: async (event) => void events.push(event),
    onPermission: async () => ({ outcome, by: "person" }),
  });
  const results = events.flatMap((event) =>
    event.type === "tool_result" ? [[event.content, event.status]] : [],
  );
  return { runs, results, cwd: agent.given[0]?.cwd };
}

test("a scripted tool does its work after a grant, and returns what its function returns", async () => {
  const expected = { runs: 1, results: [["run 1", "ok"]], cwd: "/srv/build" };
  expect(await askedTo("granted")).toEqual(expected);
});

test("a scripted tool does nothing after a denial", async () => {
  const expected = { runs: 0, results: [["denied", "denied"]], cwd: "/srv/build" };
  expect(await askedTo("denied")).toEqual(expected);
});
