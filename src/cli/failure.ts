/** Errors as text for people, or as one JSON object for programs. */

import { exitCodeOf, isContinuoError, pageOfCode, shellWord } from "@continuo/core/model";
import { visibleLine, visibleText } from "@continuo/core/transcript";
import { entryOf } from "@continuo/files";
import { CommanderError } from "commander";
import { matchLines } from "./notices/index.ts";
import { flagsFor, helpFor } from "./program.ts";
import {
  type ErrorJson,
  errorToJson,
  type Shell,
  type Span,
  sentenceLines,
  toJsonText,
} from "./terminal/index.ts";

/** Writes to stderr, and returns the exit code. */
export function reportFailure(error: unknown, argv: readonly string[], shell: Shell): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const failure = toFailure(error, argv, shell);
  if (wantsJson(argv)) {
    shell.stderr.write(`${toJsonText({ error: failure })}\n`);
    return exitCodeFor(error);
  }
  const toVisible = failure.code === "internal" ? visibleText : visibleLine;
  const said: readonly Span[] = [
    { text: "continuo:", styles: ["red"] },
    { text: ` ${toVisible(failure.message)}` },
  ];
  const hint: Span = { text: visibleText(failure.hint ?? ""), styles: ["dim"] };
  const lines = [
    ...sentenceLines(said, shell, shell.stderr),
    ...matchLines(failure.details, shell),
    ...(failure.hint === null ? [] : sentenceLines([hint], shell, shell.stderr)),
    ...explanationLines(failure, shell),
  ];
  shell.stderr.write(`${lines.join("\n")}\n`);
  return exitCodeFor(error);
}

/** For these a person needs no page: the help explains the first one, and the person caused the others. */
const PLAIN: readonly string[] = ["usage", "cancelled", "interrupted"];

/** On a terminal, the command that explains the code. */
function explanationLines(failure: ErrorJson, shell: Shell): readonly string[] {
  if (shell.stderr.isTTY !== true || PLAIN.includes(failure.code)) return [];
  const text = `\`continuo errors ${shellWord(failure.code)}\` explains this error.`;
  return sentenceLines([{ text, styles: ["dim"] }], shell, shell.stderr);
}

function exitCodeFor(error: unknown): number {
  return error instanceof CommanderError ? 2 : exitCodeOf(error);
}

function toFailure(error: unknown, argv: readonly string[], shell: Shell): ErrorJson {
  if (isContinuoError(error)) return errorToJson(error);
  if (error instanceof CommanderError) {
    const [message = "", ...rest] = messageOfCommander(error, argv)
      .replace(/^error: /u, "")
      .split("\n");
    const near = /^\(Did you mean (.+)\?\)$/u.exec(rest.join(" "))?.[1];
    const suggestion = flagOfOthers(message, argv) ?? near;
    const hint =
      suggestion === undefined
        ? `Run \`${helpFor(argv)}\` to see what there is.`
        : `Did you mean ${suggestion}?`;
    return { code: "usage", message, hint, details: {}, page: pageOfCode("usage") };
  }
  const wantsStack = shell.env.CONTINUO_DEBUG !== undefined && error instanceof Error;
  return {
    code: "internal",
    message: wantsStack ? (error.stack ?? error.message) : String(error),
    hint: "Report this error of Continuo's; `continuo bug-report` writes what is needed; CONTINUO_DEBUG=1 shows where it happened.",
    details: {},
    page: pageOfCode("internal"),
  };
}

/** Flags of other programs that people type here, with the flag of Continuo for each. */
const FLAGS_OF_OTHERS: Readonly<Record<string, string>> = {
  "--provider": "--agent",
  "--tool": "--agent",
  "--session": "--resume",
  "--session-id": "--resume",
  "--resume-id": "--resume",
  "--continue-last": "--continue",
  "--last": "--continue",
};

/** Continuo's flag, if the command has it. */
function flagOfOthers(message: string, argv: readonly string[]): string | undefined {
  const typed = /^unknown option '([^'=]+)/u.exec(message)?.[1] ?? "";
  const ours = entryOf(FLAGS_OF_OTHERS, typed.replaceAll("_", "-"));
  return ours !== undefined && flagsFor(argv).includes(ours) ? ours : undefined;
}

/** If a command is missing, or `help` names one that does not exist, Commander prints its help instead of a message. */
function messageOfCommander({ code, message }: CommanderError, argv: readonly string[]): string {
  if (code !== "commander.help") return message;
  const at = argv.indexOf("help");
  const asked = at === -1 ? undefined : argv[at + 1];
  return asked === undefined ? "missing command" : `unknown command '${asked}'`;
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
