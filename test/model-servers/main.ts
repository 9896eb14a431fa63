/**
 * A model server for manual use:
 *
 * node test/model-servers/main.ts [--port N] [--log FILE.jsonl] [--script FILE.json] [--lax]
 *
 * It prints its address and runs until it is stopped. The script file holds a `Script` (see `script.ts`); without one,
 * markers in the prompts decide the answers. With `--lax`, it does not refuse requests that break the rules.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { asObject } from "./json.ts";
import { startModelServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    log: { type: "string" },
    script: { type: "string" },
    lax: { type: "boolean", default: false },
  },
});

const script = values.script === undefined ? {} : asObject(JSON.parse(readFileSync(values.script, "utf8")));
const server = await startModelServer({
  ...script,
  port: Number(values.port),
  strict: !values.lax,
  ...(values.log === undefined ? {} : { logFile: values.log }),
});
process.stdout.write(`listening on ${server.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
