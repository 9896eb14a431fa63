/** The flags of `agents` and `agents doctor`. Nothing here does any work. */

import { type Command, Option } from "commander";
import { parseTime } from "../flags/index.ts";
import type { ProgramRun } from "../terminal/index.ts";

interface JsonFlag {
  readonly json?: true;
}

interface DoctorFlags extends JsonFlag {
  readonly timeout?: number;
}

const DOCTOR_HELP = `
The agent runs in a temporary home, and no model is asked. Exit code 7: the agent fails at something that it
says it supports. Exit code 8: the agent does not start; the error says whether it hangs, ends, prints other text than its
protocol, or is too old.`;

export function addAgentsCommand(program: Command, run: ProgramRun | null): void {
  const agents = program
    .command("agents")
    .description(
      "list the agents on this machine: where they are, their versions, how they are driven, what they support",
    )
    .option("--json", "print JSON")
    .action(async (flags: JsonFlag) => {
      if (run === null) return;
      const { runAgents } = await import("./list.ts");
      run.onEnd(await runAgents(flags, run.shell));
    });
  agents
    .command("doctor")
    .description(
      "start an agent in a temporary home, and try what it supports: list, new, load, resume, fork",
    )
    .argument("<agent>", "the name of the agent")
    .option("--json", "print JSON")
    .addOption(
      new Option(
        "--timeout <time>",
        "how long the agent may take for each answer: 30s, 2m (default: 7s)",
      ).argParser(parseTime),
    )
    .addHelpText("after", DOCTOR_HELP)
    .action(async (name: string, _own: DoctorFlags, command: Command) => {
      if (run === null) return;
      const { runDoctor } = await import("./doctor.ts");
      // A flag that `agents` also has belongs to `agents`, wherever the flag is.
      const flags: DoctorFlags = command.optsWithGlobals();
      run.onEnd(await runDoctor(name, flags, run.shell));
    });
}
