import { soakTest } from "../sizes/soak-test.ts";
import { reconnectOften } from "./reconnects.ts";

soakTest(
  "reconnects of editors to their gateways",
  { count: 1_000, batchSize: 100 },
  async ({ count, seed }) => {
    await reconnectOften({ reconnects: count, editors: 4, seed });
  },
);

soakTest(
  "reconnects of twenty editors to their gateways on shared sessions",
  { count: 1_000, batchSize: 100 },
  async ({ count, seed }) => {
    await reconnectOften({ reconnects: count, editors: 20, sessions: 4, seed });
  },
);
