/** `repl`: lines in, turns out, until the person leaves. */

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
import { type Paint, paintFor, plural, type Shell, screenOf, tildePath } from "../terminal/index.ts";
import { runCommand } from "./command-work.ts";
import { createCompleter } from "./completer.ts";
import { type InputHistory, openHistory } from "./history.ts";
import type { Input, InputOptions } from "./input.ts";
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
  /** Ctrl-C since something was said, in its turn or after it: the second one leaves. */
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
        // Tab waits for no program that is still starting: the next one offers what is known then.
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
  const repl: Repl = { talk, shell, input, history, teller, paint, place: "", interrupts: 0 };
  await welcome(repl);
  return await loop(repl);
}

async function welcome({ talk, teller, paint, shell, input }: Repl): Promise<void> {
  if (input.nextKey === undefined) return;
  const { session } = talk;
  const about = session === null ? "a new session" : (session.title ?? "untitled");
  const where = tildePath(session?.cwd ?? talk.cwd, shell.home);
  const line = `${paint(visibleLine(talk.agent), "bold")} ${paint(visibleLine(`· ${about} · ${where} · /help`), "dim")}`;
  await teller.print([line, ""]);
}

async function loop(repl: Repl): Promise<number> {
  const { input, teller, paint, history } = repl;
  const isTyped = input.nextKey !== undefined;
  for (;;) {
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
    const line = parseLine(typed.text);
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
    if (line.type === "say") await turn(repl, await inputOf(repl, line.text, typed));
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

/** With the files that the person named in it. Errors: as `attach`. */
async function inputOf(
  { talk, shell, teller }: Repl,
  text: string,
  typed: string | undefined,
): Promise<string | readonly Block[]> {
  if (typed === undefined) return text;
  const { attach } = await import("./attachments.ts");
  const { blocks, notes } = await attach(typed, {
    cwd: talk.session?.cwd ?? talk.cwd,
    home: shell.home,
    desktop: shell,
  });
  for (const note of notes) teller.note(note);
  return blocks.length === 0 ? text : [{ type: "text", text }, ...blocks];
}

async function complain(error: unknown, { teller, paint }: Repl): Promise<void> {
  const { message, hint } = isContinuoError(error) ? error : { message: String(error), hint: undefined };
  const lines = [message, ...(hint === undefined ? [] : [hint])].flatMap((text) => text.split("\n"));
  await teller.print([
    ...lines.map((text, at) =>
      at === 0 ? `${paint("✗", "red")} ${visibleLine(text)}` : `  ${paint(visibleLine(text), "dim")}`,
    ),
    "",
  ]);
}

/** Ctrl-C cancels it; a second one leaves at once. */
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
  teller.begin(talk.agent);
  try {
    ended = await talk.say(said, { onEvent: (event) => teller.tell(event), signal: stop.signal });
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
    // The second turn continues in the same session as the first: nothing to report.
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
