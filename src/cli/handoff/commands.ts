/** The flags of `handoff` and `resume`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { ID_HELP } from "../flags/index.ts";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import { AGENT_CHOICES, type HandoffFlags, type LossFlag, type ResumeFlags } from "./flags.ts";

export function addHandoffCommands(program: Command, run: ProgramRun | null): void {
  const action = async (work: (shell: Shell) => Promise<number>): Promise<void> => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  program
    .command("handoff")
    .description("continue a session in another agent, as a new session of that agent")
    .argument("[id]", "the session, which does not change (default: you choose it on a terminal)")
    .addOption(
      new Option("--to <agent>", "the agent that continues the session")
        .choices(AGENT_CHOICES)
        .makeOptionMandatory(),
    )
    .option("--cwd <dir>", "the folder of the new session (default: the folder of the old one)", parseFolder)
    .option("--from-message <id>", "the id of the first message to hand over (default: the first)")
    .addOption(
      new Option(
        "--strategy <how>",
        "full: all that the agent's model would receive; recent: the newest messages that fit",
      ).choices(["full", "recent"]),
    )
    .addOption(
      new Option("--max-messages <count>", "hand over at most COUNT of the newest messages").argParser(
        parseCount,
      ),
    )
    .addOption(
      new Option(
        "--max-tokens <count>",
        "hand over the newest messages of at most about COUNT tokens",
      ).argParser(parseCount),
    )
    .option("--dry-run", "show the receipt, and write nothing")
    .option(
      "--max-loss <kind=count>",
      "fail (exit code 6) if more than COUNT of KIND would be left out (repeatable)",
      parseLoss,
    )
    .option("--verbose", "show the whole receipt, also if nothing is lost: totals by kind, and each reason")
    .option("--no-verify", "do not check the new session with the target's own program")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: HandoffFlags) =>
      action(async (shell) =>
        (await import("./handoff.ts")).runHandoff(await named(id, "hand over", shell), flags, shell),
      ),
    );
  program
    .command("resume")
    .description("start the agent of a session in the session's folder, and continue the session")
    .argument("[id]", "the session (default: you choose it on a terminal)")
    .argument("[args...]", "arguments for the agent, after `--`")
    .addOption(
      new Option(
        "--agent <agent>",
        "start this agent; a session of another agent is handed over to it first",
      ).choices(AGENT_CHOICES),
    )
    .option("--print", "print the command instead of running it; with --agent, after the hand-over")
    .option("--force", "start the agent although the session is open elsewhere")
    .option("--verbose", "with --agent: show the whole receipt of the hand-over")
    .addHelpText(
      "after",
      `
Without --print, the exit code is that of the agent. When resume fails, it ends with
  1  the id names several sessions, or one of Continuo's own that no agent has (continuo repl --resume ID continues
     it), or a file cannot be read
  2  the session names no folder, or a relative one, or its id begins with a hyphen
  3  there is no such session, or its folder no longer exists
  5  the session is open elsewhere: in its agent, or in a conversation of Continuo
  8  the agent is not installed, or its program cannot be started
One of Continuo's own continues in the native session of the agent that spoke last, after \`last:AGENT\` in that of
AGENT. With --agent AGENT it is handed over if another agent spoke last, which can fail as continuo handoff does.
continuo handoff ID --to AGENT --cwd DIR continues a session in another folder. As long as the agent runs, no
conversation of Continuo and no edit changes the session.`,
    )
    .addHelpText("after", ID_HELP)
    .action((given: string | undefined, args: readonly string[], flags: ResumeFlags) =>
      action(async (shell) => {
        const id = await named(given, "resume", shell);
        return await (await import("./resume.ts")).runResume({ id, args, flags }, shell);
      }),
    );
}

/** The session that was named, otherwise the one that the person chooses. */
async function named(id: string | undefined, verb: string, shell: Shell): Promise<string> {
  if (id !== undefined) return id;
  const { chooseInstead } = await import("../notices/index.ts");
  const [chosen = "last"] = await chooseInstead({ verb, many: false }, shell);
  return chosen;
}

/** An empty variable of a script does not mean the current folder. */
export function parseFolder(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must be the path of a folder.");
  return text;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return Number(text);
}

const LOSS = /^(text|thinking|tool_call|tool_result|image|file|other)=(\d{1,9})$/u;

function parseLoss(text: string, before: LossFlag | undefined): LossFlag {
  const [, kind, count] = LOSS.exec(text) ?? [];
  if (kind === undefined) {
    throw new InvalidArgumentError(
      "It must be KIND=COUNT with KIND one of text, thinking, tool_call, tool_result, image, file, other.",
    );
  }
  return { ...before, [kind]: Number(count) };
}
