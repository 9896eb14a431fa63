/** The actions that a client missed while it was away. */

import { expect, test } from "vitest";
import { createActionLog } from "./action-log.ts";
import { LIMITS } from "./limits.ts";
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

test("a client that names its channels gets the refusals in them, and none of its other channels", () => {
  const log = createActionLog(100);
  const refused = { origin: { clientId: "one", clientSeq: 1 }, rejectionReason: "no" };
  for (const channel of ["a", "A", "b"]) log.append(given(channel, refused));
  const reader = { clientId: "one", channels: new Set(["a"]) };
  const of = (refusedIn: ReadonlySet<string>) => log.after(100, { ...reader, refusedIn });
  expect(of(new Set(["a", "A"]))?.map(({ channel }) => channel)).toEqual(["a", "A"]);
  expect(log.after(100, reader)).toHaveLength(3);
});

test("a log that is full drops its older half, and a client that needs them gets no actions", () => {
  const log = createActionLog(0);
  for (let n = 0; n <= LIMITS.actions; n += 1) log.append(given("a"));
  const reader = { clientId: "one", channels: new Set(["a"]) };
  const from = Math.ceil((LIMITS.actions + 1) / 2);
  expect(log.after(from - 1, reader)).toBeNull();
  expect(
    log
      .after(from, reader)
      ?.map(({ serverSeq }) => serverSeq)
      .slice(0, 1),
  ).toEqual([from + 1]);
  expect(log.after(from, reader)).toHaveLength(LIMITS.actions + 1 - from);
});

test("a number of another host and a number that is too old give no actions", () => {
  const log = createActionLog(100);
  const reader = { clientId: "one", channels: new Set(["a"]) };
  expect(log.after(99, reader)).toBeNull();
  expect(log.after(101, reader)).toBeNull();
});
