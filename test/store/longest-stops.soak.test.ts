import { measureStops } from "../../bench/stops/operations.ts";
import { soakTest } from "../sizes/soak-test.ts";

/** The limit is CPU time of the thread: other programs of the machine do not count, but a garbage collection does. */
const MOST_MS = 50;

soakTest(
  "store: no operation on a million events and 100,000 channels holds the event loop for long",
  { count: 1, batchSize: 1 },
  async () => {
    const stops = await measureStops({ events: 1_000_000, channels: 100_000, report: () => undefined });
    const long = stops.filter(({ busyMs }) => busyMs > MOST_MS);
    if (long.length > 0) {
      throw new Error(long.map(({ what, busyMs }) => `${what}: ${busyMs.toFixed(0)} ms`).join("\n"));
    }
    const longest = stops.toSorted((a, b) => b.busyMs - a.busyMs).slice(0, 3);
    return longest.map(({ what, busyMs }) => `${what} ${busyMs.toFixed(0)} ms`).join(", ");
  },
);
