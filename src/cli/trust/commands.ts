/** The flags of `trust`. Nothing here does any work. */

import { type Command, Option } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { TrustFlags } from "./flags.ts";

const HELP = `
On a terminal, chat and repl ask this themselves, once for each project; the answer no is kept too, and --remove forgets it.

Until you trust the folder of a project, its agents start with your own settings only, without the hooks, MCP servers and
plugins that the project configures, and inherit only a list of environment variables. Trust covers the folder, its
repository and everything below, also after a change. A folder that you trust in an agent itself is trusted for that
agent.

Until you trust it, the continuo.yaml of a project cannot set env, or command, args, env, transport or permissions of an
agent, so that cloning a repository never runs its code. This trust covers the present content of the file; a change ends
it.`;

export function addTrustCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("trust")
    .description("trust a project: what it configures may run programs")
    .argument(
      "[dir]",
      "the folder of the project, or only its continuo.yaml (default: the project of the current folder)",
    )
    .addOption(
      new Option("--list", "list the trusted and the refused folders, and the trusted files").conflicts(
        "remove",
      ),
    )
    .option("--remove", "forget what was decided about the project")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string | undefined, flags: TrustFlags) => {
      if (run === null) return;
      const { runTrust } = await import("./trust.ts");
      run.onEnd(await runTrust(dir ?? null, flags, run.shell));
    });
}
