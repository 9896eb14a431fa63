/** The flags of `doctor`, `bug-report` and `errors`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { BugReportFlags } from "./bug-report.ts";
import type { DoctorFlags } from "./doctor.ts";
import type { ErrorsFlags } from "./errors.ts";
import type { SessionsFlags } from "./missed-sessions.ts";

const HELP = `
Nothing is started. \`continuo agents doctor AGENT\` starts an agent and tries what it supports, and \`continuo session check\` reads
every session. Exit code 4: something does not work until you repair it.`;

export function addDoctorCommand(program: Command, run: ProgramRun | null): void {
  const doctor = program
    .command("doctor")
    .description("check everything that Continuo needs on this machine, and say how to repair what is wrong")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: DoctorFlags) => {
      if (run === null) return;
      const { runDoctor } = await import("./doctor.ts");
      run.onEnd(await runDoctor(flags, run.shell));
    });
  doctor
    .command("sessions")
    .description("find the sessions that an agent's own list does not show, say why, and bring them back")
    .option("--agent <name>", "only sessions of this agent (repeatable)", collect)
    .option(
      "--all",
      "show also the sessions that an agent leaves out on purpose, and all sessions of each cause",
    )
    .option(
      "--fix [id...]",
      "show a plan, ask, and bring these sessions back (without an ID: all that no agent leaves out on purpose)",
    )
    .option("--dry-run", "with --fix: only the plan")
    .option("--yes", "with --fix: do not ask")
    .option("--no-verify", "with --fix: do not ask the agent whether it shows the session afterwards")
    .option("--json", "print JSON")
    .addHelpText("after", SESSIONS_HELP)
    .action(async (_own: SessionsFlags, command: Command) => {
      if (run === null) return;
      const { runSessions } = await import("./sessions.ts");
      // A flag that `doctor` also has belongs to `doctor`, wherever the flag is.
      run.onEnd(await runSessions(command.optsWithGlobals(), run.shell));
    });
}

const SESSIONS_HELP = `
Without --fix no agent is started and nothing is written. A change is made up in a folder of its own, read back and compared
before it takes its place; the old state goes to the trash, and \`continuo session restore\` undoes it byte for byte. Afterwards
the agent itself is asked, in a private home with a copy of the session and no way to a model. Exit code
4: a session is missing from its agent's list that could be there. docs/lost-and-found.md has all causes.`;

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

const ERRORS_HELP = `
An error of a command, of the library and of the server has a code; \`--json\` and the server print it. The codes of
all versions stay the same. docs/errors.md of the package has the same text.

Examples:
  continuo errors              list the codes
  continuo errors session_live explain one`;

export function addErrorsCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("errors")
    .description("explain an error code: what it means, why it happens, and what to do")
    .argument("[code]", "the code (default: list all codes)")
    .option("--json", "print JSON")
    .addHelpText("after", ERRORS_HELP)
    .action(async (code: string | undefined, flags: ErrorsFlags) => {
      if (run === null) return;
      const { runErrors } = await import("./errors.ts");
      run.onEnd(await runErrors(code ?? null, flags, run.shell));
    });
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}
