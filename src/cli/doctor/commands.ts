/** The flags of `doctor` and `bug-report`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { BugReportFlags } from "./bug-report.ts";
import type { DoctorFlags } from "./doctor.ts";

const HELP = `
Nothing is started. \`continuo agents doctor AGENT\` starts an agent and tries what it supports, and \`continuo session check\` reads
every session. Exit code 4: something does not work until it is mended.`;

export function addDoctorCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("doctor")
    .description("look at everything that Continuo needs on this machine, and say what to do about it")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: DoctorFlags) => {
      if (run === null) return;
      const { runDoctor } = await import("./doctor.ts");
      run.onEnd(await runDoctor(flags, run.shell));
    });
}

const REPORT_HELP = `
The page has the versions, what \`continuo doctor\` finds, and the end of the debug log, which \`--debug\` writes. It has no content and
no title of a session; secrets are masked, and the home folder is \`~\`. Nothing is sent.`;

export function addBugReportCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("bug-report")
    .description("write a page for a report of a mistake: versions, the doctor, the debug log")
    .option("--output <file>", "the file to write", "continuo-bug-report.md")
    .option("--force", "replace the file")
    .addHelpText("after", REPORT_HELP)
    .action(async (flags: BugReportFlags) => {
      if (run === null) return;
      const { runBugReport } = await import("./bug-report.ts");
      run.onEnd(await runBugReport(flags, run.shell));
    });
}
