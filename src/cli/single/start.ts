/**
 * The beginning of the single executable: finds or writes its files, and starts the command, or the program of ours that
 * another one starts by its path. Node loads it from inside the executable, where only its own modules can be imported.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import { getAsset } from "node:sea";
import { setFlagsFromString } from "node:v8";
import { continuoHome, homeOfThisUser } from "@continuo/files";
import { unpackedFolder } from "./unpack.ts";

/** A program of ours, of this build or of one that was replaced while it ran. */
const OURS = /^\/.+\/dist\/cli\/[\w-]+\.js$/u;

try {
  const words = withoutFlags(process.argv.slice(2));
  const [script = ""] = words;
  const isOurs = OURS.test(script);
  const file = isOurs ? script : join(filesOfThisBuild(), "dist/cli/main.js");
  process.argv = [process.execPath, file, ...(isOurs ? words.slice(1) : words)];
  // A module can be imported by a file, not from inside the executable.
  createRequire(file)("../../bin/single.cjs")(file);
} catch (error) {
  process.stderr.write(`continuo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function filesOfThisBuild(): string {
  return unpackedFolder({
    home: continuoHome({ env: process.env, home: homeOfThisUser() }),
    id: getAsset("id", "utf8"),
    archive: () => new Uint8Array(getAsset("files")),
    onExit: (cleanUp) => process.on("exit", cleanUp),
  });
}

/** Flags of V8 stand before the path of a program that is started beside this one; Node does not read them here. */
function withoutFlags(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith("--max-old-space-size="));
  for (const flag of words.slice(0, Math.max(at, 0))) setFlagsFromString(flag);
  return at < 0 ? words : words.slice(at);
}
