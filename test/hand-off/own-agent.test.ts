/**
 * Sessions that an agent wrote are handed to the same agent, which reads them back. The messages for its model are
 * compared: other content that it shows is not a difference, and content that it inserts by itself is a warning. Here a
 * stand-in reads; `own-agent.full.test.ts` takes all sessions, and `test/agents/handoff` the real agents.
 */

import { handOffMessages } from "@continuo/agents";
import type { Message } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { type Home, openHome } from "./homes.ts";
import { byStandIn, type StandIn } from "./stand-in-programs.ts";

let home: Home;

beforeEach(() => {
  home = openHome();
});

test.each<readonly [StandIn, string]>([
  ["claude", "local-commands"],
  ["pi", "shell-kept-back"],
  ["pi", "aborted-last"],
])("a session of %s with %s goes to its own agent", async (agent, name) => {
  const id = home.use(agent, name);
  const made = await home.go(`${agent}:${id}`, agent, byStandIn(agent));
  expect(made.verification).toEqual({
    by: expect.stringContaining(agent),
    outcome: "same",
    messages: expect.any(Number),
  });
});

test("an agent that reads its own insertions differently still verifies the conversation, and the receipt reports this", async () => {
  const id = home.use("claude", "hooks");
  const made = await home.go(`claude:${id}`, "claude", byStandIn("claude", "says:It is Tuesday."));
  const asides = `turn 1 (user) differs in its texts: …"additional context: something else\\n</system-reminder>" in place of …"additional context: It is Tuesday.\\n</system-reminder>"`;
  expect(made.verification).toMatchObject({ outcome: "same", asides });
  expect(made.receipt.records.at(-1)).toEqual({
    place: "new session",
    kind: "other",
    outcome: "noted",
    reason: `content that the agent adds by itself differs when claude --fork-session reads it: ${asides}`,
  });
  // The line counts as a loss, although it is known only after the session was read back.
  const { length } = made.receipt.records.filter(
    ({ kind, outcome }) => kind === "other" && outcome !== "kept",
  );
  const strict = { ...byStandIn("claude", "says:It is Tuesday."), maxLoss: { other: length - 1 } };
  await expect(home.go(`claude:${id}`, "claude", strict)).rejects.toMatchObject({ code: "fidelity" });
});

describe("an agent that reads the conversation differently", () => {
  test.each<readonly [StandIn, string, string, string]>([
    ["claude", "hooks", "loses:A timer.", 'in place of "A timer."'],
    ["pi", "shell-kept-back", "says:None yet.", '"something else" in place of "None yet."'],
  ])("fails the hand-over with the text that differs: %s, %s, %s", async (agent, name, change, texts) => {
    const id = home.use(agent, name);
    const going = home.go(`${agent}:${id}`, agent, byStandIn(agent, change));
    const error = await going.catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: "verification_failed",
      message: expect.stringMatching(/reads the new session differently: turn \d \(assistant\) differs/u),
    });
    expect(String(error)).toContain(texts);
  });
});

test("a copy of a session of Claude Code keeps the number of tokens that were cached for an hour", async () => {
  const { cwd, places } = home;
  const usage = { inputTokens: 1, outputTokens: 2, cacheWriteTokens: 100, cacheWriteHourTokens: 60 };
  const messages: readonly Message[] = [
    { id: "m0", role: "user", content: [{ type: "text", text: "Steep it." }], metadata: {} },
    { id: "m1", role: "assistant", content: [{ type: "text", text: "Done." }], usage, metadata: {} },
  ];
  const made = await handOffMessages(
    { messages, title: "Tea", cwd },
    { to: "claude", places, verifyBy: "own" },
  );
  const copy = await home.go(`claude:${made.sessionId}`, "claude");
  for (const id of [made.sessionId ?? "", copy.sessionId]) {
    const { history } = await home.read("claude", id);
    expect(history.map((message) => message.usage)).toEqual([undefined, usage]);
  }
});
