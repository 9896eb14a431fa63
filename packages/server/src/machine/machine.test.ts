/** The machine as one service: a list reads sessions for the figures of its rows only for readers who show them. */

import { type Prices, shippedPrices } from "@continuo/agents/catalog";
import type { MachineSession } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import {
  CLAUDE_ID,
  CONVERSATION,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
} from "../../../../test/cli/home.ts";
import { createMachine } from "./machine.ts";
import type { MachineOptions } from "./options.ts";

test("a list without figures reads no session, and its rows are the same until a session changes", async () => {
  using home = createHome();
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  let reads = 0;
  const prices = async (): Promise<Prices> => {
    reads += 1;
    return { own: {}, list: shippedPrices() };
  };
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const machine = createMachine({ places, prices } as unknown as MachineOptions);
  const list = async (figures?: "without"): Promise<MachineSession | undefined> =>
    (await machine.sessions({ limit: 10_000 }, undefined, figures)).sessions[0];
  const first = await list("without");
  expect(first?.turns).toBeNull();
  expect(await list("without")).toBe(first);
  expect(reads).toBe(0);
  // The prices are needed for the first figure that is read.
  await list();
  await expect.poll(async () => (await list())?.turns).toBeGreaterThan(0);
  expect(reads).toBeGreaterThan(0);
  await machine.close();
});

test("the usage of a session with branches is that of all branches, as in its row", async () => {
  using home = createHome();
  const content = [{ type: "text", text: "Yes." }];
  const answer = (uuid: string, parent: string, message: string): string =>
    claudeText(CLAUDE_ID, [{ uuid, parent, role: "assistant", content, time: "10:00:02" }]).replace(
      "msg_0",
      message,
    );
  const asked = claudeText(CLAUDE_ID, [
    { uuid: "q", parent: null, role: "user", content: "Ask", time: "10:00:00" },
  ]);
  home.write(claudeFile(CLAUDE_ID), asked + answer("a", "q", "msg_a") + answer("b", "q", "msg_b"));
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const prices = async (): Promise<Prices> => ({ own: {}, list: shippedPrices() });
  const machine = createMachine({ places, prices } as unknown as MachineOptions);
  const { signal } = new AbortController();
  const head = await machine.session(`claude:${CLAUDE_ID}`, signal);
  expect(head.branches).toHaveLength(2);
  const row = async () => (await machine.sessions({ limit: 10 })).sessions[0];
  await expect.poll(async () => (await row())?.tokens).toBe(head.session.tokens);
  const one = (await machine.history({ key: `claude:${CLAUDE_ID}` }, signal)).messages.length;
  expect([one, head.session.turns]).toEqual([2, (await row())?.turns]);
  await machine.close();
});
