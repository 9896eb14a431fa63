/** The flags of `mcp`. Nothing here does any work. */

import type { Command } from "commander";
import type { Shell } from "../terminal/index.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
Agents start this command themselves and talk to it over standard input and output, by the Model Context Protocol
(revision 2026-07-28, and 2025-11-25 for older clients). See docs/mcp.md for its tools.`;

export function addMcpCommands(program: Command, run: Run | null): void {
  program
    .command("mcp")
    .description("serve the memory of all sessions to an agent")
    .addHelpText("after", HELP)
    .action(async () => {
      if (run === null) return;
      run.onEnd(await (await import("./serve.ts")).runMcp(run.shell));
    });
}
