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
The agent is started in a home of its own, which is thrown away afterwards, and no model is asked. Exit code 7: it
does not do what it says that it can.`;

export function addAgentsCommand(program: Command, run: Run | null): void {
  const agents = program
    .command("agents")
    .description("the agents on this machine: where, which version, how they are driven, what they can do")
    .option("--json", "print JSON")
    .action(async (flags: JsonFlag) => {
      if (run === null) return;
      const { runAgents } = await import("./list.ts");
      run.onEnd(await runAgents(flags, run.shell));
    });
  agents
    .command("doctor")
    .description(
      "start an agent in a scratch home, and try what it can really do: list, new, load, resume, fork",
    )
    .argument("<agent>", "its name")
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
