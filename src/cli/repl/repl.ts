/** `repl`: reads lines and runs turns, until the person leaves. */

import { openTalk, type Talk, type TalkFlags, type TurnResult } from "@continuo/agents/conversations";
import { type Block, ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { describeResumption } from "../conversation/drawing/index.ts";
import {
  createPermissionPrompt,
  createTrustPrompt,
  describeTurn,
  errorOf,
  TurnPrinter,
} from "../conversation/index.ts";
import { conversationOf } from "../flags/index.ts";
import { type Paint, paintFor, plural, type Shell, screenOf, tildePath, wrap } from "../terminal/index.ts";
import { runCommand } from "./command-work.ts";
import { createCompleter } from "./completer.ts";
import { type InputHistory, openHistory } from "./history.ts";
import type { Input, InputOptions } from "./input.ts";
import type { SpokenMessage } from "./last-turns.ts";
import { REPL_LIMITS } from "./limits.ts";
import type { OtherTurns } from "./other-turns.ts";
import { idsBeginning } from "./sessions.ts";
import { parseLine } from "./slash.ts";

const LEFT_BY_INTERRUPT = 130;

interface Repl {
  readonly talk: Talk;
  readonly shell: Shell;
  readonly input: Input;
  readonly history: InputHistory;
  readonly teller: TurnPrinter;
  readonly paint: Paint;
  /** The session and the agent of the last turn. */
  place: string;
  /** Commands that the person ran, and their output, which the agent receives with the next prompt. */
  told: string[];
  /** Lines about turns of other programs that wait for the end of a turn or of a line. */
  unseen: string[];
  others: OtherTurns | null;
  /** The number of times that Ctrl-C was pressed since the last prompt. The second time leaves the conversation. */
  interrupts: number;
}

/** Errors: those of opening the conversation. */
export async function runRepl(flags: TalkFlags, shell: Shell): Promise<number> {
  const teller = new TurnPrinter(shell, shell.stdout);
  const history = await openHistory(shell);
  let talk: Talk | null = null;
  let commands: readonly string[] = [];
  using input = await openInput({
    shell,
    history,
    complete: createCompleter({
      commands: () => {
        // Tab does not wait for a program that is still starting: the next Tab offers what is known then.
        talk?.commands().then(
          (now) => {
            commands = now.map(({ name }) => name);
          },
          () => undefined,
        );
        return commands;
      },
      agents: () => Object.keys(talk?.configuration.agents ?? {}),
      paths: async (prefix) => {
        const { pathsBeginning } = await import("./paths.ts");
        return await pathsBeginning(prefix, talk?.session?.cwd ?? talk?.cwd ?? shell.cwd, shell.home);
      },
      sessions: async (prefix) => (talk === null ? [] : await idsBeginning(prefix, talk, shell)),
    }),
  });
  const { nextKey } = input;
  const timeLimitMs = (): number => talk?.settings.permissions.timeoutMs ?? 0;
  await using open = await openTalk({
    flags,
    ...conversationOf(flags, shell),
    keepOpen: "session",
    note: (text) => teller.note(text),
    ...present({
      ask: nextKey === undefined ? undefined : createPermissionPrompt({ teller, nextKey, timeLimitMs }),
      askTrust:
        nextKey === undefined
          ? undefined
          : createTrustPrompt({
              shell,
              out: shell.stdout,
              nextKey,
              signal: new AbortController().signal,
            }),
    }),
  });
  talk = open;
  const paint = paintFor(screenOf(shell, shell.stdout));
  const begun = { place: "", told: [], unseen: [], others: null, interrupts: 0 };
  const repl: Repl = { talk, shell, input, history, teller, paint, ...begun };
  await welcome(repl, flags);
  const { createOtherTurns } = await import("./other-turns.ts");
  using others = createOtherTurns(talk, (messages) => void showOthers(repl, messages));
  repl.others = others;
  return await loop(repl);
}

/** Shows a turn of another program at once if the person edits a line, and otherwise before the next turn. */
async function showOthers(repl: Repl, messages: readonly SpokenMessage[]): Promise<void> {
  const { shell, paint, input } = repl;
  const { drawTurns } = await import("./last-turns.ts");
  const lines = drawTurns(messages, { paint, columns: screenOf(shell, shell.stdout).columns });
  repl.unseen = [...repl.unseen, ...lines, ""].slice(-REPL_LIMITS.otherLines);
  if (input.above?.(repl.unseen) === true) repl.unseen = [];
}

async function printUnseen({ teller, unseen }: Repl): Promise<void> {
  if (unseen.length > 0) await teller.print(unseen.splice(0));
}

async function welcome(
  { talk, teller, paint, shell, input }: Repl,
  { resume, agent }: TalkFlags,
): Promise<void> {
  if (input.nextKey === undefined) return;
  const { session } = talk;
  const about = session === null ? "a new session" : (session.title ?? "untitled");
  const where = tildePath(session?.cwd ?? talk.cwd, shell.home);
  const line = `${paint(visibleLine(talk.agent), "bold")} ${paint(visibleLine(`· ${about} · ${where} · /help`), "dim")}`;
  await teller.print([line, ""]);
  if (session === null) return;
  const { columns } = screenOf(shell, shell.stdout);
  const { lastTurns } = await import("./last-turns.ts");
  await teller.print(await lastTurns(talk, { shell, paint, columns }));
  if (resume === undefined) return;
  const { resumePriceLinesOf } = await import("../notices/index.ts");
  for (const text of await resumePriceLinesOf(resume, agent, shell)) teller.note(text);
}

async function loop(repl: Repl): Promise<number> {
  const { input, teller, paint, history } = repl;
  const isTyped = input.nextKey !== undefined;
  for (;;) {
    repl.others?.follow();
    await printUnseen(repl);
    const typed = await input.read(`${paint("❯", "bold", "green")} `);
    if (typed.type === "end") {
      if (isTyped) await teller.print([""]);
      return 0;
    }
    if (typed.type === "interrupt") {
      repl.interrupts += 1;
      await teller.print([""]);
      if (repl.interrupts > 1) return LEFT_BY_INTERRUPT;
      teller.note("press Ctrl-C again, or Ctrl-D, to leave");
      continue;
    }
    repl.interrupts = 0;
    history.add(typed.text);
    const line = parseLine(typed.text, typed.typed === undefined ? "read" : "typed");
    if (line.type === "command" && line.name === "quit") return 0;
    if (line.type !== "nothing") await answer(repl, line, typed.typed);
  }
}

type ReplRequest = Exclude<ReturnType<typeof parseLine>, { readonly type: "nothing" }>;

/** An error is printed, and the conversation continues. */
async function answer(repl: Repl, line: ReplRequest, typed: string | undefined): Promise<void> {
  const { teller, talk, shell, paint } = repl;
  const { columns } = screenOf(shell, shell.stdout);
  try {
    if (line.type === "shell") await runCommandOf(repl, line.command);
    else if (line.type === "say") await turn(repl, await inputOf(repl, line.text, typed));
    else if (line.type === "unknown") {
      const own = await talk.commands();
      if (!own.some(({ name }) => name.toLowerCase() === line.name))
        throw noCommand(line.name, line.suggestion);
      await turn(repl, line.text);
    } else if (line.name !== "quit") {
      await teller.print([
        ...(await runCommand(line.name, line.argument, { talk, shell, paint, columns })),
        "",
      ]);
    }
  } catch (error) {
    await complain(error, repl);
  }
}

/** Ctrl-C ends the command. */
async function runCommandOf(repl: Repl, command: string): Promise<void> {
  const { talk, shell, teller, input } = repl;
  const stop = new AbortController();
  using _listening = input.listen({ onInterrupt: () => stop.abort() });
  const { runShellCommand } = await import("./shell-command.ts");
  const cwd = talk.session?.cwd ?? talk.cwd;
  const print = (lines: readonly string[]): Promise<void> => teller.print(lines);
  repl.told.push(await runShellCommand(command, { cwd, shell, signal: stop.signal, print }));
  await teller.print([""]);
}

/**
 * The prompt with the files that the person named in it, and the commands that the person ran before it. Errors: as
 * `attach`.
 */
async function inputOf(
  repl: Repl,
  text: string,
  typed: string | undefined,
): Promise<string | readonly Block[]> {
  const { talk, shell, teller } = repl;
  if (typed === undefined) return text;
  const { attach } = await import("./attachments.ts");
  const { blocks, notes } = await attach(typed, {
    cwd: talk.session?.cwd ?? talk.cwd,
    home: shell.home,
    desktop: shell,
  });
  for (const note of notes) teller.note(note);
  const told = repl.told.splice(0).map((output): Block => ({ type: "text", text: output }));
  const more = [...blocks, ...told];
  return more.length === 0 ? text : [{ type: "text", text }, ...more];
}

/** Breaks the lines of an error between words, because a terminal would break them anywhere. */
async function complain(error: unknown, { teller, paint, shell }: Repl): Promise<void> {
  const { message, hint } = isContinuoError(error) ? error : { message: String(error), hint: undefined };
  const lines = [message, ...(hint === undefined ? [] : [hint])].flatMap((text) => text.split("\n"));
  const room = Math.max(8, screenOf(shell, shell.stdout).columns - 3);
  const isRead = shell.stdout.isTTY === true;
  const broken = (text: string): readonly string[] =>
    isRead ? wrap([{ text: visibleLine(text) }], room, paint) : [visibleLine(text)];
  const [first = "", ...hints] = lines;
  await teller.print([
    ...broken(first).map((text, at) => `${at === 0 ? paint("✗", "red") : " "} ${text}`),
    ...hints.flatMap(broken).map((text) => `  ${paint(text, "dim")}`),
    "",
  ]);
}

/** Ctrl-C cancels the turn. A second Ctrl-C leaves immediately. */
async function turn(repl: Repl, said: string | readonly Block[]): Promise<void> {
  const { talk, teller, input } = repl;
  const stop = new AbortController();
  using _listening = input.listen({
    onInterrupt() {
      if (stop.signal.aborted) process.exit(LEFT_BY_INTERRUPT);
      repl.interrupts = 1;
      stop.abort(new ContinuoError("interrupted", "interrupted"));
      teller.hint("cancelling; press Ctrl-C again to leave");
    },
    onTyped: (typed) => teller.typed(typed),
  });
  const startedAt = performance.now();
  let ended: TurnResult;
  if (input.nextKey !== undefined) await teller.print([""]);
  await printUnseen(repl);
  teller.begin(talk.agent);
  try {
    const { others } = repl;
    const runId = others?.own();
    ended = await talk.say(said, {
      onEvent: (event) => teller.tell(event),
      signal: stop.signal,
      ...present({ runId }),
      onNextRun: (next) => void others?.own(next),
    });
  } finally {
    await teller.end();
  }
  await conclude(repl, ended, { stop, durationMs: performance.now() - startedAt });
}

interface TurnHandle {
  readonly stop: AbortController;
  readonly durationMs: number;
}

async function conclude(
  repl: Repl,
  { result, isKept }: TurnResult,
  { stop, durationMs }: TurnHandle,
): Promise<void> {
  const { talk, teller } = repl;
  await teller.print([""]);
  teller.note(describeTurn(result, durationMs, await talk.context()));
  if (result.resumption !== null && isKept) {
    const { sessionId, resumption } = result;
    const place = `${sessionId} ${talk.agent}`;
    // The second turn continues in the same session as the first, so there is nothing to report.
    const isNews =
      place !== repl.place || resumption.happened !== "native" || resumption.forked !== undefined;
    repl.place = place;
    if (isNews) teller.note(describeResumption({ sessionId, agent: talk.agent, resumption, ids: "short" }));
  }
  const { length } = repl.input.kept;
  if (length > 0) teller.note(`${plural(length, "line")} that you typed: Enter sends, Ctrl-C drops`);
  await teller.print([""]);
  const error = errorOf(result, stop.signal);
  if (error !== null && !isContinuoError(error, "interrupted")) throw error;
}

function noCommand(name: string, suggestion: string | null): ContinuoError {
  return new ContinuoError("usage", `there is no command /${name}`, {
    hint:
      suggestion === null
        ? "Type /help to see the commands; //word sends /word to the agent."
        : `Did you mean /${suggestion}?`,
  });
}

/** The keyboard of a terminal, or the lines of a file or a pipe. */
async function openInput(options: InputOptions): Promise<Input> {
  const { stdin, stdout, env } = options.shell;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env.TERM !== "dumb";
  return isTerminal
    ? (await import("./keyboard.ts")).openKeyboard(options)
    : (await import("./lines.ts")).openLines(options.shell);
}
