/** A table of a TOML file with its sub-tables: found, added, replaced or removed as text. Pure. */

import { ContinuoError } from "@continuo/core/model";
import type { Edit } from "./edit.ts";

export interface TomlTable {
  /** The text of the table and its sub-tables. */
  readonly text: string | null;
  set(lines: readonly string[]): Edit;
  remove(): Edit | null;
}

interface Line {
  readonly at: number;
  readonly end: number;
  readonly text: string;
  /** True within a string of several lines, where no line is a header. */
  readonly isInString: boolean;
}

/**
 * @param path such as `["mcp_servers", "continuo"]`, bare keys
 *
 * Errors: `conflict` if the file defines the table in another form, or has parts of it in several places.
 */
export function tableInToml(text: string, path: readonly [string, string]): TomlTable {
  const lines = linesOf(text);
  const isOurs = (line: Line): boolean => {
    const header = headerOf(line);
    return header !== null && path.every((key, at) => header[at] === key);
  };
  refuseOtherForms(lines, path);
  const first = lines.findIndex(isOurs);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  if (first === -1) {
    const before = text === "" || text.endsWith("\n") ? "" : lineEnd;
    const blank = text === "" ? "" : lineEnd;
    const set = (added: readonly string[]): Edit => ({
      at: text.length,
      deleted: "",
      inserted: `${before}${blank}${added.join(lineEnd)}${lineEnd}`,
    });
    return { text: null, set, remove: () => null };
  }
  let last = first;
  for (let at = first + 1; at < lines.length; at++) {
    const line = lines[at];
    if (line !== undefined && headerOf(line) !== null && !isOurs(line)) break;
    // A comment before the next table belongs to that table.
    if (line !== undefined && (line.isInString || !/^\s*(?:#.*)?$/u.test(line.text))) last = at;
  }
  if (lines.slice(last + 1).some(isOurs)) throw conflict();
  const [from, to] = [lines[first]?.at ?? 0, lines[last]?.end ?? text.length];
  const old = text.slice(from, to);
  return {
    text: old,
    set: (added) => ({ at: from, deleted: old, inserted: `${added.join(lineEnd)}${lineEnd}` }),
    remove: () => {
      // The blank line that separates the table from the text before is removed, too.
      const start = text.slice(0, from).endsWith(`${lineEnd}${lineEnd}`) ? from - lineEnd.length : from;
      return { at: start, deleted: text.slice(start, to), inserted: "" };
    },
  };
}

/** Throws for `[mcp_servers]` with the name below it, dotted keys and inline tables: they are not a block of lines. */
function refuseOtherForms(lines: readonly Line[], [group, name]: readonly [string, string]): void {
  let header: readonly string[] | null = [];
  for (const line of lines) {
    if (line.isInString) continue;
    header = headerOf(line) ?? header;
    const key = keyOf(line.text);
    if (key === null) continue;
    const whole = [...(header ?? []), ...key];
    const isInTable = header?.[0] === group && header[1] === name;
    if (whole[0] === group && (whole.length === 1 || whole[1] === name) && !isInTable) throw conflict();
  }
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let open: string | null = null;
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at);
    const end = next === -1 ? text.length : next + 1;
    const line = text.slice(at, end).replace(/\r?\n$/u, "");
    lines.push({ at, end, text: line, isInString: open !== null });
    open = openAfter(line, open);
    at = end;
  }
  return lines;
}

const QUOTES = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*$/gu;

/** Returns the kind of the multi-line string that is open after a line. */
function openAfter(line: string, open: string | null): string | null {
  let [rest, state] = [line, open];
  for (;;) {
    if (state !== null) {
      const end = rest.indexOf(state);
      if (end === -1) return state;
      rest = rest.slice(end + 3);
      state = null;
    }
    QUOTES.lastIndex = 0;
    let begun: string | null = null;
    for (const match of rest.matchAll(QUOTES)) {
      if (match[0] !== '"""' && match[0] !== "'''") continue;
      begun = match[0];
      rest = rest.slice(match.index + 3);
      break;
    }
    if (begun === null) return null;
    state = begun;
  }
}

const KEY = /\s*(?:([\w-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)')\s*/uy;

/** The keys of `[a."b".c]`; `null` for a line that is not a header. */
function headerOf({ text, isInString }: Line): readonly string[] | null {
  if (isInString) return null;
  const [, inner] = /^\s*\[\[?([^\]]*(?:"[^"]*"[^\]]*)*)\]\]?\s*(?:#.*)?$/u.exec(text) ?? [];
  return inner === undefined ? null : (keysIn(inner, 0)?.keys ?? null);
}

/** The keys of `a.b = 1`; `null` for a line that sets nothing. */
function keyOf(text: string): readonly string[] | null {
  const found = keysIn(text, 0);
  return found !== null && text[found.end] === "=" ? found.keys : null;
}

function keysIn(
  text: string,
  from: number,
): { readonly keys: readonly string[]; readonly end: number } | null {
  const keys: string[] = [];
  for (let at = from; ; at += 1) {
    KEY.lastIndex = at;
    const match = KEY.exec(text);
    if (match === null) return null;
    keys.push(match[1] ?? match[2] ?? match[3] ?? "");
    at = KEY.lastIndex;
    if (text[at] !== ".") return { keys, end: at };
  }
}

function conflict(): ContinuoError {
  return new ContinuoError("conflict", "the file names the server in a form that cannot be edited", {
    hint: "Delete the entry by hand and run the command again.",
  });
}
