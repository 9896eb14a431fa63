/** The tree of commands. What a command does is loaded when it is called. */

import { Command } from "commander";
import { addAgentsCommand } from "./agents/index.ts";
import { addChatCommand } from "./chat/index.ts";
import { addCompletionCommands } from "./completion/index.ts";
import { addHandoffCommands } from "./handoff/index.ts";
import { readVersion } from "./installed/index.ts";
import { addPickCommand } from "./pick/index.ts";
import { addReplCommand } from "./repl/index.ts";
import { addSessionCommands, SESSION_COMMANDS } from "./session/index.ts";
import { addStoreCommands } from "./store/index.ts";
import type { Shell } from "./terminal/index.ts";
import { addTrustCommand } from "./trust/index.ts";

/** What the commands need to run; left out where the program is only described. */
export interface ProgramRun {
  readonly shell: Shell;
  /** Called with the exit code of a command that ended. */
  readonly onEnd: (exitCode: number) => void;
}

export async function runProgram(argv: readonly string[], shell: Shell): Promise<number> {
  let exitCode = 0;
  const run: ProgramRun = {
    shell,
    onEnd: (code) => {
      exitCode = code;
    },
  };
  const words = withDefaultCommand(argv);
  // The other commands would only be described.
  const named = Object.entries(COMMANDS).filter(([name]) => name === words[0]);
  const program = named.length === 0 ? createProgram(run) : withCommands(run, Object.fromEntries(named));
  await program.parseAsync(words, { from: "user" });
  return exitCode;
}

type Add = (program: Command, run: ProgramRun | null) => void;

const COMMANDS: Readonly<Record<string, Add>> = {
  session: (program, run) =>
    addSessionCommands(
      group(
        program,
        "session",
        "list, show, check, export and delete sessions, the agents' and Continuo's own",
      ),
      run,
    ),
  store: (program, run) =>
    addStoreCommands(
      group(
        program,
        "store",
        "what Continuo keeps for itself: count, verify, upgrade, back up, restore, tidy",
      ),
      run,
    ),
  chat: addChatCommand,
  repl: addReplCommand,
  handoff: addHandoffCommands,
  pick: addPickCommand,
  agents: addAgentsCommand,
  trust: addTrustCommand,
  completion: addCompletionCommands,
};

function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).copyInheritedSettings(program);
}

const EXAMPLES = `
Examples:
  continuo                          the newest sessions on this machine
  continuo session list --here      those of this folder
  continuo session show 4bf3c2a1    read one; the id may be cut as long as it is clear
  continuo session check            what is wrong with any of them
  continuo pick                     choose one on the whole screen, with a preview
  continuo chat "why?"              ask an agent; \`continuo repl\` is a whole conversation`;

/** All commands. Errors are thrown, not printed: `failure.ts` prints them all. */
export function createProgram(run: ProgramRun | null): Command {
  return withCommands(run, COMMANDS);
}

function withCommands(run: ProgramRun | null, commands: Readonly<Record<string, Add>>): Command {
  const program = new Command("continuo")
    .description(
      "The session layer for AI agents: finds, reads, checks, exports, hands over and deletes the sessions of the coding agents here, and talks to them.",
    )
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ helpWidth: 100 })
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .exitOverride()
    .addHelpText("after", EXAMPLES);
  for (const add of Object.values(commands)) add(program, run);
  return program;
}

/** `continuo` and `continuo session` are the list, whatever flags of the list follow. */
function withDefaultCommand(argv: readonly string[]): string[] {
  const [first, second] = argv;
  if (first === undefined) return ["session", "list"];
  if (first === "session" && (second === undefined || isListFlag(second)))
    return ["session", "list", ...argv.slice(1)];
  if (isListFlag(first)) return ["session", "list", ...argv];
  // What people try first.
  return SESSION_COMMANDS.includes(first) ? ["session", ...argv] : [...argv];
}

function isListFlag(argument: string): boolean {
  return argument.startsWith("-") && !["-h", "--help", "-V", "--version", "--"].includes(argument);
}
