/**
 * The beginning of the single executable: finds or writes its files, and starts the command, or another program of
 * Continuo that is requested by its path. Node loads it from inside the executable, where only its own modules can be
 * imported.
 */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getAsset } from "node:sea";
import { setFlagsFromString } from "node:v8";
import { continuoHome, homeOfThisUser } from "@continuo/files";
import { isProgramOfOurs, unpackedFolder } from "./unpack.ts";

/** Tells the programs that this one starts where the files are, if Continuo's home cannot be written. */
const SCRATCH = "CONTINUO_SCRATCH_APP";

try {
  const words = withoutFlags(process.argv.slice(2));
  const [script = ""] = words;
  const home = continuoHome({ env: process.env, home: homeOfThisUser() });
  const isOurs = isProgramOfOurs(script, { home, scratch: process.env[SCRATCH] });
  const file = isOurs ? script : join(filesOfThisBuild(home), "dist/cli/main.js");
  process.argv = [process.execPath, file, ...(isOurs ? words.slice(1) : words)];
  // A module can be imported from a file, but not from inside the executable.
  createRequire(file)("../../bin/single.cjs")(file);
} catch (error) {
  process.stderr.write(`continuo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function filesOfThisBuild(home: string): string {
  const folder = unpackedFolder({
    home,
    id: getAsset("id", "utf8"),
    archive: () => new Uint8Array(getAsset("files")),
    onExit: (cleanUp) => process.on("exit", cleanUp),
  });
  if (dirname(folder) !== join(home, "app")) process.env[SCRATCH] = folder;
  return folder;
}

/** Sets the V8 flags that come before the path of a started program, because Node does not read them here. */
function withoutFlags(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith("--max-old-space-size="));
  for (const flag of words.slice(0, Math.max(at, 0))) setFlagsFromString(flag);
  return at < 0 ? words : words.slice(at);
}
