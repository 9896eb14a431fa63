/** The flags of each command. Nothing here does any work. */

import type { RowOrder } from "@continuo/agents/catalog";
import { type Command, InvalidArgumentError, Option } from "commander";
import { ID_HELP } from "../flags/index.ts";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type {
  DeleteFlags,
  ForkFlags,
  MarkVerb,
  RepairFlags,
  RestoreFlags,
  TagFlags,
  TrashFlags,
} from "./change/index.ts";
import type { ExportFlags, ExportFormat } from "./export/index.ts";
import type { CheckFlags, InfoFlags } from "./facts/index.ts";
import type { ListFlags } from "./list/index.ts";
import type { FollowFlags, ShowFlags } from "./show/index.ts";

export const SESSION_COMMANDS: readonly string[] = [
  "list",
  "info",
  "show",
  "follow",
  "check",
  "export",
  "copy",
  "delete",
  "rename",
  "pin",
  "unpin",
  "archive",
  "unarchive",
  "tag",
  "fork",
  "repair",
  "restore",
  "trash",
];

/** Flags load no work of a command, so the names are repeated here. */
const EXPORT_FORMATS: Readonly<Record<ExportFormat, true>> = {
  md: true,
  html: true,
  json: true,
  jsonl: true,
  openai: true,
  anthropic: true,
  sharegpt: true,
};

export function addSessionCommands(session: Command, run: ProgramRun | null): void {
  /** Runs a command's work and passes on its exit code. */
  const action = (work: (shell: Shell) => Promise<number>): Promise<void> => {
    if (run === null) return Promise.resolve();
    return work(run.shell).then(run.onEnd);
  };
  addList(session, action);
  addInfo(session, action);
  addShow(session, action);
  addFollow(session, action);
  addCheck(session, action);
  addExport(session, action);
  addCopy(session, action);
  addDelete(session, action);
  addRename(session, action);
  for (const verb of Object.keys(MARK_HELP) as MarkVerb[]) addMark(session, verb, action);
  addTag(session, action);
  addFork(session, action);
  addRepair(session, action);
  addRestore(session, action);
  addTrash(session, action);
}

type Action = (work: (shell: Shell) => Promise<number>) => Promise<void>;

/** The session that was named, otherwise the one that the person chooses. */
async function named(id: string | undefined, verb: string, shell: Shell): Promise<string> {
  if (id !== undefined) return id;
  const [chosen = "last"] = await (await import("../notices/index.ts")).chooseInstead(
    { verb, many: false },
    shell,
  );
  return chosen;
}

const ORDERS: readonly RowOrder[] = ["updated", "created", "size", "title", "project", "agent"];

function addList(session: Command, action: Action): void {
  session
    .command("list")
    .description("list the sessions of all agents on this machine, newest first")
    .argument("[agent...]", "the same as --agent")
    .option(
      "--agent <name>",
      "only sessions of this agent, `continuo` for Continuo's own (repeatable); an agent of continuo.yaml is started to list its sessions",
      collect,
    )
    .addOption(new Option("--cwd <dir>", "only sessions of this folder and those below it").conflicts("here"))
    .option(
      "--here",
      "only sessions of the current folder, those below it, and its other clones and work trees",
    )
    .option("--exact", "with --cwd or --here: only sessions of the folder itself")
    .option("--project <text>", "only sessions whose folder contains TEXT")
    .option("--branch <text>", "only sessions whose git branch contains TEXT")
    .option(
      "--model <text>",
      "only sessions with an answer of a model whose name contains TEXT (reads each session once)",
    )
    .option(
      "--since <when>",
      "only sessions updated since: 30m, 3h, 2d, 1w, today, yesterday, or an ISO date or time",
    )
    .option("--until <when>", "only sessions updated before this time")
    .option("--pinned", "only pinned sessions")
    .option("--tag <tag>", "only sessions that have this tag (repeatable)", collect)
    .addOption(new Option("--sort <order>", "the order (default: updated)").choices(ORDERS))
    .addOption(
      new Option("--limit <count>", "show at most COUNT sessions (default: 20; with --json all)")
        .argParser(parseCount)
        .conflicts("all"),
    )
    .option("--all", "show every session, without a limit")
    .option("--title <words>", "only sessions whose title contains all of these words")
    .option(
      "--has-problems",
      "only sessions with problems, archived and empty ones too: reads each session, as `session check` does",
    )
    .option("--empty", "include sessions without a message of a person; --json always does")
    .option("--archived", "include archived sessions")
    .option("--json", "print JSON")
    .action((agents: readonly string[], flags: ListFlags) =>
      action(async (shell) => (await import("./list/index.ts")).runList(agents, flags, shell)),
    );
}

function addInfo(session: Command, action: Action): void {
  session
    .command("info")
    .description("show the facts of one session: counts, branches, sub-agents, models, token usage")
    .argument("[id]", CHOSEN)
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: InfoFlags) =>
      action(async (shell) =>
        (await import("./facts/index.ts")).runInfo(await named(id, "info", shell), flags, shell),
      ),
    );
}

function addShow(session: Command, action: Action): void {
  session
    .command("show")
    .description("show the conversation; a long one opens in a pager at the newest turn")
    .argument("[id]", CHOSEN)
    .addOption(
      new Option("--branch <leaf>", "show the branch that ends at LEAF instead of the active one").conflicts([
        "all",
        "tree",
      ]),
    )
    .option("--tree", "show the tree of branches, one line per message")
    .option("--all", "show every branch, from the first message")
    .addOption(modelViewOption(["all", "tree"]))
    .addOption(toolsOption("short on a terminal, else full"))
    .option("--injected", INJECTED_HELP)
    .option("--from-start", "open the pager at the first message")
    .addOption(
      new Option(
        "--facts",
        "show only the facts: what was asked, changed, committed and tested, the cost, the end, each with its turn",
      ).conflicts(["all", "tree", "modelView"]),
    )
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: ShowFlags) =>
      action(async (shell) =>
        (await import("./show/index.ts")).runShow(await named(id, "show", shell), flags, shell),
      ),
    );
}

function addFollow(session: Command, action: Action): void {
  session
    .command("follow")
    .description("show a session while it grows, from its newest turn on; Ctrl-C ends it")
    .argument("[id]", "the session (default: the newest one)")
    .addOption(toolsOption("short on a terminal, else full"))
    .option("--injected", INJECTED_HELP)
    .option("--from-start", "begin at the first message")
    .option(
      "--json",
      "print JSON lines: the session, then each message once; for a message that grows, only its new part",
    )
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: FollowFlags) =>
      action(async (shell) => (await import("./show/index.ts")).runFollow(id ?? "last", flags, shell)),
    );
}

const CHOSEN = "the session (default: you choose it on a terminal)";

const INJECTED_HELP = "include messages that the agent's program inserted for the model or the screen";

const EXPORT_HELP =
  "\n--tools and --injected apply to md and html; the other formats always contain every message.\n";

function toolsOption(byDefault: string): Option {
  const help = `how to show tool calls and results (default: ${byDefault})`;
  return new Option("--tools <how>", help).choices(["full", "short", "none"]);
}

function modelViewOption(conflicts: string[]): Option {
  const help = "show what the agent's model is sent when the session is resumed, compaction applied";
  return new Option("--model-view", help).conflicts(conflicts);
}

function addCheck(session: Command, action: Action): void {
  session
    .command("check")
    .description(
      "report the problems of one session or of all, with place and advice; exit code 4 if a session is damaged",
    )
    .argument("[id]", "the session (default: every session, archived sessions included)")
    .option("--warnings", "without ID: include sessions that have only warnings")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: CheckFlags) =>
      action(async (shell) => (await import("./facts/index.ts")).runCheck(id ?? null, flags, shell)),
    );
}

function addExport(session: Command, action: Action): void {
  session
    .command("export")
    .description("write one session as one self-contained file, or many as one file of training data")
    .argument("[id]", CHOSEN)
    .addOption(
      new Option(
        "--format <format>",
        "md, html, json (the same as `session show --json`), jsonl (one message per line), or one line of training data: openai, anthropic or sharegpt; default: by the ending of the file, else md",
      ).choices(Object.keys(EXPORT_FORMATS)),
    )
    .option("--output <file>", "write this file, completely or not at all (default: print)")
    .addOption(
      new Option(
        "--bundle <file>",
        "pack the session as its agent keeps it, for `continuo import` on another machine",
      ).conflicts(["format", "output", "all", "turns", "modelView", "tools", "injected", "maskSecrets"]),
    )
    .option("--force", "with --output or --bundle: replace an existing file")
    .option("--all", "include every branch")
    .addOption(
      new Option("--turns <range>", "html: only these turns: 12, 12-40, or 12- up to the end").conflicts([
        "all",
      ]),
    )
    .option("--agent <name>", "training data: every session of this agent (repeatable)", collect)
    .option("--here", "training data: every session of this project, with its clones and work trees")
    .option("--project <text>", "training data: every session whose folder contains TEXT")
    .option(
      "--since <when>",
      "training data: every session updated since: 3h, 2d, 1w, or an ISO date or time",
    )
    .option("--until <when>", "training data: every session updated before this time")
    .addOption(modelViewOption(["all"]))
    .addOption(toolsOption("full"))
    .option("--injected", `${INJECTED_HELP}; html always has them, folded`)
    .option(
      "--mask-secrets",
      "replace keys, tokens and passwords of known forms, and count them; training data is always masked",
    )
    .addHelpText("after", EXPORT_HELP + ID_HELP)
    .action((id: string | undefined, flags: ExportFlags) =>
      action(async (shell) => {
        const { isMany, runExport } = await import("./export/index.ts");
        const chosen = id === undefined && isMany(flags) ? null : await named(id, "export", shell);
        return await runExport(chosen, flags, shell);
      }),
    );
}

function addCopy(session: Command, action: Action): void {
  session
    .command("copy")
    .description("copy the last answer of a session to the clipboard of the system or the terminal (OSC 52)")
    .argument("[id]", CHOSEN)
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined) =>
      action(async (shell) =>
        (await import("./show/index.ts")).runCopy(await named(id, "copy", shell), shell),
      ),
    );
}

function addDelete(session: Command, action: Action): void {
  session
    .command("delete")
    .description(
      "move native sessions to the trash, and delete Continuo's own for good; exit code 5 if a session is open in its agent or has forks",
    )
    .argument("[id...]", "the sessions (default: you choose them on a terminal)")
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((ids: readonly string[], flags: DeleteFlags) =>
      action(async (shell) => {
        const { chooseInstead } = await import("../notices/index.ts");
        const chosen = ids.length > 0 ? ids : await chooseInstead({ verb: "delete", many: true }, shell);
        return await (await import("./change/index.ts")).runDelete(chosen, flags, shell);
      }),
    );
}

function addRename(session: Command, action: Action): void {
  session
    .command("rename")
    .description(
      "give a session another title, which its agent shows; exit code 5 while the session is open in its agent",
    )
    .argument("[id]", CHOSEN)
    .argument("[title]", "one line of at most 200 characters; on a terminal you are asked for it")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, title: string | undefined) =>
      action(async (shell) =>
        (await import("./change/index.ts")).runRename(await named(id, "rename", shell), title ?? null, shell),
      ),
    );
}

const MARK_HELP: Readonly<Record<MarkVerb, string>> = {
  pin: "keep a session at the top of the viewer's list, and in `session list --pinned`",
  unpin: "remove the pin of a session",
  archive: "leave a session out of the lists, until `session list --archived` asks for it; its files stay",
  unarchive: "show an archived session in the lists again",
};

function addMark(session: Command, verb: MarkVerb, action: Action): void {
  session
    .command(verb)
    .description(MARK_HELP[verb])
    .argument("[id]", CHOSEN)
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined) =>
      action(async (shell) =>
        (await import("./change/index.ts")).runMark(await named(id, verb, shell), verb, shell),
      ),
    );
}

function addTag(session: Command, action: Action): void {
  session
    .command("tag")
    .description("add tags to a session, and show all that it has; Continuo keeps them, not the agent")
    .argument("[id]", CHOSEN)
    .argument("[tag...]", "tags to add: letters, digits, and ._/- after the first one")
    .option("--remove <tag>", "remove this tag (repeatable)", collect)
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, add: readonly string[], flags: TagFlags) =>
      action(async (shell) =>
        (await import("./change/index.ts")).runTag(await named(id, "tag", shell), { ...flags, add }, shell),
      ),
    );
}

function addFork(session: Command, action: Action): void {
  session
    .command("fork")
    .description("copy a session, or its beginning, to a new session of the same agent")
    .argument("[id]", `${CHOSEN}; it does not change`)
    .option("--at <message>", "the id of the last message to copy (default: the newest)")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: ForkFlags) =>
      action(async (shell) =>
        (await import("./change/index.ts")).runFork(await named(id, "fork", shell), flags, shell),
      ),
    );
}

function addRepair(session: Command, action: Action): void {
  session
    .command("repair")
    .description(
      "show how a damaged session can be repaired, record by record; writes only with --output or --in-place; exit code 4 if damage remains",
    )
    .argument("[id]", "the session")
    .addOption(
      new Option("--output <file>", "write a repaired copy to this file").conflicts(["inPlace", "all"]),
    )
    .option("--force", "with --output: replace an existing file")
    .option("--in-place", "repair the session itself, and move its old state to the trash")
    .option("--all", "plan a repair of every damaged session; with --in-place, repair them after a question")
    .option("--yes", "with --all --in-place: do not ask")
    .option("--json", "print JSON")
    .addHelpText("after", ID_HELP)
    .action((id: string | undefined, flags: RepairFlags) =>
      action(async (shell) =>
        flags.all
          ? (await import("./change/index.ts")).runRepairAll(id ?? null, flags, shell)
          : (await import("./change/index.ts")).runRepair(id ?? null, flags, shell),
      ),
    );
}

function addRestore(session: Command, action: Action): void {
  session
    .command("restore")
    .description("move a session from the trash back to its place, as it was")
    .argument("<id>", "the session, as `session trash` lists it")
    .option(
      "--force",
      "restore even if the agent wrote to the session since; the newer version goes to the trash",
    )
    .option("--json", "print JSON")
    .action((id: string, flags: RestoreFlags) =>
      action(async (shell) => (await import("./change/index.ts")).runRestore(id, flags, shell)),
    );
}

function addTrash(session: Command, action: Action): void {
  session
    .command("trash")
    .description("list the deleted sessions, newest first")
    .option(
      "--empty",
      "delete the contents of the trash for good, except Continuo's own sessions that another one continues from",
    )
    .addOption(
      new Option("--older-than <days>", "only sessions that were deleted more than DAYS days ago").argParser(
        parseDays,
      ),
    )
    .option("--yes", "with --empty: do not ask for confirmation; required without a terminal")
    .option("--json", "print JSON")
    .action((flags: TrashFlags) =>
      action(async (shell) => (await import("./change/index.ts")).runTrash(flags, shell)),
    );
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return Number(text);
}

function parseDays(text: string): number {
  if (!/^\d{1,6}(\.\d+)?$/u.test(text)) throw new InvalidArgumentError("It must be a number of days.");
  return Number(text);
}
