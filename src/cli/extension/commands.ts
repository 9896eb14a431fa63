/** The flags of `continuo extension`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { ExtensionFlags } from "./flags.ts";

const HELP = `
The extension watches a video with you, and writes notes next to it. It comes with Continuo; a browser loads it from the folder
that is printed. No program can open the browser's own page of extensions, so a page with the steps opens instead.

Examples:
  continuo extension             print the folder and the steps, and open them as a page
  continuo extension --no-open   only print them`;

export function addExtensionCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("extension")
    .description("install the browser extension: its folder, and the three steps to the first note")
    .option("--no-open", "open no browser")
    .option("--json", "print the folders as JSON")
    .addHelpText("after", HELP)
    .action(async (flags: ExtensionFlags) => {
      if (run === null) return;
      const { runExtension } = await import("./extension.ts");
      run.onEnd(await runExtension(flags, run.shell));
    });
}
