/** The flags of `continuo move`. Nothing here does any work. */

import type { Command } from "commander";
import { ID_HELP } from "../flags/index.ts";
import type { ProgramRun } from "../terminal/index.ts";
import type { MoveFlags } from "./flags.ts";

const HELP = `
The bundle holds the session with all files of its agent, and what \`git status\` and \`git diff\` show in its work tree: staged,
changed and new files, without a commit, and commits that no remote has. Ignored files such as .env stay here; --json names them.
This machine keeps everything: \`continuo session delete ID\` moves the session to the trash when it is on the other one.

Examples:
  continuo move 4bf3c2a1 --to timer.bundle               on one machine
  continuo import timer.bundle --into ~/work/timer       on the other`;

export function addMoveCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("move")
    .description("take a session, and the changes in its work tree, to another machine")
    .argument("<id>", "the session, which does not change")
    .requiredOption("--to <file>", "the bundle to write")
    .option("--no-work-tree", "only the session")
    .option("--force", "replace an existing file")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .addHelpText("after", ID_HELP)
    .action(async (id: string, flags: MoveFlags) => {
      if (run !== null) run.onEnd(await (await import("./move.ts")).runMove(id, flags, run.shell));
    });
}
