/** The flags of each command. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Shell } from "../terminal/index.ts";
import type { CheckFlags } from "./check.ts";
import type { DeleteFlags } from "./delete.ts";
import { EXPORT_FORMATS, type ExportFlags } from "./export-flags.ts";
import type { ForkFlags } from "./fork.ts";
import type { InfoFlags } from "./info.ts";
import type { ListFlags } from "./list.ts";
import type { RepairFlags } from "./repair.ts";
import type { RestoreFlags } from "./restore.ts";
import type { ShowFlags } from "./show.ts";
import type { TrashFlags } from "./trash.ts";

export const SESSION_COMMANDS: readonly string[] = [
  "list",
  "info",
  "show",
  "check",
  "export",
  "delete",
  "rename",
  "fork",
  "repair",
  "restore",
  "trash",
];

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const ID_HELP = "\nID is a session's id, the beginning of one, agent:id, or the path of a session's file.";

export function addSessionCommands(session: Command, run: Run | null): void {
  /** Runs a command's work and hands its exit code on. */
  const action = (work: (shell: Shell) => Promise<number>): Promise<void> => {
    if (run === null) return Promise.resolve();
    return work(run.shell).then(run.onEnd);
  };
  addList(session, action);
  addInfo(session, action);
  addShow(session, action);
  addCheck(session, action);
  addExport(session, action);
  addDelete(session, action);
  addRename(session, action);
  addFork(session, action);
  addRepair(session, action);
  addRestore(session, action);
  addTrash(session, action);
}

type Action = (work: (shell: Shell) => Promise<number>) => Promise<void>;

function addList(session: Command, action: Action): void {
  session
    .command("list")
    .description("the sessions of every agent on this machine, newest first")
    .option(
      "--agent <name>",
      "of this agent alone, `continuo` for its own sessions; one of continuo.yaml is started and asked; may be repeated",
      collect,
    )
    .addOption(new Option("--cwd <dir>", "of this project folder alone").conflicts("here"))
    .option("--here", "of the current folder alone")
    .option("--since <when>", "updated since: 30m, 3h, 2d, 1w, today, yesterday, or an ISO date or time")
    .addOption(
      new Option("--limit <count>", "so many at most (default: 20)").argParser(parseCount).conflicts("all"),
    )
    .option("--all", "no limit")
    .option("--archived", "archived ones too")
    .option("--json", "print JSON")
    .action((flags: ListFlags) => action(async (shell) => (await import("./list.ts")).runList(flags, shell)));
}

function addInfo(session: Command, action: Action): void {
  session
    .command("info")
    .description("what is known of one session: counts, branches, sub-agents, models, token usage")
    .argument("<id>", "the session")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string, flags: InfoFlags) =>
      action(async (shell) => (await import("./info.ts")).runInfo(id, flags, shell)),
    );
}

function addShow(session: Command, action: Action): void {
  session
    .command("show")
    .description("the conversation, through a pager when it is long, opened at the newest turn")
    .argument("<id>", "the session")
    .addOption(
      new Option("--branch <leaf>", "the branch that ends here, not the active one").conflicts([
        "all",
        "tree",
      ]),
    )
    .option("--tree", "the tree of branches, a line a message")
    .option("--all", "every branch, and from the start")
    .addOption(
      new Option("--tools <how>", "tool calls and results (default: short on a terminal, else full)").choices(
        ["full", "short", "none"],
      ),
    )
    .option("--injected", "also what the agent's program put in for the model or the screen")
    .option("--from-start", "open at the first message")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string, flags: ShowFlags) =>
      action(async (shell) => (await import("./show.ts")).runShow(id, flags, shell)),
    );
}

function addCheck(session: Command, action: Action): void {
  session
    .command("check")
    .description(
      "what is wrong with a session, or with any: place and advice; exit code 4 when something is damaged",
    )
    .argument("[id]", "the session; every session, archived ones too, when left out")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: CheckFlags) =>
      action(async (shell) => (await import("./check.ts")).runCheck(id ?? null, flags, shell)),
    );
}

function addExport(session: Command, action: Action): void {
  session
    .command("export")
    .description("one session as one file that needs nothing else")
    .argument("<id>", "the session")
    .addOption(
      new Option(
        "--format <format>",
        "md, html, json (what `session show --json` prints) or jsonl (a message a line); default: by the file's ending, else md",
      ).choices(EXPORT_FORMATS),
    )
    .option("--output <file>", "write this file, whole or not at all; without it, print")
    .option("--all", "every branch")
    .addHelpText("after", ID_HELP)
    .action((id: string, flags: ExportFlags) =>
      action(async (shell) => (await import("./export.ts")).runExport(id, flags, shell)),
    );
}

function addDelete(session: Command, action: Action): void {
  session
    .command("delete")
    .description(
      "move sessions to the trash, Continuo's own for good; refused for what is open, or what forks read (exit code 5)",
    )
    .argument("<id...>", "the sessions")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((ids: readonly string[], flags: DeleteFlags) =>
      action(async (shell) => (await import("./delete.ts")).runDelete(ids, flags, shell)),
    );
}

function addRename(session: Command, action: Action): void {
  session
    .command("rename")
    .description("give a session another title, which its agent shows; refused while it is open there")
    .argument("<id>", "the session")
    .argument("<title>", "one line of at most 200 characters")
    .addHelpText("after", ID_HELP)
    .action((id: string, title: string) =>
      action(async (shell) => (await import("./rename.ts")).runRename(id, title, shell)),
    );
}

function addFork(session: Command, action: Action): void {
  session
    .command("fork")
    .description("begin a new session of the same agent with the same history, or the beginning of it")
    .argument("<id>", "the session; it is only read")
    .option("--at <message>", "the last message that goes along, by its id (default: the last one)")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string, flags: ForkFlags) =>
      action(async (shell) => (await import("./fork.ts")).runFork(id, flags, shell)),
    );
}

function addRepair(session: Command, action: Action): void {
  session
    .command("repair")
    .description(
      "what it takes to make a damaged session whole, record by record; writes nothing without a flag",
    )
    .argument("<id>", "the session")
    .addOption(new Option("--output <file>", "write a repaired copy to this new file").conflicts("inPlace"))
    .option("--in-place", "repair the session itself; what was there before goes to the trash")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string, flags: RepairFlags) =>
      action(async (shell) => (await import("./repair.ts")).runRepair(id, flags, shell)),
    );
}

function addRestore(session: Command, action: Action): void {
  session
    .command("restore")
    .description("move a session out of the trash, byte for byte to where it was")
    .argument("<id>", "the session, as `session trash` lists it")
    .option("--json", "print JSON")
    .action((id: string, flags: RestoreFlags) =>
      action(async (shell) => (await import("./restore.ts")).runRestore(id, flags, shell)),
    );
}

function addTrash(session: Command, action: Action): void {
  session
    .command("trash")
    .description("what was deleted, newest first")
    .option("--empty", "delete it for good")
    .addOption(
      new Option("--older-than <days>", "what was deleted more than so many days ago alone").argParser(
        parseDays,
      ),
    )
    .option("--yes", "with --empty: do not ask; needed where there is no terminal")
    .option("--json", "print JSON")
    .action((flags: TrashFlags) =>
      action(async (shell) => (await import("./trash.ts")).runTrash(flags, shell)),
    );
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}

function parseDays(text: string): number {
  if (!/^\d{1,6}(\.\d+)?$/u.test(text)) throw new InvalidArgumentError("It must be a number of days.");
  return Number(text);
}
