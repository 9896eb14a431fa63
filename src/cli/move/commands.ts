/** The flags of `continuo move`. Nothing here does any work. */

import type { Command } from "commander";
import { ID_HELP } from "../flags/index.ts";
import type { ProgramRun } from "../terminal/index.ts";
import type { MoveFlags } from "./flags.ts";

const HELP = `
The command moves the session with all files of its agent, and what \`git status\` and \`git diff\` show in its work tree: staged, changed
and new files, without a commit, and commits that the other machine lacks. Ignored files such as .env stay here; --json names them.

To a file, this machine keeps everything as it was. To another machine, the system's ssh connects, and \`continuo\` there places the
session, which its agent reads back, and applies the changes in DIR: a clone without changes of its own, or a new folder. The
default is the folder of the same name. After that, the session is marked here as moved. A connection that breaks damages nothing on
either machine: run the same command again, and the transfer continues.

With --follow the session stays here, and the other machine gets what its agent writes, until Ctrl-C: by ssh, or by the
\`continuo serve\` that runs there, with a token for \`machine:write\`. The list there shows it as a mirror. When this machine is gone, --take-over there continues the
session with all that was acknowledged, with the changes in the work tree as they were after the last turn.

Examples:
  continuo move 4bf3c2a1 --to ssh://laptop/~/work/timer     a folder below the home there
  continuo move 4bf3c2a1 --to ssh://ann@10.0.0.7:2222       the folder of the same name
  continuo move 4bf3c2a1 --to timer.bundle                  a file, and on the other machine:
  continuo import timer.bundle --into ~/work/timer
  continuo move last --to ssh://laptop --follow             a mirror while it grows, and when this machine is gone:
  continuo move last --to https://box.example --follow --token-file box.token
  continuo move 4bf3c2a1 --take-over --into ~/work/timer`;

export function addMoveCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("move")
    .description("take a session, and the changes in its work tree, to another machine")
    .argument("<id>", "the session")
    .option("--to <place>", "ssh://[USER@]HOST[:PORT][/DIR], the bundle to write, or a server with --follow")
    .option("--take-back", "continue a session here that was moved away; it stays on the other machine too")
    .option("--follow", "mirror the session on a machine or a server while it grows, until Ctrl-C")
    .option("--take-over", "continue a session that another machine mirrors to this one")
    .option("--into <dir>", "with --take-over: the folder to continue in")
    .option("--remote-command <command>", "how the other machine starts Continuo", "continuo")
    .option(
      "--token-file <file>",
      "with a server: the file of the token (default: CONTINUO_TOKEN, else the token of this machine)",
    )
    .option("--no-work-tree", "only the session")
    .option("--force", "with a file: replace an existing one")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .addHelpText("after", ID_HELP)
    .action(async (id: string, flags: MoveFlags) => {
      if (run !== null) run.onEnd(await (await import("./move.ts")).runMove(id, flags, run.shell));
    });
}

/** The other end of the connection, started by ssh. */
export function addReceiveCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("receive-move", { hidden: true })
    .description("take a session from another machine over standard input and output")
    .action(async () => {
      if (run !== null) run.onEnd(await (await import("./receive.ts")).runReceive(run.shell));
    });
}

/** The other end of the connection of a mirror, started by ssh. */
export function addReceiveMirrorCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("receive-mirror", { hidden: true })
    .description("mirror a session of another machine over standard input and output")
    .action(async () => {
      if (run !== null) run.onEnd(await (await import("./receive.ts")).runReceiveMirror(run.shell));
    });
}
