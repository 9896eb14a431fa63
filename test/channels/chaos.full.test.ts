import { openStore } from "@continuo/store";
import { beforeAll, expect, test } from "vitest";
import { bundledProgram, newPostgresDatabase } from "../sizes/shared-programs.ts";
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
  const seed = Math.floor(Math.random() * 0x7fffffff);
  console.info(`seed ${seed}`);
  return await chaos({
    store,
    storeUrl,
    program: await bundledProgram("test/channels/chaos-server.ts"),
    durationMs,
    seed,
    ...size,
    ...(fault === undefined ? { enough: { messages: 100, cuts: 10, kills: 1 } } : { fault }),
  });
}

test("through cuts, delays and killed servers every reader has every event once, every input one answer, and nothing is lost", async () => {
  const { failures, answers } = await run("sound", 25_000);
  expect(failures).toEqual([]);
  // Each client asks with its first message.
  expect(answers).toBeGreaterThanOrEqual(20);
}, 600_000);

test.each([
  ["confirms what it did not store", /was acknowledged and is lost/u],
  ["stores a message twice", /was stored twice/u],
  ["leaves messages out of what it sends to a reader", /was not given \d+ events/u],
])(
  "the checker finds a server that %s",
  async (fault, violation) => {
    const { failures } = await run(fault.replaceAll(" ", "-"), 8_000, fault);
    expect(failures.join("\n")).toMatch(violation);
  },
  300_000,
);
