/** The flags of `stats`. Nothing here does any work. */

import { type Command, Option } from "commander";
import type { Shell } from "../terminal/index.ts";
import { GROUPINGS, type StatsFlags } from "./flags.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
Sessions of all agents count, with their sub-agents and archived ones, and Continuo's own that have no native session. A
model call counts for the time at which it was made. The cost is what the agent reports, else a list price; models
without a price are named. \`prices\` in the continuo.yaml of CONTINUO_HOME adds and replaces prices.

Examples:
  continuo stats --since 1w
  continuo stats --by model --since 2026-01-01
  continuo stats --by project --json`;

export function addStatsCommand(program: Command, run: Run | null): void {
  program
    .command("stats")
    .description("count sessions, turns, tokens and cost, by day, agent, project or model")
    .option(
      "--since <when>",
      "only since: 30m, 3h, 2d, 1w, today, yesterday, or an ISO date or time; to the hour",
    )
    .addOption(new Option("--by <group>", "one line for each (default: day)").choices(GROUPINGS))
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: StatsFlags) => {
      if (run === null) return;
      run.onEnd(await (await import("./stats.ts")).runStats(flags, run.shell));
    });
}
