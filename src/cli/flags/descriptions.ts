/** Flags and help texts that several commands share. Nothing here does any work. */

import { AGENT_NAMES } from "@continuo/core/model";
import { type Command, InvalidArgumentError, Option } from "commander";

/** Follows the help text of every command that takes a session. `lookUp` of the catalog finds the session. */
export const ID_HELP = `
ID names a session: its id or the beginning of it, AGENT:ID, continuo:ID for one of Continuo's own, the
path of its file, \`last\` (\`last:AGENT\`), the newest session in \`continuo list\`, the number of its row in the last list of
this terminal, or its title (for commands that change nothing, words of the title are enough). On a terminal you choose
among several.`;

/** The flags that `chat` and `repl` share. */
export function addTalkOptions(command: Command): Command {
  return command
    .option("-a, --agent <agent>", `the agent to talk to: ${AGENT_NAMES.join(", ")}, or one of continuo.yaml`)
    .addOption(
      new Option(
        "--resume [id]",
        "continue this session, a native one or Continuo's own; without an ID, you choose it on a terminal",
      ).conflicts(["continue", "fork"]),
    )
    .addOption(new Option("--continue", "continue the newest session of the folder").conflicts("fork"))
    .option("--fork [id]", "continue a copy of this session")
    .addOption(
      new Option("--new", "begin a new session, even if continuo.yaml says to always continue").conflicts([
        "resume",
        "continue",
        "fork",
      ]),
    )
    .option("--title <text>", "the title of the session")
    .option("--cwd <dir>", "the folder to work in (default: the folder of the session, else the current one)")
    .addOption(
      new Option(
        "--continuation <mode>",
        "how the agent receives the earlier messages (default: auto)",
      ).choices(["auto", "native", "replay", "none"]),
    )
    .addOption(
      new Option(
        "--on-missing <what>",
        "what to do if the agent cannot resume the session (default: error)",
      ).choices(["error", "replay", "new"]),
    )
    .addOption(
      new Option("--permissions <policy>", "what the agent may do (default: ask)").choices([
        "safe",
        "ask",
        "unrestricted",
      ]),
    )
    .option("--model <model>", "the model, as the agent names it")
    .addOption(
      new Option("--transport <how>", "the protocol to drive the agent with").choices(["native", "acp"]),
    )
    .option("--mcp <file>", "give the agent the MCP servers of this file, which has the form of .mcp.json")
    .addOption(
      new Option("--timeout <time>", "cancel a turn after this time: 30s, 10m, 2h").argParser(parseTime),
    )
    .addOption(countOption("--max-messages <count>", "send at most COUNT earlier messages again"))
    .addOption(countOption("--max-chars <count>", "send at most COUNT characters of earlier messages again"))
    .addOption(
      countOption("--max-tokens-approx <count>", "send about COUNT tokens of earlier messages again at most"),
    )
    .addOption(countOption("--limit <count>", "read only the newest COUNT events of the session"))
    .option(
      "--store <url>",
      "the store of the session (default: CONTINUO_STORE, else the database in CONTINUO_HOME)",
    )
    .option("--workspace <id>", "the workspace to use (default: default)");
}

function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseCount);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,15}$/u.test(text) || count < 1) {
    throw new InvalidArgumentError("It must be a whole number, at least 1.");
  }
  return count;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30s`, `10m`, `2h` in milliseconds. */
export function parseTime(text: string): number {
  const [, count, unit = "s"] = /^(\d{1,7})(ms|s|m|h)?$/u.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(ms > 0)) throw new InvalidArgumentError("It must be a time: 30s, 10m, 2h.");
  return ms;
}
