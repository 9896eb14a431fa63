/** The flags of `doctor`. Nothing here does any work. */

import type { Command } from "commander";
import type { Shell } from "../terminal/index.ts";
import type { DoctorFlags } from "./doctor.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
Nothing is started. \`continuo agents doctor AGENT\` starts an agent and tries what it supports, and \`continuo session check\` reads
every session. Exit code 4: something does not work until it is mended.`;

export function addDoctorCommand(program: Command, run: Run | null): void {
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
