import { openStore } from "@continuo/store";
import { bundledProgram, newPostgresDatabase } from "../sizes/shared-programs.ts";
import { soakTest } from "../sizes/soak-test.ts";
import { chaos, countsOf } from "./chaos.ts";

soakTest(
  "channels: 20 clients, 5 agents and 3 servers on one Postgres, disturbed for ten minutes, lose and repeat nothing",
  { count: 1, batchSize: 1 },
  async ({ seed }) => {
    const storeUrl = await newPostgresDatabase();
    await using store = await openStore(storeUrl, { migrate: true });
    const program = await bundledProgram("test/channels/chaos-server.ts");
    const size = { clients: 20, agents: 5, servers: 3, durationMs: 600_000 };
    const result = await chaos({ store, storeUrl, program, seed, ...size });
    if (result.failures.length > 0) throw new Error(result.failures.join("\n"));
    return countsOf(result);
  },
);
