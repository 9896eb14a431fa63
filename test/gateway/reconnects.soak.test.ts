import { soakTest } from "../sizes/soak-test.ts";
import { reconnectOften } from "./reconnects.ts";

soakTest(
  "reconnects of editors to their gateways",
  { count: 1_000, batchSize: 100 },
  async ({ count, seed }) => {
    await reconnectOften({ reconnects: count, editors: 4, seed });
  },
);
