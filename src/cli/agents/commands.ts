/** The flags of `agents` and `agents doctor`. Nothing here does any work. */

import type { Command } from "commander";
import type { Shell } from "../terminal/index.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

interface JsonFlag {
  readonly json?: true;
}

const DOCTOR_HELP = `
The agent runs in a temporary home, and no model is asked. Exit code 7: the agent fails at something that it
says it supports.`;

export function addAgentsCommand(program: Command, run: Run | null): void {
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
    .addHelpText("after", DOCTOR_HELP)
    .action(async (name: string, _own: JsonFlag, command: Command) => {
      if (run === null) return;
      const { runDoctor } = await import("./doctor.ts");
      // A flag that `agents` knows too is taken for its own, wherever it stands.
      const flags: JsonFlag = command.optsWithGlobals();
      run.onEnd(await runDoctor(name, flags, run.shell));
    });
}
