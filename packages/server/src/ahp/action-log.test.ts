/** The actions that a client missed while it was away. */

import { expect, test } from "vitest";
import { createActionLog } from "./action-log.ts";
import type { ActionEnvelope } from "./protocol.ts";

const action = { type: "chat/draftChanged" } as unknown as ActionEnvelope["action"];

function given(channel: string, more: Partial<ActionEnvelope> = {}): Omit<ActionEnvelope, "serverSeq"> {
  return { channel, action, ...more };
}

test("a client gets the actions of its channels after the number that it knows", () => {
  const log = createActionLog(100);
  log.append(given("a"));
  log.append(given("b"));
  const { serverSeq } = log.append(given("a"));
  const reader = { clientId: "one", channels: new Set(["a"]) };
  expect(log.after(100, reader)?.map((one) => one.serverSeq)).toEqual([101, 103]);
  expect(log.after(101, reader)?.map((one) => one.serverSeq)).toEqual([serverSeq]);
  expect(log.after(serverSeq, reader)).toEqual([]);
});

test("a refusal returns to the client that sent the action, and to no other client of the channel", () => {
  const log = createActionLog(100);
  log.append(given("a", { origin: { clientId: "one", clientSeq: 1 }, rejectionReason: "no" }));
  const channels = new Set(["a"]);
  expect(log.after(100, { clientId: "one", channels })).toHaveLength(1);
  expect(log.after(100, { clientId: "other", channels })).toEqual([]);
});

test("a number of another host and a number that is too old give no actions", () => {
  const log = createActionLog(100);
  const reader = { clientId: "one", channels: new Set(["a"]) };
  expect(log.after(99, reader)).toBeNull();
  expect(log.after(101, reader)).toBeNull();
});
