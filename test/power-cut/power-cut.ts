/** One traced run of everything that is acknowledged, and any number of power cuts in it. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "../store/harness/lines.ts";
import { createRandom } from "../store/harness/random.ts";
import { type Folder, imageAfter, type Mode, type PowerCut } from "./disk.ts";
import { type FileTree, type Operations, operationsOf } from "./operations.ts";
import { CALLS, parseTrace } from "./trace.ts";

/** The maximum length of data in the trace, which is longer than any write. */
const DATA_BYTES = "2000000";

export interface TracedProgram {
  /** A module for Node, with its arguments. */
  readonly argv: readonly string[];
  /** The root folder of the disk; everything below it is traced. */
  readonly root: string;
  /** The content of the folder when the program starts. */
  readonly before?: FileTree;
}

export async function traceOperations({ argv, root, before }: TracedProgram): Promise<Operations> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-power-trace-"));
  try {
    const trace = join(folder, "trace");
    const strace = ["-f", "-xx", "-s", DATA_BYTES, "-e", `trace=${CALLS}`, "-o", trace, process.execPath];
    // A trace does not show operations that go through io_uring.
    const child = startChild([...strace, ...argv], "strace", { UV_USE_IO_URING: "0" });
    if ((await child.ended()) !== 0) throw new Error("the traced process failed");
    return operationsOf(parseTrace(readFileSync(trace, "utf8")), root, before);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the remaining content of the disk into an existing folder. */
export function writeImage(path: string, { entries }: Folder): void {
  for (const [name, content] of entries) {
    if (Buffer.isBuffer(content)) writeFileSync(join(path, name), content);
    else {
      mkdirSync(join(path, name));
      writeImage(join(path, name), content);
    }
  }
}

export interface Loss {
  readonly cut: PowerCut;
  readonly seed: number;
  readonly losses: readonly string[];
}

export interface Cuts {
  readonly mode: Mode;
  readonly seed: number;
  readonly count: number;
}

/** Returns the errors of an image, as sentences, for the acknowledgements before the cut. */
export type CheckImage = (image: Folder, acknowledged: readonly string[]) => Promise<readonly string[]>;

/** Yields the losses of power cuts. Each cut has its own seed, so that a loss can be repeated. */
async function* cutPower(
  operations: Operations,
  { mode, seed, count }: Cuts,
  check: CheckImage,
): AsyncGenerator<Loss> {
  for (let n = 0; n < count; n++) {
    const random = createRandom(seed + n);
    const cut: PowerCut = {
      line: lineOfCut(operations, random),
      mode,
      sector: random.pick([512, 4096] as const),
    };
    const acknowledged = operations.acknowledgements.filter(({ line }) => line < cut.line);
    const losses = await check(
      imageAfter(operations, cut, random),
      acknowledged.map(({ text }) => text),
    );
    if (losses.length > 0) yield { cut, seed: seed + n, losses };
  }
}

export async function firstLoss(
  operations: Operations,
  cuts: Cuts,
  check: CheckImage,
): Promise<Loss | undefined> {
  for await (const loss of cutPower(operations, cuts, check)) return loss;
  return undefined;
}

/**
 * Chooses the line of a cut: half of the cuts come right after an acknowledgement, and a quarter right after a change.
 */
function lineOfCut(
  { acknowledgements, changes, end }: Operations,
  random: ReturnType<typeof createRandom>,
): number {
  if (random.chance(0.5)) return random.pick(acknowledgements).line + 1;
  const made = changes.filter(({ begin }) => begin >= 0);
  if (random.chance(0.5)) return random.pick(made).end + 1;
  const first = made[0]?.begin ?? 0;
  return first + random.below(end - first + 2);
}
