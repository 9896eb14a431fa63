/** The flags of `handoff` and `resume`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Shell } from "../terminal/index.ts";
import { AGENT_CHOICES, type HandoffFlags, type LossFlag, type ResumeFlags } from "./flags.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const ID_HELP = "\nID is a session's id, the beginning of one, agent:id, or the path of a session's file.";

export function addHandoffCommands(program: Command, run: Run | null): void {
  const action = async (work: (shell: Shell) => Promise<number>): Promise<void> => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  program
    .command("handoff")
    .description("go on with a session in another agent, as a new session of that agent")
    .argument("<id>", "the session; it is only read")
    .addOption(
      new Option("--to <agent>", "the agent to go on in").choices(AGENT_CHOICES).makeOptionMandatory(),
    )
    .option("--cwd <dir>", "the folder to go on in (default: the session's own)", parseFolder)
    .option("--from-message <id>", "begin with this message")
    .addOption(
      new Option(
        "--strategy <how>",
        "full: all that the model would be sent; recent: the newest that fit",
      ).choices(["full", "recent"]),
    )
    .addOption(new Option("--max-messages <count>", "so many of the newest at most").argParser(parseCount))
    .addOption(
      new Option("--max-tokens <count>", "about so many tokens of the newest at most").argParser(parseCount),
    )
    .option("--dry-run", "make the receipt, and write nothing")
    .option(
      "--max-loss <kind=count>",
      "fail (exit code 6) when more of this kind is left out; may be repeated",
      parseLoss,
    )
    .option("--no-verify", "do not let the target's own program read the new session first")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string, flags: HandoffFlags) =>
      action(async (shell) => (await import("./handoff.ts")).runHandoff(id, flags, shell)),
    );
  program
    .command("resume")
    .description("start the agent of a session where it left off, in the session's folder")
    .argument("<id>", "the session")
    .argument("[args...]", "behind `--`: for the agent")
    .addOption(new Option("--agent <agent>", "another agent, after a hand-over to it").choices(AGENT_CHOICES))
    .option("--print", "print the command, and start nothing; with --agent, after the hand-over")
    .addHelpText("after", ID_HELP)
    .action((id: string, args: readonly string[], flags: ResumeFlags) =>
      action(async (shell) => (await import("./resume.ts")).runResume({ id, args, flags }, shell)),
    );
}

/** A variable of a script that is empty is not the current folder. */
function parseFolder(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must be the path of a folder.");
  return text;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}

const LOSS = /^(text|thinking|tool_call|tool_result|image|file|other)=(\d{1,9})$/u;

function parseLoss(text: string, before: LossFlag | undefined): LossFlag {
  const [, kind, count] = LOSS.exec(text) ?? [];
  if (kind === undefined) {
    throw new InvalidArgumentError(
      "It must be KIND=COUNT, KIND one of text, thinking, tool_call, tool_result, image, file, other.",
    );
  }
  return { ...before, [kind]: Number(count) };
}
