import { beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { newPostgresDatabase } from "../sizes/prepared.ts";
import { type ChaosResult, chaos } from "./chaos.ts";

let storeUrl: string;
beforeAll(async () => {
  storeUrl = await newPostgresDatabase();
  await (await openStore(storeUrl, { migrate: true })).close();
});

async function run(workspaceId: string, durationMs: number, fault?: string): Promise<ChaosResult> {
  await using store = await openStore(storeUrl, { workspaceId });
  const size =
    fault === undefined ? { clients: 20, agents: 5, servers: 3 } : { clients: 4, agents: 1, servers: 1 };
  return await chaos({ store, storeUrl, durationMs, ...size, ...(fault === undefined ? {} : { fault }) });
}

test("through cuts, delays and killed servers every reader has every event once, every input one answer, and nothing is lost", async () => {
  const { failures, messages, answers, cuts, kills } = await run("sound", 60_000);
  expect(failures).toEqual([]);
  expect([messages > 100, answers > 10, cuts > 10, kills > 0]).toEqual([true, true, true, true]);
}, 300_000);

test("the checker finds a server that confirms what it did not store", async () => {
  const { failures } = await run("loses", 8_000, "loses");
  expect(failures.join("\n")).toMatch(/was acknowledged and is lost/u);
}, 300_000);
