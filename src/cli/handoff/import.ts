/** `import`: unpacks a bundle in a folder of its own, and hands the session over to an agent of this machine. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { placesOf } from "../../files/index.ts";
import { unpackBundle } from "../../handoff/bundle/index.ts";
import { handOff } from "../../handoff/index.ts";
import { ContinuoError } from "../../model/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ImportFlags } from "./flags.ts";
import { printHandOff } from "./handoff.ts";

export async function runImport(file: string, flags: ImportFlags, shell: Shell): Promise<number> {
  using session = await unpackBundle(resolve(shell.cwd, file));
  using _onExit = shell.onExit(() => session[Symbol.dispose]());
  const made = await handOff(session.location, {
    to: flags.to ?? session.agent,
    cwd: flags.cwd === undefined ? folderHere(session.cwd) : resolve(shell.cwd, flags.cwd),
    places: placesOf(shell),
    until: flags.dryRun ? "receipt" : "written",
    verifyBy: flags.verify ? "agent" : "own",
  });
  return await printHandOff(made, flags, shell);
}

/** Errors: `usage` where the folder of the other machine is not on this one. */
function folderHere(cwd: string | null): string {
  const isFolder = cwd !== null && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return cwd;
  const why =
    cwd === null ? "the bundle does not name a folder" : `the folder ${cwd} does not exist on this machine`;
  throw new ContinuoError("usage", why, { hint: "Name the folder of the project here with --cwd DIR." });
}
