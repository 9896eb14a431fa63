/** The flags of `acp`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";

const HELP = `
Editors start this command themselves and talk to it over standard input and output, by the Agent Client Protocol. Their
list of sessions then has those of all agents on this machine, and any of them continues in its own agent or in another
one. See docs/editors.md for the settings of each editor.`;

export function addAcpCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("acp")
    .description("serve the sessions of all agents to an editor")
    .addHelpText("after", HELP)
    .action(async () => {
      if (run === null) return;
      run.onEnd(await (await import("./serve.ts")).runAcp(run.shell));
    });
}
