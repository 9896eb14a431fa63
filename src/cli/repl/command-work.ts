/** The work of the commands of the REPL, as lines for the screen. */

import type { Talk } from "@continuo/agents/conversations";
import { type AgentCommand, ContinuoError, type Usage } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { contextLeft, usageParts } from "../conversation/index.ts";
import { searchWork } from "../search/index.ts";
import { clockTime, cutEnd, type Paint, type Shell, tildePath, wrap } from "../terminal/index.ts";
import { listFolder, toLines } from "./sessions.ts";
import { SLASH_COMMANDS, type SlashName } from "./slash.ts";

export interface CommandContext {
  readonly talk: Talk;
  readonly shell: Shell;
  readonly paint: Paint;
  readonly columns: number;
}

/** Lines are visible text. Errors: those of what the command does. */
export async function runCommand(
  name: Exclude<SlashName, "quit">,
  argument: string,
  performing: CommandContext,
): Promise<readonly string[]> {
  return await COMMANDS[name](performing, argument);
}

type Command = (performing: CommandContext, argument: string) => Promise<readonly string[]>;

const COMMANDS: Readonly<Record<Exclude<SlashName, "quit">, Command>> = {
  help: async ({ paint, talk, columns }) => [
    ...SLASH_COMMANDS.flatMap(({ name, argument, says }) =>
      helpLines(`/${name} ${argument}`.trimEnd(), says, { paint, columns }),
    ),
    "",
    ...INPUT_HELP.flatMap(([words, says]) => helpLines(words, says, { paint, columns })),
    ...ownCommands(await talk.commands(), { agent: talk.agent, paint, columns }),
  ],
  sessions: async ({ talk, shell, paint, columns }) => {
    const { rows, missing } = await listFolder(talk, shell, "asking");
    const lines =
      rows.length === 0 ? ["  no session in this folder yet"] : toLines(rows, { shell, paint, columns });
    return [...lines, ...missing.map((text) => `  ${paint(visibleLine(text), "yellow")}`)];
  },
  session: async ({ talk, shell, paint }) => factsOf(await sessionFacts(talk, shell), paint),
  search: async ({ shell }, argument) => {
    if (argument === "") throw usage("/search needs words", "Type /search and what you look for.");
    return await searchWork(argument, shell);
  },
  resume: async ({ talk, paint }, argument) => {
    if (argument === "")
      throw usage("/resume needs an id", "Type /sessions to see the sessions of this folder.");
    await talk.resume(argument);
    return nowIn(talk, paint);
  },
  continue: async ({ talk, paint }) => {
    await talk.continueLast();
    return nowIn(talk, paint);
  },
  fork: async ({ talk, paint }, argument) => {
    await talk.fork(argument === "" ? null : argument);
    return nowIn(talk, paint);
  },
  undo: async ({ talk, shell, paint }) => {
    const { undoTurn } = await import("./undo.ts");
    const { prompt, before } = await undoTurn(talk, shell);
    return [
      `  took back: ${visibleLine(cutEnd(prompt, 60))}`,
      ...nowIn(talk, paint),
      `  ${paint(`the turn stays in ${before}`, "dim")}`,
      `  ${paint("files stay as they are", "dim")}`,
    ];
  },
  agent: async ({ talk, paint }, argument) => {
    const names = Object.keys(talk.configuration.agents);
    if (argument === "") {
      return names.map((name) => (name === talk.agent ? `  ${paint(`${name} *`, "bold")}` : `  ${name}`));
    }
    await talk.switchAgent(argument);
    const told = talk.session === null ? "" : "; it receives the conversation so far";
    return [`  ${visibleLine(argument)} answers from now on${told}`];
  },
  title: async ({ talk }, argument) => {
    if (argument !== "") await talk.setTitle(argument);
    return [`  ${visibleLine(talk.session?.title ?? "no title yet")}`];
  },
  usage: async ({ talk, paint }) => {
    const used = talk.session?.metadata.usage as Usage | undefined;
    const parts = usageParts(used);
    const context = await talk.context();
    return factsOf(
      [
        ["this session", parts.length === 0 ? "not known yet" : parts.join(", ")],
        ["context", context === null ? "" : contextLeft(context)],
      ],
      paint,
    );
  },
  mode: async ({ talk, paint }, argument) => {
    if (argument === "ask" || argument === "safe" || argument === "unrestricted")
      await talk.setPermissions(argument);
    else if (argument !== "") await talk.setMode(argument === "-" ? null : argument);
    return factsOf(
      [
        ["permissions", talk.settings.permissions.policy],
        ["mode", talk.mode ?? "the agent's default"],
      ],
      paint,
    );
  },
  model: async ({ talk, paint }, argument) => {
    if (argument.startsWith("-") && argument !== "-") {
      throw usage("a model cannot begin with -", "Type /model - for the agent's default.");
    }
    if (argument !== "") await talk.setModel(argument === "-" ? null : argument);
    return factsOf([["model", talk.settings.model ?? "the agent's default"]], paint);
  },
  effort: async ({ talk, paint }, argument) => {
    if (argument.startsWith("-") && argument !== "-") {
      throw usage("an effort cannot begin with -", "Type /effort - for the agent's default.");
    }
    if (argument !== "") await talk.setEffort(argument === "-" ? null : argument);
    return factsOf([["effort", talk.effort ?? "the agent's default"]], paint);
  },
  cancel: async () => ["  no turn is running"],
};

/** Keys and words that are not commands. */
const INPUT_HELP: readonly (readonly [words: string, says: string])[] = [
  ["@PATH", "attach a file or a picture; Tab completes the path"],
  ["!COMMAND", "run a command here; the agent receives it and its output with your next prompt"],
  ["//word, !!word", "say /word or !word to the agent"],
  ["\\ at the end", "the line continues on the next one"],
  ["Enter", "while the agent works: puts the line into the queue, which is sent after the turn"],
  ["↑ ↓", "lines typed before; while the agent works: lines of the queue, to edit them"],
  ["Ctrl-R", "search what you typed before; again: an older line"],
  ["Ctrl-V", "attach the picture of the clipboard"],
  ["Ctrl-C", "cancel the turn; twice: leave"],
  ["Ctrl-D, Ctrl-Z", "leave; suspend until `fg`"],
];

const WORDS_COLUMNS = 16;

/** The explanation has its own column, and its lines are broken between words. */
function helpLines(
  words: string,
  says: string,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): readonly string[] {
  const room = columns - WORDS_COLUMNS - 5;
  const isNarrow = room < 24;
  const lines = wrap([{ text: says }], isNarrow ? Math.max(8, columns - 5) : room, paint);
  if (isNarrow) return [`  ${paint(words, "bold")}`, ...lines.map((line) => `    ${line}`)];
  return lines.map(
    (line, at) => `  ${paint((at === 0 ? words : "").padEnd(WORDS_COLUMNS), "bold")}  ${line}`,
  );
}

/** The number of lines of the agent's own commands that are shown; Tab offers all of them. */
const MAX_OWN = 30;

function ownCommands(
  commands: readonly AgentCommand[],
  { agent, paint, columns }: { readonly agent: string; readonly paint: Paint; readonly columns: number },
): readonly string[] {
  if (commands.length === 0) return [];
  const more = commands.length - MAX_OWN;
  return [
    "",
    paint(`  Commands of ${visibleLine(agent)}, which are sent to it:`, "dim"),
    ...commands.slice(0, MAX_OWN).flatMap(({ name, argument, description }) => {
      const words = visibleLine(`/${name} ${argument}`.trimEnd());
      return helpLines(words, cutEnd(visibleLine(description.split("\n")[0] ?? ""), 100), { paint, columns });
    }),
    ...(more > 0 ? [paint(`  and ${more} more: type / and press Tab`, "dim")] : []),
  ];
}

async function sessionFacts(talk: Talk, shell: Shell): Promise<readonly Fact[]> {
  const { session } = talk;
  if (session === null) return [["session", "begins with your first prompt"], ...agentFacts(talk)];
  const { sessionId, title, cwd, createdAt, metadata } = session;
  const store = await talk.store();
  const { items } = await store.listRuns({ sessionId, limit: 1_000 });
  const natives = Object.entries((metadata.providerSessions ?? {}) as Readonly<Record<string, Native>>);
  return [
    ["session", sessionId],
    ["title", title ?? ""],
    ...agentFacts(talk),
    ...natives.map(([agent, native]): Fact => ["in", `${agent}:${native.sessionId}`]),
    ["folder", tildePath(cwd ?? talk.cwd, shell.home)],
    ["begun", clockTime(createdAt)],
    ["turns", String(items.length)],
    ["used", usageParts(metadata.usage as Usage | undefined).join(", ")],
  ];
}

interface Native {
  readonly sessionId: string;
}

type Fact = readonly [name: string, text: string];

function agentFacts(talk: Talk): readonly Fact[] {
  return [["agent", talk.settings.model === null ? talk.agent : `${talk.agent}, ${talk.settings.model}`]];
}

function factsOf(facts: readonly Fact[], paint: Paint): string[] {
  return facts
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${paint(name.padEnd(12), "dim")} ${visibleLine(text)}`);
}

function nowIn({ session, agent }: Talk, paint: Paint): string[] {
  if (session === null) return [];
  return [
    `  ${paint(visibleLine(session.title ?? "untitled"), "bold")} · ${visibleLine(agent)} · ${session.sessionId}`,
  ];
}

function usage(message: string, hint: string): ContinuoError {
  return new ContinuoError("usage", message, { hint });
}
