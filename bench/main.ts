/** `npm run bench [-- NAME…] [--large] [--rounds N]`: runs `bench/NAME/bench.ts`, all of them when none is named. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** The exports of a `bench.ts`. */
interface Bench {
  run(options: { readonly large: boolean; readonly rounds: number }): void | Promise<void>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { large: { type: "boolean", default: false }, rounds: { type: "string", default: "5" } },
});
const all = readdirSync(import.meta.dirname).filter((name) =>
  existsSync(join(import.meta.dirname, name, "bench.ts")),
);
for (const name of positionals.length > 0 ? positionals : all) {
  if (!all.includes(name)) throw new Error(`no benchmark ${name}; there are ${all.join(", ")}`);
  const bench: Bench = await import(`./${name}/bench.ts`);
  await bench.run({ large: values.large, rounds: Number(values.rounds) });
}
