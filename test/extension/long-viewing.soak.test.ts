/** The viewing runs in real time: the worker is killed every 30 s, and the server is away for ten minutes. */

import { soakTest } from "../sizes/soak-test.ts";
import { watchLong } from "./long-viewing.ts";

soakTest(
  "extension: ten segments, the worker killed every 30 s, ten minutes offline, lose and repeat nothing",
  { count: 1, batchSize: 1 },
  () => watchLong({ rate: 0.0625, offlineMs: 600_000, killEveryMs: 30_000 }),
);
