/** The machine as one service: a list reads sessions for the figures of its rows only for readers who show them. */

import { openRowIndex, type Prices, shippedPrices } from "@continuo/agents/catalog";
import type { ListFigures, MachineService, MachineSession } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import { expect, onTestFinished, test, vi } from "vitest";
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

test("a list of indexed figures reads no session, and its rows are the same until a figure is known", async () => {
  using home = createHome();
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  // The clock is an hour ahead, because nothing is stored about a file that was written a moment ago.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const asked: PromiseWithResolvers<void> = Promise.withResolvers();
  const prices = async (): Promise<Prices> => {
    asked.resolve();
    return { own: {}, list: shippedPrices() };
  };
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const openOne = () => createMachine({ places, prices } as unknown as MachineOptions);
  const list = async (machine: MachineService, figures: ListFigures): Promise<MachineSession | undefined> =>
    (await machine.sessions({ limit: 10_000 }, undefined, figures)).sessions[0];
  const machine = openOne();
  const first = await list(machine, "indexed");
  await asked.promise;
  expect(await list(machine, "indexed")).toBe(first);
  expect(first?.turns).toBeNull();
  await expect.poll(async () => (await list(machine, "read"))?.turns).toBe(2);
  const read = await list(machine, "read");
  expect(await list(machine, "indexed")).toBe(read);
  await machine.close();
  const index = openRowIndex(placesOf(places));
  for await (const found of findNativeSessions({ places })) await index.read(found);
  await index.save();
  const next = openOne();
  await expect.poll(async () => await list(next, "indexed")).toEqual(read);
  await next.close();
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
