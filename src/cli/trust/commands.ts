/** The flags of `trust`. Nothing here does any work. */

import { type Command, Option } from "commander";
import type { Shell } from "../terminal/index.ts";
import type { TrustFlags } from "./flags.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
A project's continuo.yaml may not set command, args, env, transport or permissions until you trust it: whoever
clones a repository must not run its code by that. What is trusted is this content of the file; a change ends it.`;

export function addTrustCommand(program: Command, run: Run | null): void {
  program
    .command("trust")
    .description("trust the continuo.yaml of a project, as it is now, to say what programs are run")
    .argument("[dir]", "the project's folder, or the file (default: the current folder's project)")
    .addOption(new Option("--list", "what is trusted").conflicts("remove"))
    .option("--remove", "trust it no more")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string | undefined, flags: TrustFlags) => {
      if (run === null) return;
      const { runTrust } = await import("./trust.ts");
      run.onEnd(await runTrust(dir ?? null, flags, run.shell));
    });
}
