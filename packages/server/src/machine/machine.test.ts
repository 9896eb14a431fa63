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
