import { expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { newPostgresDatabase } from "../sizes/prepared.ts";
import { chaos } from "./chaos.ts";

test("the same for ten minutes", async () => {
  const storeUrl = await newPostgresDatabase();
  await using store = await openStore(storeUrl, { migrate: true });
  const result = await chaos({ store, storeUrl, clients: 20, agents: 5, servers: 3, durationMs: 600_000 });
  expect(result.failures).toEqual([]);
}, 1_200_000);
