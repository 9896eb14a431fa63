/** The flags of `mcp`. Nothing here does any work. */

import { AGENT_NAMES } from "@continuo/core/model";
import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { InstallFlags } from "./flags.ts";
import type { OpenAsking } from "./serve.ts";

const HELP = `
Agents start this command themselves. They communicate with it over standard input and output, by the Model Context
Protocol (revision 2026-07-28, and 2025-11-25 for older clients). \`continuo mcp install\` registers the server with the
agents. See docs/mcp.md for the tools of the server.`;

const INSTALL_HELP = `
AGENT is one of ${AGENT_NAMES.join(", ")}.
Without AGENT, the command applies to every agent that was used on this machine. It shows the change of each file first.
The rest of the file stays the same, byte for byte. \`continuo mcp uninstall\` reverses the change.`;

export function addMcpCommands(program: Command, run: ProgramRun | null, openAsking: OpenAsking): void {
  const mcp = program
    .command("mcp")
    .description("serve the memory of all sessions to an agent")
    .addHelpText("after", HELP)
    .action(async () => {
      if (run === null) return;
      run.onEnd(await (await import("./serve.ts")).runMcp(run.shell, openAsking));
    });
  const add = (name: "install" | "uninstall", description: string): void => {
    mcp
      .command(name)
      .description(description)
      .argument("[agent]", "the agent (default: all that were used here)")
      .option("--yes", "make the change without a question")
      .option("--json", "print JSON")
      .addHelpText("after", INSTALL_HELP)
      .action(async (agent: string | undefined, flags: InstallFlags) => {
        if (run === null) return;
        const { runInstall } = await import("./install.ts");
        run.onEnd(await runInstall(name, agent ?? null, { flags, shell: run.shell }));
      });
  };
  add("install", "register the MCP server with an agent");
  add("uninstall", "remove the MCP server from an agent");
}
