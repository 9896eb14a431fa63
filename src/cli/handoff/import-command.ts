/** The flags of `import`. Nothing here does any work. */

import { type Command, Option } from "commander";
import type { Shell } from "../terminal/index.ts";
import { parseFolder } from "./commands.ts";
import { AGENT_CHOICES, type ImportFlags } from "./flags.ts";

const IMPORT_HELP = `
The bundle comes from \`continuo move ID --to FILE\` or \`continuo session export ID --bundle FILE\`. The session is placed under a new id, so that no
session on this machine is overwritten; the target's own program reads it back first, where it is installed.
Conversations of sub-agents go along where the session stays with its agent. In another agent they stay in the bundle,
and the receipt names each.
With a work tree, the bundle is laid out in a clone without changes of its own, so that \`git status\` and \`git diff\` show the
same as on the other machine; a clone that cannot take it stays as it is.

Examples:
  continuo session export 4bf3c2a1 --bundle timer.bundle     on one machine
  continuo import timer.bundle --cwd ~/work/timer            on the other
  continuo import timer.bundle --cwd . --to codex            continue in another agent
  continuo move 4bf3c2a1 --to timer.bundle                   with the changes in its work tree
  continuo import timer.bundle --into ~/work/timer           into a clone, or a folder that is not there yet`;

export function addImportCommand(
  program: Command,
  run: { readonly shell: Shell; readonly onEnd: (exitCode: number) => void } | null,
): void {
  program
    .command("import")
    .description(
      "place a session from a bundle, which `move` or `session export --bundle` made, among an agent's own",
    )
    .argument("<file>", "the bundle; it does not change")
    .option("--cwd <dir>", "the folder of the session on this machine (default: the old folder)", parseFolder)
    .option(
      "--into <dir>",
      "the clone for the work tree in the bundle, or a new folder (default: the old folder)",
      parseFolder,
    )
    .option("--no-work-tree", "place only the session")
    .addOption(
      new Option("--to <agent>", "the agent that continues the session (default: its own)").choices(
        AGENT_CHOICES,
      ),
    )
    .option("--dry-run", "show the receipt, and write nothing")
    .option("--verbose", "show the whole receipt, also if nothing is lost: totals by kind, and each reason")
    .option("--no-verify", "do not check the new session with the target's own program")
    .option("--json", "print JSON")
    .addHelpText("after", IMPORT_HELP)
    .action(async (file: string, flags: ImportFlags) => {
      if (run !== null) run.onEnd(await (await import("./import.ts")).runImport(file, flags, run.shell));
    });
}
