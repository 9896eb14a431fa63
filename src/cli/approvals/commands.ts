/** The flags of `continuo approvals …`. Nothing here does any work. */

import { Argument, type Command, Option } from "commander";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type { AnswerFlags, ListFlags, Outcome } from "./flags.ts";

const HELP = `
The questions are those of programs that run agents with the library (openContinuo). They are in the store of the program,
or at its server, whose token needs the scope approval:ID:read,write or approval:*:read,write.

Examples:
  continuo approvals --store sqlite:./desk.db
  continuo approvals answer 4bf3c2a19d07 granted --store sqlite:./desk.db
  continuo approvals answer 4bf3c2a19d07 denied --reason "paid last week" --server https://desk.example`;

export function addApprovalsCommands(approvals: Command, run: ProgramRun | null): void {
  const act = async (work: (shell: Shell) => Promise<number>): Promise<void> => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  add(approvals, "list", "list the questions of agents that wait for an answer; the default command")
    .addOption(
      new Option("--status <status>", "only approvals with this status")
        .choices(["open", "granted", "denied", "cancelled", "all"])
        .default("open"),
    )
    .addHelpText("after", HELP)
    .action((flags: ListFlags) =>
      act(async (shell) => (await import("./approvals.ts")).runList(flags, shell)),
    );
  add(approvals, "answer", "answer a question; the agent continues with the first answer")
    .argument("<approval>", "the id of the question; the beginning that the list shows is enough")
    .addArgument(new Argument("<outcome>", "the answer").choices(["granted", "denied"]))
    .option("--reason <text>", "why; the log of the session keeps it")
    .addHelpText("after", HELP)
    .action((id: string, outcome: Outcome, flags: AnswerFlags) =>
      act(async (shell) => (await import("./approvals.ts")).runAnswer({ id, outcome }, flags, shell)),
    );
}

function add(approvals: Command, name: string, says: string): Command {
  return approvals
    .command(name)
    .description(says)
    .addOption(new Option("--store <url>", "the store to use").conflicts(["server", "tokenFile"]))
    .addOption(
      new Option("--workspace <id>", "the workspace to use (default: default)").conflicts([
        "server",
        "tokenFile",
      ]),
    )
    .option("--server <url>", "ask this server instead of a store")
    .option(
      "--token-file <file>",
      "the file of the server's token (default: CONTINUO_TOKEN, else the token of this machine)",
    )
    .option("--json", "print JSON");
}
