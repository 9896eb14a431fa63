import { soakTest } from "../sizes/soak-test.ts";
import { reconnectOften } from "./reconnects.ts";

soakTest(
  "reconnects of an editor to its gateway",
  { count: 1_000, batchSize: 100 },
  async ({ count, seed }) => await reconnectOften({ reconnects: count, seed }),
);
