/** `import`: places the content of a bundle: a session, and the work tree in which it works. */

import { resolve } from "node:path";
import type { ReceiptRecord } from "@continuo/agents/handoff/converting";
import { placeMove } from "@continuo/agents/handoff/moving";
import { placesOf } from "@continuo/files";
import { plural, type Shell } from "../terminal/index.ts";
import type { ImportFlags } from "./flags.ts";
import { printHandOff } from "./handoff.ts";
import { workTreeJson, workTreeLine } from "./work-tree.ts";

export async function runImport(file: string, flags: ImportFlags, shell: Shell): Promise<number> {
  const { cwd, into = cwd } = flags;
  // If a person names only the folder of the session, its files stay in the bundle.
  const withTree = flags.workTree && (cwd === undefined || flags.into !== undefined);
  const { made, workTree } = await placeMove(resolve(shell.cwd, file), {
    to: flags.to,
    into: into === undefined ? undefined : resolve(shell.cwd, into),
    workTree: withTree ? "with" : "without",
    places: placesOf(shell),
    until: flags.dryRun ? "receipt" : "written",
    verifyBy: flags.verify ? "agent" : "own",
  });
  const lines = workTree === null ? [] : ["", workTreeLine(workTree.state, workTree.folder, shell)];
  const json = workTree === null ? {} : { workTree: workTreeJson(workTree) };
  const code = await printHandOff(made, flags, shell, { lines, json });
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
