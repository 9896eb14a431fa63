/** Simulates a seed, and prints a line of JSON: `program.ts SEED GENERATIONS [DEFECT]`. */

import { DEFECTS } from "./defects.ts";
import { type Graph, installGraphs, loadGraph } from "./graphs.ts";

const [seed = "1", generations = "4", name] = process.argv.slice(2);
const defect = DEFECTS.find((each) => each.name === name);
if (name !== undefined && defect === undefined) throw new Error(`no defect is called ${name}`);
installGraphs(defect);
const { simulate } = await import("./scenario.ts");
const graphs: Graph[] = [];
for (let copy = 0; copy < 2 * Number(generations) + 1; copy++) graphs.push(await loadGraph(copy));
const { trace, ...outcome } = await simulate(Number(seed), { graphs, generations: Number(generations) });
if (process.env.CONTINUO_TRACE === "1") process.stderr.write(`${trace.join("\n")}\n`);
process.stdout.write(`${JSON.stringify({ ...outcome, steps: trace.length })}\n`);
process.exit(0);
