import { soakTest } from "../sizes/soak-test.ts";
import { killSharedSessions } from "./shared-sessions.ts";

soakTest(
  "kills of the gateways of twenty editors on shared sessions",
  { count: 100, batchSize: 100 },
  async ({ count, seed }) => {
    await killSharedSessions({ editors: 20, sessions: 4, kills: count, seed });
  },
);
