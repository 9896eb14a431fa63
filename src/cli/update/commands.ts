/** The flags of `continuo update`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { UpdateFlags } from "./update.ts";

const HELP = `
The address of the changelog is the key \`updates.feed\` in continuo.yaml; without it, nothing is asked. Nothing is installed.`;

export function addUpdateCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("update")
    .description("say whether there is a newer release, and what it changes")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: UpdateFlags) => {
      if (run === null) return;
      const { runUpdate } = await import("./update.ts");
      await runUpdate(flags, run.shell);
    });
}
