/** The flags of `stats`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import { GROUPINGS, type StatsFlags } from "./flags.ts";

const HELP = `
Sessions of all agents count, with their sub-agents and archived ones, and Continuo's own that have no native session. A
model call counts for the time at which it was made. The cost is what the agent reports, else a list price; models
without a price are named. \`prices\` in the continuo.yaml of CONTINUO_HOME adds and replaces prices.

A block is five hours, as the limits of subscriptions count them. \`--update-prices\` takes a copy of LiteLLM's table,
model_prices_and_context_window.json, which is used while it is newer than the prices that come with Continuo.

Examples:
  continuo stats --since 1w
  continuo stats --by model --since 2026-01-01
  continuo stats --by week --chart
  continuo stats --by block --agent claude
  continuo stats --by project --json`;

export function addStatsCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("stats")
    .description("count sessions, turns, tokens and cost, by time, session, agent, project or model")
    .option(
      "--since <when>",
      "only since: 30m, 3h, 2d, 1w, today, yesterday, or an ISO date or time; to the hour",
    )
    .addOption(
      new Option("--by <group>", "sum up each of these in one line (default: day)").choices(GROUPINGS),
    )
    .option("--agent <name>", "only sessions of this agent (repeatable)", collect)
    .addOption(
      new Option("--limit <count>", "show at most COUNT lines (default: 20, but all times)").argParser(
        parseCount,
      ),
    )
    .option("--chart", "draw a bar in each line instead of the numbers")
    .option("--update-prices <file|url>", "take newer prices from a file or an address, and count nothing")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: StatsFlags) => {
      if (run === null) return;
      const { updatePrices } = flags;
      run.onEnd(
        updatePrices === undefined
          ? await (await import("./stats.ts")).runStats(flags, run.shell)
          : await (await import("./update-prices.ts")).runUpdatePrices(updatePrices, run.shell),
      );
    });
}

const STATUSLINE_HELP = `
In ~/.claude/settings.json:
  "statusLine": { "type": "command", "command": "continuo statusline" }

The line names the model, the cost of the session, the part of the context that is used, the cost of today in all agents
and of Claude Code's block of five hours, and how long the cache of the session stays warm. What is not known is left out.`;

export function addStatuslineCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("statusline")
    .description(
      "print a status line for Claude Code, which sends the facts of its session on standard input",
    )
    .addHelpText("after", STATUSLINE_HELP)
    .action(async () => {
      if (run !== null) run.onEnd(await (await import("./statusline.ts")).runStatusline(run.shell));
    });
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value.toLowerCase()];
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return Number(text);
}
