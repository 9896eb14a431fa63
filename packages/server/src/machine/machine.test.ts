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
  const line = (uuid: string, parent: string | null, role: "user" | "assistant"): string =>
    claudeText(CLAUDE_ID, [
      {
        uuid,
        parent,
        role,
        content: role === "user" ? uuid : [{ type: "text", text: uuid }],
        time: "10:00:00",
      },
    ]).replace("msg_0", `msg_${uuid}`);
  const turn = (name: string, parent: string | null): string =>
    line(`${name}q`, parent, "user") + line(`${name}a`, `${name}q`, "assistant");
  // Two prompts follow the same answer.
  home.write(claudeFile(CLAUDE_ID), turn("one", null) + turn("two", "onea") + turn("three", "onea"));
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const prices = async (): Promise<Prices> => ({ own: {}, list: shippedPrices() });
  const machine = createMachine({ places, prices } as unknown as MachineOptions);
  const { signal } = new AbortController();
  const head = await machine.session(`claude:${CLAUDE_ID}`, signal);
  expect(head.branches).toHaveLength(2);
  const row = async () => (await machine.sessions({ limit: 10 })).sessions[0];
  await expect.poll(async () => (await row())?.turns).toBe(3);
  const { turns, tokens } = head.session;
  expect([turns, tokens, (await row())?.tokens]).toEqual([3, 3 * 1_020, 3 * 1_020]);
  await machine.close();
});
