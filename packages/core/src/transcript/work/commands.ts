/** Finds the commands that calls run, and how they ended. Pure. */

import { type Block, type ToolCallBlock, type ToolResultBlock, textOf } from "../../model/index.ts";

const COMMAND_ARGUMENTS: readonly string[] = ["command", "cmd", "script"];
const SHELL = /^(?:\S*\/)?(?:ba|z|da)?sh$/u;

/** The number of examined characters: the first ones of a command, the last ones of an output. */
export const MAX_LOOKED_CHARS = 100_000;

/** Codex gives a command as a list of words, or as text. A patch changes files, and is not a command. */
export function commandOf({ args }: Pick<ToolCallBlock, "args">): string | null {
  for (const name of COMMAND_ARGUMENTS) {
    const value = args[name];
    const text = Array.isArray(value) ? commandOfWords(value) : value;
    if (typeof text === "string" && text !== "") return text.includes("*** Begin Patch") ? null : text;
  }
  return null;
}

/** The command in `["bash", "-lc", "npm test"]` is `npm test`. */
function commandOfWords(values: readonly unknown[]): string {
  const words = values.filter((word) => typeof word === "string");
  const [shell = "", flag = "", script, ...rest] = words;
  const isScript = SHELL.test(shell) && /^-\w*c$/u.test(flag) && rest.length === 0;
  return isScript && script !== undefined ? script : words.join(" ");
}

/**
 * Returns the simple commands of a line, without texts in quotes, here-documents and the variables before a command.
 * `bash -c "…"` is replaced by the command that it runs.
 */
export function simpleCommands(command: string): readonly string[] {
  return scriptOf(command)
    .replace(/'[^']*'|"(?:[^"\\]|\\.)*"/gu, '""')
    .split(/&&|\|\||[;|\n&(){}]/u)
    .map((part) => part.trim().replace(/^(?:\w+=\S*\s+)+/u, ""))
    .filter((part) => part !== "");
}

/**
 * Returns the lines that a shell runs, without here-documents, and with continued lines joined. For `bash -c "…"`, this
 * is the quoted text.
 */
export function scriptOf(command: string): string {
  const text = command.slice(0, MAX_LOOKED_CHARS);
  const [, , inner] = /^\s*(?:\S*\/)?(?:ba|z|da)?sh\s+-\w*c\s+(['"])([\s\S]*)\1\s*$/u.exec(text) ?? [];
  return withoutHereDocuments(inner ?? text).replaceAll("\\\n", " ");
}

const HERE_DOCUMENT = /(?<!<)<<-?\s*(['"]?)(\w+)\1/u;

/** Removes here-documents, which are the input of a command. A here-document without an end is only quoted text. */
function withoutHereDocuments(text: string): string {
  if (!text.includes("<<")) return text;
  const all = text.split("\n");
  const lastAt = new Map(all.map((line, at) => [/^\s*(\w+)(?:\)|\s*$)/u.exec(line)?.[1] ?? "", at]));
  let end: string | null = null;
  const lines = all.flatMap((line, at) => {
    if (end !== null) {
      const isEnd = line.trim() === end || line.trim().startsWith(`${end})`);
      const rest = isEnd ? line.slice(line.indexOf(end) + end.length) : null;
      if (isEnd) end = null;
      return rest === null || rest.trim() === "" ? [] : [rest];
    }
    const word = HERE_DOCUMENT.exec(line)?.[2] ?? "";
    if (word === "" || (lastAt.get(word) ?? -1) <= at) return [line];
    end = word;
    return [line.replace(HERE_DOCUMENT, "")];
  });
  return lines.join("\n");
}

/** Returns `null` if the result does not say it, for example because the command still runs. */
export function exitCodeOf({ isError, status, content, details }: ToolResultBlock): number | null {
  const known = codeIn(details);
  if (known !== null) return known < 0 ? null : known;
  const text = textOf(content);
  const ends = `${text.slice(0, 2_000)}\n${text.slice(-2_000)}`;
  const [, code] = EXIT.exec(ends) ?? [];
  if (code !== undefined) return Number(code);
  if (isError || STILL_RUNS.test(ends) || (status !== undefined && status !== "ok")) return null;
  return 0;
}

const EXIT =
  /(?:^|\n|<shellId: \S+ )(?:Process exited with code|Command exited with code|Exit code:?|Exit Code:|completed with exit code|exited with exit code) (-?\d{1,10})/u;
const STILL_RUNS =
  /running in background|moved to background|Process running with session|cancelled by user|aborted by user|timed out/u;

function codeIn(details: unknown): number | null {
  for (const one of Array.isArray(details) ? details : [details]) {
    const { exit_code, exitCode, shellExecution, metadata, backgroundTaskId } = asRecord(one);
    if (typeof backgroundTaskId === "string") return -1;
    const code = [exit_code, exitCode, asRecord(shellExecution).exitCode, asRecord(metadata).exit].find(
      (value) => typeof value === "number",
    );
    if (typeof code === "number") return code;
  }
  return null;
}

/** Returns the end of the output of a command. */
export function outputOf({ content }: { readonly content: readonly Block[] }): string {
  return textOf(content).slice(-MAX_LOOKED_CHARS);
}

export function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes for colours begin with a control character.
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/gu, "");
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
