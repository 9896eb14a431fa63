/**
 * Simulates seeds, and prints a line of JSON for each:
 *
 *     node test/simulation/program.ts AREA SEED [--count N] [--replay] [--trace] [--until STEPS] [--defect NAME]
 *
 * `--replay` runs each seed twice and compares the traces; `--trace` prints what happened; `--until` stops the
 * disturbance after so many steps, as the report of a failed seed says.
 */

import { parseArgs } from "node:util";
import { AREAS, type Area, openArea } from "./areas.ts";
import { DEFECTS } from "./defects/index.ts";
import type { Outcome } from "./scenario.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "1" },
    generations: { type: "string", default: "4" },
    until: { type: "string" },
    defect: { type: "string" },
    replay: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
  },
});
const [area, seed = "1"] = positionals;
if (!AREAS.includes(area as Area))
  throw new Error(`there is no area ${area}: name one of ${AREAS.join(", ")}`);
const defect = DEFECTS.find(({ name }) => name === values.defect);
if (values.defect !== undefined && defect === undefined)
  throw new Error(`no defect is called ${values.defect}`);

const { simulate, programs } = await openArea(area as Area, defect);
const options = { programs, generations: Number(values.generations) };
const until = values.until === undefined ? undefined : Number(values.until);

// An unhandled error of a planted defect counts as found too.
let state: "building" | "simulating" = "building";
let thrown: string | undefined;
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    thrown ??= `a process ended with ${error instanceof Error ? error.stack : String(error)}`;
    if (state === "simulating") return;
    process.stderr.write(`${thrown}\n`);
    process.exit(1);
  });
}

async function simulated(number: number, steps = until): Promise<Outcome> {
  thrown = undefined;
  state = "simulating";
  const outcome = await simulate(number, { ...options, until: steps }).catch((error: unknown): Outcome => {
    const faults = [error instanceof Error ? String(error.stack) : String(error)];
    return { seed: number, hash: "", faults, trace: [], disturbed: 0 };
  });
  state = "building";
  return thrown === undefined ? outcome : { ...outcome, faults: [...outcome.faults, thrown] };
}

/** Returns the smallest number of disturbed steps with which the seed still fails, found by bisection. */
async function shortestFailure({ seed: number, disturbed }: Outcome): Promise<number> {
  let most = disturbed;
  for (let least = 0; least < most; ) {
    const middle = Math.floor((least + most) / 2);
    if ((await simulated(number, middle)).faults.length > 0) most = middle;
    else least = middle + 1;
  }
  return most;
}

for (let number = Number(seed); number < Number(seed) + Number(values.count); number++) {
  const first = await simulated(number);
  const { trace, ...outcome } = first;
  const faults = [...outcome.faults];
  if (values.replay && (await simulated(number)).hash !== outcome.hash)
    faults.push("the seed does not replay");
  const isToShorten = faults.length > 0 && until === undefined && defect === undefined;
  const shortest = isToShorten ? await shortestFailure(first) : undefined;
  const again =
    shortest === undefined
      ? undefined
      : `node test/simulation/program.ts ${area} ${number} --until ${shortest} --trace`;
  if (values.trace) process.stderr.write(`${trace.join("\n")}\n`);
  process.stdout.write(`${JSON.stringify({ area, ...outcome, faults, steps: trace.length, again })}\n`);
  if (faults.length > 0 && defect !== undefined) break;
}
process.exit(0);
