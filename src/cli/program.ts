/** The tree of commands. The code of a command is loaded when it is called. */

import { ContinuoError, isContinuoError, nearest } from "@continuo/core/model";
import { debugOf, readVersion } from "@continuo/files";
import { Command } from "commander";
import { addAgentCommands } from "./agent/index.ts";
import { addAgentsCommand } from "./agents/index.ts";
import { addApprovalsCommands } from "./approvals/index.ts";
import { addAuditCommand } from "./audit/index.ts";
import { addBlameCommand } from "./blame/index.ts";
import { addChannelCommands, openAsking } from "./channel/index.ts";
import { addChatCommand } from "./chat/index.ts";
import { addCompletionCommands } from "./completion/index.ts";
import { addBugReportCommand, addDoctorCommand, addErrorsCommand } from "./doctor/index.ts";
import { addExtensionCommand } from "./extension/index.ts";
import { addGuardCommands } from "./guard/index.ts";
import { addHandoffCommands, addImportCommand } from "./handoff/index.ts";
import { addLiveCommands } from "./live/index.ts";
import { addMcpCommands } from "./mcp/index.ts";
import { addMoveCommand, addReceiveCommand, addReceiveMirrorCommand } from "./move/index.ts";
import { addPickCommand } from "./pick/index.ts";
import { addRelocateCommand } from "./relocate/index.ts";
import { addReplCommand } from "./repl/index.ts";
import { addIndexCommands, addOpenCommand, addSearchCommand } from "./search/index.ts";
import { addAcpCommand, addServeCommand } from "./serve/index.ts";
import { addSessionCommands, SESSION_COMMANDS } from "./session/index.ts";
import { addSetupCommand } from "./setup/index.ts";
import { addStatsCommand, addStatuslineCommand } from "./stats/index.ts";
import { addStoreCommands } from "./store/index.ts";
import type { ProgramRun, Shell } from "./terminal/index.ts";
import { addTokenCommands } from "./token/index.ts";
import { addTrustCommand } from "./trust/index.ts";
import { addUpdateCommand } from "./update/index.ts";
import { addViewCommand } from "./view/index.ts";

const debug = debugOf("cli");

export async function runProgram(argv: readonly string[], shell: Shell): Promise<number> {
  let exitCode = 0;
  const run: ProgramRun = {
    shell,
    onEnd: (code) => {
      exitCode = code;
    },
  };
  const [typed, isDebugged] = withoutDebugFlag(argv);
  const value = shell.env.CONTINUO_DEBUG ?? (isDebugged ? "*" : undefined);
  using _log = value === undefined ? undefined : await startLog(value, shell);
  const begun = performance.now();
  const words = withHelpFlag(isForPicker(typed, shell) ? ["pick", ...typed] : withDefaultCommand(typed));
  debug("command", () => ({ words: wordsOfCommand(words) }));
  // If the first word names a command, only that command is added to the program; otherwise all commands are added.
  const named = Object.entries(COMMANDS).filter(([name]) => name === words[0]);
  const program = named.length === 0 ? createProgram(run) : withCommands(run, Object.fromEntries(named));
  assertKnown(program, words, typed);
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    debug("failed", () => ({ code: isContinuoError(error) ? error.code : "internal", ms: msSince(begun) }));
    throw error;
  }
  debug("ended", () => ({ exitCode, ms: msSince(begun) }));
  return exitCode;
}

/** Every command accepts `--debug`; after `--` it is an ordinary word and not a flag. */
function withoutDebugFlag(argv: readonly string[]): readonly [words: readonly string[], isDebugged: boolean] {
  const end = argv.indexOf("--");
  const words = argv.filter((word, at) => word !== "--debug" || (end !== -1 && at > end));
  return [words, words.length < argv.length];
}

async function startLog(value: string, shell: Shell): Promise<Disposable> {
  const { debugRooms, startDebugLog } = await import("./debug/index.ts");
  return startDebugLog(shell, debugRooms(value));
}

/** Only the names of commands and flags: prompts and paths are left out. */
function wordsOfCommand(words: readonly string[]): readonly string[] {
  const names = commandsIn(words).names.slice(1);
  return [...names, ...words.filter((word) => word.startsWith("-")).map((word) => word.split("=")[0] ?? "")];
}

function msSince(begun: number): number {
  return Math.round(performance.now() - begun);
}

/**
 * Without this check, Commander would print the help of the program for `continuo lst --help`, and would not suggest
 * short forms, such as `list` for `session list`.
 */
function assertKnown(program: Command, [first = ""]: readonly string[], [typed]: readonly string[]): void {
  if (typed === "-v") {
    throw new ContinuoError("usage", "unknown option '-v'", { hint: "Did you mean -V or --version?" });
  }
  const names = program.commands.map((command) => command.name());
  if (first.startsWith("-") || first === "help" || names.includes(first)) return;
  const near = nearest(first, [...names, ...SESSION_COMMANDS]);
  throw new ContinuoError("usage", `unknown command '${first}'`, {
    hint: near === null ? "Run `continuo --help` to see what there is." : `Did you mean ${near}?`,
  });
}

type Add = (program: Command, run: ProgramRun | null) => void;

const COMMANDS: Readonly<Record<string, Add>> = {
  session: (program, run) =>
    addSessionCommands(
      group(program, "session", "list, show, check, export and delete sessions of all agents"),
      run,
    ),
  store: (program, run) =>
    addStoreCommands(
      group(program, "store", "count, verify, upgrade, back up and clean up Continuo's own store"),
      run,
    ),
  chat: addChatCommand,
  repl: addReplCommand,
  handoff: addHandoffCommands,
  import: addImportCommand,
  move: addMoveCommand,
  "receive-move": addReceiveCommand,
  "receive-mirror": addReceiveMirrorCommand,
  search: addSearchCommand,
  open: addOpenCommand,
  blame: addBlameCommand,
  stats: addStatsCommand,
  statusline: addStatuslineCommand,
  pick: addPickCommand,
  agents: addAgentsCommand,
  doctor: addDoctorCommand,
  relocate: addRelocateCommand,
  "bug-report": addBugReportCommand,
  errors: addErrorsCommand,
  trust: addTrustCommand,
  view: addViewCommand,
  serve: addServeCommand,
  extension: addExtensionCommand,
  token: (program, run) =>
    addTokenCommands(group(program, "token", "create, list and revoke the tokens of a server"), run),
  audit: addAuditCommand,
  approvals: (program, run) =>
    addApprovalsCommands(
      group(program, "approvals", "list and answer the questions of agents that wait for a person"),
      run,
    ),
  channel: (program, run) =>
    addChannelCommands(
      group(program, "channel", "read and write channels, which people and agents share"),
      run,
    ),
  live: (program, run) =>
    addLiveCommands(group(program, "live", "play, list, verify and repair continuous sessions"), run),
  agent: (program, run) =>
    addAgentCommands(group(program, "agent", "let an agent take part in a channel"), run),
  index: (program, run) =>
    addIndexCommands(
      group(program, "index", "the index of all sessions: status, update, rebuild, clear"),
      run,
    ),
  guard: (program, run) =>
    addGuardCommands(
      group(program, "guard", "keep copies of the sessions that agents delete by themselves"),
      run,
    ),
  setup: addSetupCommand,
  update: addUpdateCommand,
  mcp: (program, run) => addMcpCommands(program, run, openAsking),
  acp: addAcpCommand,
  completion: addCompletionCommands,
};

function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).copyInheritedSettings(program);
}

const EXAMPLES = `
Examples:
  continuo                          choose among all sessions, and act on one; in a pipe, list the newest
  continuo session list --here      list the sessions of this folder
  continuo session show 4bf3c2a1    show a session; the beginning of its id is enough
  continuo session check            report the problems of all sessions
  continuo search retry backoff     find turns in all sessions; \`continuo open 1\` shows the first result
  continuo list --title build       short for \`continuo session list\`; so are show, info, check, export, …
  continuo resume                   choose a session, and continue it in its agent
  continuo chat "why?"              ask an agent; \`continuo repl\` for a longer conversation`;

/** All commands. Errors are thrown, not printed: `failure.ts` prints them all. */
export function createProgram(run: ProgramRun | null): Command {
  return withCommands(run, COMMANDS);
}

function withCommands(run: ProgramRun | null, commands: Readonly<Record<string, Add>>): Command {
  const program = new Command("continuo")
    .description(
      "Find, read, check, export, hand over and delete the sessions of the coding agents on this machine, and talk to those agents.",
    )
    .version(readVersion(), "-V, --version", "print the version")
    .option(
      "--debug",
      "write a debug log to the file debug.jsonl in CONTINUO_HOME; CONTINUO_DEBUG chooses its rooms",
    )
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ helpWidth: 100 })
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .exitOverride()
    .addHelpText("after", EXAMPLES);
  for (const add of Object.values(commands)) add(program, run);
  return program;
}

/** The command whose help explains the typed words: `continuo session show --help`. */
export function helpFor(argv: readonly string[]): string {
  return `${commandsIn(argv).names.join(" ")} --help`;
}

/** The long flags of the command that was typed. */
export function flagsFor(argv: readonly string[]): readonly string[] {
  return commandsIn(argv).command.options.flatMap(({ long }) => long ?? []);
}

function commandsIn(argv: readonly string[]): {
  readonly command: Command;
  readonly names: readonly string[];
} {
  let command = createProgram(null);
  const names = ["continuo"];
  for (const word of withDefaultCommand(argv)) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    names.push(word);
    command = inner;
  }
  return { command, names };
}

/** `continuo` on a terminal is the picker, and so is `continuo --print`, which a script uses. */
function isForPicker([first]: readonly string[], shell: Shell): boolean {
  if (first !== undefined) return first === "--print";
  // Standard input is opened when it is first accessed, which takes longer than building the tree of commands.
  return shell.stdout.isTTY === true && shell.env.TERM !== "dumb" && shell.stdin.isTTY === true;
}

const LISTING = ["session", "approvals"];

/** `continuo`, `continuo session` and `continuo approvals` print a list; flags of the list may follow. */
function withDefaultCommand(argv: readonly string[]): string[] {
  const [first, second] = argv;
  if (first === undefined) return ["session", "list"];
  if (LISTING.includes(first) && (second === undefined || isListFlag(second)))
    return [first, "list", ...argv.slice(1)];
  if (isListFlag(first)) return ["session", "list", ...argv];
  // These are the commands that people try first.
  return SESSION_COMMANDS.includes(first) ? ["session", ...argv] : [...argv];
}

/** `help list` means `session list --help`; Commander knows neither the short forms nor nested commands. */
function withHelpFlag(words: readonly string[]): readonly string[] {
  const [first, ...asked] = words;
  if (first !== "help" || asked.length === 0) return words;
  const command = withDefaultCommand(asked);
  return helpFor(asked) === `continuo ${command.join(" ")} --help` ? [...command, "--help"] : words;
}

function isListFlag(argument: string): boolean {
  return argument.startsWith("-") && !["-h", "--help", "-V", "--version", "--"].includes(argument);
}
