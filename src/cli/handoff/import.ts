/** `import`: unpacks a bundle in a folder of its own, and hands the session over to an agent of this machine. */

import { statSync } from "node:fs";
import { resolve, win32 } from "node:path";
import { handOff, isNamed } from "@continuo/agents/handoff";
import { unpackBundle } from "@continuo/agents/handoff/bundle";
import type { ReceiptRecord } from "@continuo/agents/handoff/converting";
import { ContinuoError } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { plural, type Shell } from "../terminal/index.ts";
import type { ImportFlags } from "./flags.ts";
import { printHandOff } from "./handoff.ts";

export async function runImport(file: string, flags: ImportFlags, shell: Shell): Promise<number> {
  using session = await unpackBundle(resolve(shell.cwd, file));
  using _onExit = shell.onExit(() => session[Symbol.dispose]());
  const made = await handOff(session.location, {
    to: flags.to ?? session.agent,
    moved: { title: session.title },
    cwd: flags.cwd === undefined ? folderHere(session.cwd) : resolve(shell.cwd, flags.cwd),
    places: placesOf(shell),
    until: flags.dryRun ? "receipt" : "written",
    verifyBy: flags.verify ? "agent" : "own",
  });
  const code = await printHandOff(made, flags, shell);
  const isLeft = ({ place, outcome }: ReceiptRecord): boolean =>
    outcome === "noted" && place.startsWith("sub-agent ");
  const left = made.receipt.records.filter(isLeft).length;
  if (left > 0) {
    const words = left === 1 ? ["conversation", "is", "it"] : ["conversations", "are", "them"];
    const [what, are, it] = words;
    shell.stderr.write(
      `The ${what} of ${plural(left, "sub-agent")} ${are} not placed: the bundle keeps ${it}.\n`,
    );
  }
  return code;
}

/** Errors: `usage` where the folder of the other machine is not on this one. */
function folderHere(cwd: string | null): string {
  const isFolder = isNamed(cwd) && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return cwd;
  throw new ContinuoError("usage", whyNotHere(cwd), {
    hint: "Name the folder of the project here with --cwd DIR.",
  });
}

function whyNotHere(cwd: string | null): string {
  if (cwd === null) return "the bundle does not name a folder";
  // A path of Windows is whole there, and leads nowhere here.
  const isRelative = !isNamed(cwd) && !win32.isAbsolute(cwd);
  return isRelative
    ? `the bundle names its folder by a relative path: ${cwd}`
    : `the folder ${cwd} does not exist on this machine`;
}
