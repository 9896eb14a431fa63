/** The usage of the machine over HTTP has the same figures as `continuo stats`. */

import type { MachineUsage, UsageGroup } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";
import { createPricedHome } from "./priced-home.ts";

let machine: OpenMachine;
beforeAll(async () => {
  const home = createPricedHome();
  machine = await openMachine(home);
});
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]();
});

const PARTS = { day: "days", project: "projects", model: "models", agent: "agents" } as const;

async function statsBy(by: string, ...flags: readonly string[]) {
  const { stdout } = await runHere(machine.home, ["stats", "--json", "--by", by, ...flags]);
  const { groups, total, unreadable, prices } = JSON.parse(stdout);
  return {
    groups: groups.map(({ [by]: key, ...figures }: Record<string, unknown>) => ({
      key,
      ...figures,
    })) as UsageGroup[],
    total: { key: null, ...total } as UsageGroup,
    unreadable,
    prices,
  };
}

test.each([[[]], [["--since", "2025-06-01T00:00:00Z"]]])(
  "every figure is that of stats with %j",
  async (flags) => {
    const [, since] = flags;
    const query = since === undefined ? "" : `?${new URLSearchParams({ since })}`;
    const usage: MachineUsage = await machine.json(`/v1/machine/usage${query}`);
    expect(usage.total.turns).toBeGreaterThan(1);
    for (const [by, part] of Object.entries(PARTS)) {
      const { groups, total, unreadable, prices } = await statsBy(by, ...flags);
      expect(groups.length).toBeGreaterThan(0);
      expect(usage[part]).toEqual(groups);
      expect([usage.total, usage.unreadable]).toEqual([total, unreadable]);
      expect({ asOf: usage.prices.asOf, sources: [usage.prices.source] }).toEqual(prices);
    }
  },
);

test("an invalid time is refused, and so is a token that may not read the machine", async () => {
  expect((await machine.get("/v1/machine/usage?since=yesterday")).status).toBe(400);
  expect((await machine.get("/v1/machine/usage", await machine.token(["metrics"]))).status).toBe(403);
});
