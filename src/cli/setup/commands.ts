/** The flags of `continuo setup`. Nothing here does any work. */

import { AGENT_NAMES } from "@continuo/core/model";
import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { SetupFlags } from "./flags.ts";

const HELP = `
Each agent gets the MCP server (search, recall and the other tools of docs/mcp.md), a skill that says when to use it, and the commands
\`/continuo-search\` and \`/continuo-handoff\`; an agent without such commands offers the skill by its name. Claude Code
and Gemini CLI, which delete old sessions, get hooks that say who else has a session open, and copy what is new when it ends; the guard
is switched on. Claude Code gets a status line, unless it has one.

All changes are shown first. \`--undo\` takes them back: files that nobody changed since become exactly what they were, and from
others only what is Continuo's is removed.

Examples:
  continuo setup --dry-run --diff   show every line that would change
  continuo setup claude             one agent
  continuo setup --undo             take everything back`;

export function addSetupCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("setup")
    .description("add Continuo to the agents of this machine: tools, skill, commands, hooks")
    .argument("[agent]", `one of ${AGENT_NAMES.join(", ")} (default: all that were used here)`)
    .option("--yes", "make the changes without a question")
    .option("--dry-run", "show what would change, and change nothing")
    .option("--diff", "show the lines of each file that change")
    .option("--undo", "take back what an earlier setup changed")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (agent: string | undefined, flags: SetupFlags) => {
      if (run === null) return;
      const { runSetup } = await import("./setup.ts");
      run.onEnd(await runSetup(agent ?? null, flags, run.shell));
    });
}
