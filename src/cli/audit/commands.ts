/** The flags of `continuo audit`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { AuditFlags } from "./flags.ts";

const HELP = `
A line says when, who, from where, what, and to what: a person by the name on this machine (user:ada), a client by the id
of its token (token:ID), a page by the token that it was opened with. Entries stay for a year; of one who repeats an act,
the newest 5,000 stay.

Examples:
  continuo audit --since 1d
  continuo audit --what token_created --all
  continuo audit --who user:ada --json`;

export function addAuditCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("audit")
    .description(
      "list who did something of consequence in a store: made tokens, deleted sessions, started agents",
    )
    .option("--since <when>", "only acts since: 30m, 3h, 2d, 1w, today, yesterday, or an ISO date or time")
    .option("--who <name>", "only acts of this user or token: user:NAME, token:ID, server, anyone")
    .option("--what <act>", "only this act, such as token_created, session_deleted or agent_started")
    .addOption(
      new Option("--limit <count>", "show the newest COUNT acts")
        .argParser(count)
        .default(100)
        .conflicts("all"),
    )
    .option("--all", "show every act, without a limit")
    .option("--store <url>", "the store to use")
    .option("--workspace <id>", "the workspace to use (default: default)")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: AuditFlags) => {
      if (run === null) return;
      run.onEnd(await (await import("./audit.ts")).runAudit(flags, run.shell));
    });
}

function count(text: string): number {
  if (/^[1-9]\d{0,5}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number from 1 to 999999.");
}
