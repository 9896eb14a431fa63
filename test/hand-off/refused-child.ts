/** `refused-child.ts REF TO CWD BELOW`: hands over, and prints the code of the error and the files below a folder. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { handOff } from "../../src/agents/index.ts";
import { type AgentName, ContinuoError } from "../../src/model/index.ts";

const [ref = "", to = "", cwd = "", below = ""] = process.argv.slice(2);
const places = { home: process.env.HOME ?? "", env: process.env };
let code = "none";
try {
  await handOff(ref, { to: to as AgentName, cwd, places, verifyBy: "own" });
} catch (error) {
  if (!(error instanceof ContinuoError)) throw error;
  code = error.code;
}
const names = readdirSync(below, { recursive: true, encoding: "utf8" });
const files = names.filter((name) => statSync(join(below, name)).isFile());
process.stdout.write(`${JSON.stringify({ code, files: files.toSorted() })}\n`);
