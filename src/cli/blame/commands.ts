/** The flags of `continuo blame`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { BlameFlags } from "./flags.ts";

const HELP = `
A line belongs to the session that wrote it last, even if edits moved it later, if it was committed, or if the file was
renamed. Only edits by tools are known: a line that a person or a command wrote belongs to no session.

Examples:
  continuo blame src/brew.ts           the turn of each line
  continuo blame src/brew.ts:12        one line: the turn, its prompt, and who wrote it before
  continuo blame src/brew.ts:12-20     some lines
  continuo blame --commit HEAD         the turns that wrote a commit, and those that made it`;

export function addBlameCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("blame")
    .description("show which turn of which session wrote the lines of a file, or a commit")
    .argument("[file]", "a file, or FILE:LINE, or FILE:FIRST-LAST")
    .option("--commit <revision>", "the sessions of a commit of the repository of the current folder")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (file: string | undefined, flags: BlameFlags) => {
      if (run === null) return;
      run.onEnd(await (await import("./blame.ts")).runBlame(file, flags, run.shell));
    });
}
