/**
 * `refused-child.ts REF TO CWD BELOW [UID WRITABLE]`: hands over, and prints the code of the error and the files below
 * a folder. With a user's number it runs as that user, but first hands over once as the present user with a writable
 * home. This loads all modules, which the other user might not be able to read.
 */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { handOff } from "@continuo/agents";
import { type AgentName, ContinuoError } from "@continuo/core/model";

const [ref = "", to = "", cwd = "", below = "", uid, writable = ""] = process.argv.slice(2);
const options = { to: to as AgentName, cwd, verifyBy: "own" } as const;
const places = { home: process.env.HOME ?? "", env: process.env };
let code = "none";
if (uid !== undefined) {
  await handOff(ref, { ...options, places: { home: writable, env: {} } });
  process.setegid?.(Number(uid));
  process.seteuid?.(Number(uid));
}
try {
  await handOff(ref, { ...options, places });
} catch (error) {
  if (!(error instanceof ContinuoError)) throw error;
  code = error.code;
}
const names = readdirSync(below, { recursive: true, encoding: "utf8" });
const files = names.filter((name) => statSync(join(below, name)).isFile());
process.stdout.write(`${JSON.stringify({ code, files: files.toSorted() })}\n`);
