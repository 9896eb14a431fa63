/** The flags of `continuo agent …`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { serverOptions } from "../channel/index.ts";
import type { ProgramRun } from "../terminal/index.ts";
import type { JoinFlags } from "./flags.ts";

const HELP = `
The agent answers every message that is addressed to it, including those from before it joined. It runs in this
process, with the sessions and the configuration of this machine. If it is ended while it answers, the next join
answers the same message again; the unfinished answer stays in the channel as interrupted. Agents that mention each
other do not continue forever: after --max-turns they wait for a person, and the channel says so.

Examples:
  continuo agent join team --agent claude --as claude
  continuo agent join team --agent codex --as reviewer --server https://chat.example --token-file token`;

export function addAgentCommands(agent: Command, run: ProgramRun | null): void {
  serverOptions(agent.command("join").description("let an agent answer in a channel"))
    .argument("<channel>", "the channel's name")
    .requiredOption("--agent <name>", "the agent that answers")
    .requiredOption("--as <handle>", "the handle of the agent in the channel")
    .option("--workspace <id>", "the workspace of the token", "default")
    .option("--cwd <folder>", "the folder that the agent works in (default: the current one)")
    .addOption(
      new Option(
        "--permissions <policy>",
        "what the agent may do (default: ask, which denies here, where nobody can be asked)",
      ).choices(["safe", "ask", "unrestricted"]),
    )
    .option("--model <name>", "the model that answers")
    .option(
      "--max-turns <count>",
      "messages of agents since a person's last one, before the agent waits for a person (default: 20)",
      parseCount,
    )
    .addHelpText("after", HELP)
    .action(async (channel: string, flags: JoinFlags) => {
      if (run !== null) run.onEnd(await (await import("./join.ts")).runJoin(channel, flags, run.shell));
    });
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a count of at least 1.");
  return Number(text);
}
