/** The commands and flags of `continuo guard`. Nothing here does any work. */

import { AGENT_NAMES } from "@continuo/core/model";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type { JsonFlag, OnFlags, RestoreFlags, RetentionFlags, RunFlags, StatusFlags } from "./flags.ts";
import type { HookFlags } from "./hook.ts";

const HELP = `
Claude Code deletes sessions that nobody wrote to for 30 days, and Gemini CLI old ones and those that it cannot list, unless their
settings say otherwise. The guard copies them before. A copy is compressed, private, and checked by its hash; a session that
grows is stored by its new part. Sessions of which only a copy is left are in \`list\`, \`search\`, \`show\` and \`handoff\` like others, and
\`continuo resume\` puts them back. What \`index.exclude\` of continuo.yaml names is not copied.`;

const HOOK_HELP = `
Call it at the start of a session, at each prompt and at the end (SessionStart, UserPromptSubmit and SessionEnd of Claude Code and
Codex; SessionStart, BeforeAgent and SessionEnd of Gemini CLI). It reads the event from standard input, prints nothing if nobody else
has the session open, and always ends with 0. On systems other than Linux it knows no process, and says nothing.`;

type Action = (work: (shell: Shell) => Promise<number>) => Promise<void>;

export function addGuardCommands(guard: Command, run: ProgramRun | null): void {
  guard.addHelpText("after", HELP);
  const action: Action = async (work) => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  guard
    .command("on")
    .description("copy sessions before their agents delete them: now, every hour, and while a server runs")
    .addOption(
      new Option("--max-size <size>", "the most that copies take: 500MB, 10GB (the default)").argParser(
        parseSize,
      ),
    )
    .addOption(
      new Option(
        "--max-age <days>",
        "remove the copy of a deleted session after DAYS; never (the default)",
      ).argParser(parseAge),
    )
    .option("--no-timer", "install no timer: copies are made only while a server runs, and after lists")
    .option("--json", "print JSON")
    .action((flags: OnFlags) => action(async (shell) => (await import("./switch.ts")).runOn(flags, shell)));
  guard
    .command("off")
    .description("make no more copies; those that are there stay")
    .option("--json", "print JSON")
    .action((flags: JsonFlag) => action(async (shell) => (await import("./switch.ts")).runOff(flags, shell)));
  guard
    .command("status")
    .description("say what each agent deletes, how many sessions it deletes soon, and what is copied")
    .addOption(
      new Option("--within <days>", "count the sessions that are deleted within DAYS")
        .argParser(parseDays)
        .default(5),
    )
    .option("--json", "print JSON")
    .action((flags: StatusFlags) =>
      action(async (shell) => (await import("./status.ts")).runStatus(flags, shell)),
    );
  guard
    .command("list")
    .description("list the sessions of which only a copy is left")
    .option("--json", "print JSON")
    .action((flags: JsonFlag) =>
      action(async (shell) => (await import("./status.ts")).runList(flags, shell)),
    );
  addRunCommands(guard, action);
}

function addRunCommands(guard: Command, action: Action): void {
  guard
    .command("run")
    .description("make the copies now, if the guard is on; for a timer, or for a hook of an agent")
    .option("--quiet", "print nothing, and do nothing where another run is at work")
    .option("--json", "print JSON")
    .action((flags: RunFlags) =>
      action(async (shell) => (await import("./run-guard.ts")).runRun(flags, shell)),
    );
  guard
    .command("hook")
    .description(
      "for a hook of an agent: say which session the agent has open, and warn who else has it open",
    )
    .option("--block", "refuse the prompt instead of warning")
    .addOption(
      new Option("--agent <agent>", "the agent that calls (default: found by its process)").choices(
        AGENT_NAMES,
      ),
    )
    .option("--session <id>", "the session, for a plugin; standard input is not read then")
    .option("--end", "with --session: the agent closes it")
    .addHelpText("after", HOOK_HELP)
    .action((flags: HookFlags) => action(async (shell) => (await import("./hook.ts")).runHook(flags, shell)));
  guard
    .command("restore")
    .description("put a session back into its agent's folder, so that the agent's next sweep leaves it")
    .argument("<id>", "the session, or the beginning of its id")
    .addOption(new Option("--state <number>", "1 is the newest state (the default)").argParser(parseState))
    .option("--force", "move a session that is now in its place to the trash")
    .option("--json", "print JSON")
    .action((id: string, flags: RestoreFlags) =>
      action(async (shell) => (await import("./restore.ts")).runRestore(id, flags, shell)),
    );
  guard
    .command("verify")
    .description("read every copy, and compare it with what was stored")
    .option("--json", "print JSON")
    .action((flags: JsonFlag) =>
      action(async (shell) => (await import("./restore.ts")).runVerify(flags, shell)),
    );
  guard
    .command("retention")
    .description("change an agent's own setting, so that it deletes no session because of its age")
    .argument("<agent>", "claude or gemini")
    .option("--undo", "take the change back")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((agent: string, flags: RetentionFlags) =>
      action(async (shell) => (await import("./retention.ts")).runRetention(agent, flags, shell)),
    );
}

const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

function parseSize(text: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d+)?)\s*([kmgt])?b?$/iu.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError("It must be a size, such as 500MB or 10GB.");
  return Math.round(Number(number) * (UNITS[(unit ?? "").toLowerCase()] ?? 1));
}

function parseAge(text: string): number | "never" {
  return text === "never" ? "never" : parseDays(text);
}

function parseDays(text: string): number {
  if (!/^\d{1,6}(\.\d+)?$/u.test(text)) throw new InvalidArgumentError("It must be a number of days.");
  return Number(text);
}

function parseState(text: string): number {
  if (!/^[1-9]\d{0,3}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return Number(text);
}
