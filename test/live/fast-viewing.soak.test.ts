/** Two hours of one session at ten times the rate of a talk: the server's memory does not grow. */

import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { viewFast } from "./fast-viewing.ts";

const MINUTES = 120;
/** From the end of the first quarter on, nothing may grow by more than a tenth. */
const GROWTH = 1.1;

soakTest(
  "live: the memory of a server does not grow over two hours at ten times the rate of a talk",
  { count: 1, batchSize: 1 },
  async () => {
    const { pieces, notes, heapBytes } = await viewFast(MINUTES);
    const [first = 0, , , last = 0] = heapBytes;
    expect(last).toBeLessThan(first * GROWTH);
    const mebi = heapBytes.map((size) => (size / 1_048_576).toFixed(1));
    return `${pieces} pieces, ${notes} notes; ${mebi.join(", ")} MiB by quarter`;
  },
);
