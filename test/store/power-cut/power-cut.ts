/** One traced run of everything that is acknowledged, and any number of power cuts in it. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "../harness/lines.ts";
import { createRandom } from "../harness/random.ts";
import { lossesIn } from "./check.ts";
import { type Cut, imageAfter, type Mode } from "./disk.ts";
import { type Operations, operationsOf } from "./operations.ts";
import { CALLS, parseTrace } from "./trace.ts";

const POWER_USER = join(import.meta.dirname, "../processes/power-user.ts");
/** More than any one write has. */
const DATA_BYTES = "2000000";

export async function traceOperations(synchronous: "full" | "off" = "full"): Promise<Operations> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-power-"));
  try {
    const trace = join(folder, "trace");
    const root = mkdtempSync(join(folder, "disk-"));
    const strace = ["-f", "-xx", "-s", DATA_BYTES, "-e", `trace=${CALLS}`, "-o", trace, process.execPath];
    // What goes through io_uring is in no trace.
    const child = startChild([...strace, POWER_USER, root, synchronous], "strace", { UV_USE_IO_URING: "0" });
    if ((await child.ended()) !== 0) throw new Error("the traced process failed");
    return operationsOf(parseTrace(readFileSync(trace, "utf8")), root);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Loss {
  readonly cut: Cut;
  readonly seed: number;
  readonly losses: readonly string[];
}

export interface Cuts {
  readonly mode: Mode;
  readonly seed: number;
  readonly count: number;
}

/** What power cuts lose. Each has a seed of its own, so that one that loses something can be repeated. */
export async function* cutPower(operations: Operations, { mode, seed, count }: Cuts): AsyncGenerator<Loss> {
  for (let n = 0; n < count; n++) {
    const random = createRandom(seed + n);
    const cut: Cut = {
      line: lineOfCut(operations, random),
      mode,
      sector: random.pick([512, 4096] as const),
    };
    const acknowledged = operations.acknowledgements.filter(({ line }) => line < cut.line);
    const losses = await lossesIn(
      imageAfter(operations, cut, random),
      acknowledged.map(({ text }) => text),
    );
    if (losses.length > 0) yield { cut, seed: seed + n, losses };
  }
}

export async function firstLoss(operations: Operations, cuts: Cuts): Promise<Loss | undefined> {
  for await (const loss of cutPower(operations, cuts)) return loss;
  return undefined;
}

/** Half of the cuts come right after something was acknowledged. */
function lineOfCut(
  { acknowledgements, changes, end }: Operations,
  random: ReturnType<typeof createRandom>,
): number {
  if (random.chance(0.5)) return random.pick(acknowledgements).line + 1;
  const first = changes[0]?.begin ?? 0;
  return first + random.below(end - first + 2);
}
