/**
 * `npm run bench -- stops`: the time for which each long operation on a store of a million events blocks the event
 * loop.
 */

import { printRatios } from "../measure/index.ts";
import { measureStops } from "./operations.ts";

/** Milliseconds. */
export const MOST_MS = 20;

export async function run(): Promise<void> {
  const report = (line: string): void => void process.stdout.write(`${line}\n`);
  report("\nThe longest stop of the event loop");
  const stops = await measureStops({ events: 1_000_000, channels: 100_000, report });
  printRatios(
    stops.map(({ what, busyMs }) => ({
      what: `${what}: ms busy in one turn`,
      ratio: busyMs,
      wanted: "below",
      target: MOST_MS,
    })),
  );
}
