/**
 * `npm run bench [-- NAME…] [--large] [--quick] [--only PART,…] [--rounds N] [--write]`: runs `bench/NAME/bench.ts`, all of them when none is named.
 * With `--write`, what was measured becomes `docs/speed.md`, or, with `editors`, some of its rows.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printedReport } from "./measure/index.ts";
import { withRowsOfEditors } from "./waits/page.ts";

interface BenchOptions {
  readonly large: boolean;
  readonly quick: boolean;
  /** The parts of a benchmark to run; all if none is named. */
  readonly only: readonly string[];
  readonly rounds: number;
}

/** The exports of a `bench.ts`. */
interface Bench {
  run(options: BenchOptions): void | Promise<void>;
  /** The page with what this bench measured, for a bench that has only some rows of it. */
  withResults?(page: string): string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    large: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "5" },
    write: { type: "boolean", default: false },
  },
});
const PAGE = join(import.meta.dirname, "../docs/speed.md");
const partial: NonNullable<Bench["withResults"]>[] = [];
const all = readdirSync(import.meta.dirname).filter((name) =>
  existsSync(join(import.meta.dirname, name, "bench.ts")),
);
for (const name of positionals.length > 0 ? positionals : all) {
  if (!all.includes(name)) throw new Error(`no benchmark ${name}; there are ${all.join(", ")}`);
  const bench: Bench = await import(`./${name}/bench.ts`);
  const { large, quick, rounds } = values;
  const only = values.only.split(",").filter(Boolean);
  await bench.run({ large, quick, only, rounds: Number(rounds) });
  if (bench.withResults !== undefined) partial.push(bench.withResults);
}
if (values.write) {
  const before = readFileSync(PAGE, "utf8");
  const isPartial = partial.length > 0 && partial.length === positionals.length;
  const page = isPartial ? before : withRowsOfEditors(toPage(), before);
  writeFileSync(
    PAGE,
    partial.reduce((text, withResults) => withResults(text), page),
  );
}

function toPage(): string {
  const [cpu] = cpus();
  const [load = 0] = loadavg();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return [
    "# Speed",
    "This page is written by `npm run bench -- --write`: what a person waits for, against what the machine needs at least.",
    `Measured on ${new Date().toISOString().slice(0, 10)} by \`node bench/main.ts ${process.argv.slice(2).join(" ")}\`: ${machine}, Node ${process.versions.node}, load ${load.toFixed(1)}.`,
    printedReport().startsWith("|") ? printedReport() : `\`\`\`text\n${printedReport()}\n\`\`\``,
  ]
    .join("\n\n")
    .concat("\n");
}
