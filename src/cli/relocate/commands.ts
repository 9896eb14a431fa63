/** The flags of `continuo relocate`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { RelocateFlags } from "./relocate.ts";

const HELP = `
Move the folder first; this changes every place at Claude Code, Codex, Gemini CLI, opencode and pi that holds its path, so that
their own lists show the sessions in the new folder and resume them there. What was said keeps the old path. The old state goes to
the trash, and \`continuo session restore\` undoes all of it byte for byte. Without folders, projects are found whose folder is
gone and whose git remote, first commit or last known commit is that of a folder of this machine. A session whose compressed
file is damaged is left out and counted.

Examples:
  continuo relocate                            what moved, and where to
  continuo relocate ~/work/old ~/work/new      a plan, a question, the change
  continuo relocate --dry-run old new          only the plan`;

export function addRelocateCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("relocate")
    .description("keep the sessions of a project whose folder was renamed, moved or cloned again")
    .argument("[old]", "the folder that the project had")
    .argument("[new]", "the folder that it has now")
    .option("--dry-run", "only the plan")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (from: string | undefined, to: string | undefined, flags: RelocateFlags) => {
      if (run === null) return;
      run.onEnd(await (await import("./relocate.ts")).runRelocate({ from, to }, flags, run.shell));
    });
}
