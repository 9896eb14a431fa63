/** The flags of `search`, `open` and `index`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { parseTime } from "../flags/index.ts";
import { runIndexingWork } from "../indexing/index.ts";
import type { ProgramRun } from "../terminal/index.ts";
import type { IndexFlags, OpenFlags, SearchFlags } from "./flags.ts";

const SEARCH_HELP = `
A turn matches if it contains every word, in any order, in any letter case, with or without accents. The parts of names
in code are words too: \`name\` finds \`readUserName\`, \`user_name\` and \`src/name.ts\`. If no turn has every word,
those with most of the words are shown, and other forms of a word count too. A question is searched in this way as well,
and can name a time ("last week").

  "two words"      these words next to each other; an argument with spaces is a phrase too
  -word            without this word
  agent:codex      sessions of this agent
  project:shop     sessions whose folder contains this
  branch:main      sessions whose git branch contains this
  role:user        words that were said by user, assistant, tool or system
  tool:Bash        turns that call this tool
  file:index.ts    turns that name a file whose path contains this
  since:3d         turns since: 30m, 3h, 2d, 1w, today, yesterday, or an ISO date or time
  error:           turns in which something failed; error:timeout with this word in a result
  -tool:Bash       every filter can be negated: -agent:codex, -role:tool, -since:1w (before it), -error:

Text that an agent's program inserted, such as a list of skills, is searched only with role:system or --injected.

Examples:
  continuo search retry backoff
  continuo search "which port does the proxy listen on?"
  continuo search '"connection reset"' agent:claude since:2w
  continuo search error: tool:Bash role:tool npm
  continuo search --regex 'v\\d+\\.\\d+' project:shop
  continuo open 3                   show the third result`;

export function addSearchCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("search")
    .description("search every session of every agent on this machine")
    .argument("[query...]", "words, phrases and filters")
    .addOption(
      new Option("--limit <count>", "show at most COUNT sessions (default: 10)")
        .argParser(parseCount)
        .conflicts("all"),
    )
    .option("--all", "show every session that matches")
    .option(
      "--injected",
      "search also what agents' programs inserted: lists of skills, instructions, definitions of tools",
    )
    .option(
      "--regex <pattern>",
      "only turns with a text that this regular expression matches (JavaScript, flag u)",
    )
    .addOption(
      new Option(
        "--timeout <time>",
        "end after this time (5s, 1m) with what was found; exit code 9 if sessions were not searched",
      ).argParser(parseTime),
    )
    .option("--json", "print JSON")
    .allowUnknownOption()
    .addHelpText("after", SEARCH_HELP)
    .action(async (words: readonly string[], flags: SearchFlags) => {
      if (run === null) return;
      run.onEnd(await (await import("./search.ts")).runSearch(words, flags, run.shell));
    });
}

const OPEN_HELP = `
NUMBER is the number of a result of the last search in this terminal. A session id with --message shows the turn that
contains the message, as the links of \`continuo search --json\` do.`;

export function addOpenCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("open")
    .description("show the turn that a search found")
    .argument("<number>", "the number of the result, or a session")
    .option("--message <id>", "the message of the session, by its id")
    .addHelpText("after", OPEN_HELP)
    .action(async (name: string, flags: OpenFlags) => {
      if (run === null) return;
      run.onEnd(await (await import("./open.ts")).runOpen(name, flags, run.shell));
    });
}

export function addIndexCommands(index: Command, run: ProgramRun | null): void {
  const add = (name: "status" | "update" | "rebuild" | "clear", description: string): void => {
    const command = index.command(name).description(description).option("--json", "print JSON");
    // People do not type this flag: another command starts an update with it.
    if (name === "update") command.addOption(new Option("--background").hideHelp());
    command.action(async (flags: IndexFlags) => {
      if (run === null) return;
      if (flags.background) run.onEnd(await runIndexingWork(run.shell));
      else run.onEnd(await (await import("./index-work.ts")).runIndex(name, flags, run.shell));
    });
  };
  add("status", "how much of the sessions is indexed, and how large the index is");
  add("update", "index the sessions that are new or changed");
  add("rebuild", "delete the index and create it again");
  add("clear", "delete the index; the next list or search creates it again");
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}
