/**
 * The file `workspace.yaml` next to a session: its title is the first prompt until the person or the model gives it a
 * name. A session without this file is listed by its first prompt, and Copilot writes the file when it opens the
 * session (1.0.102).
 */

import { dirname, join } from "node:path";
import { readSmallFile } from "@continuo/files";
import { toTitle } from "../kit/index.ts";

export function workspaceFile(sessionFile: string): string {
  return join(dirname(sessionFile), "workspace.yaml");
}

/** Returns the title in `workspace.yaml`; `null` if there is none. */
export function readName(sessionFile: string): string | null {
  const text = readSmallFile(workspaceFile(sessionFile));
  return text === null ? null : nameIn(text);
}

/** The file has one key a line. A complete YAML parser would take more time than all other work of a list. */
function nameIn(text: string): string | null {
  const lines = text.split(/\r?\n/u);
  const at = lines.findIndex((line) => line.startsWith("name:"));
  const value = lines[at]?.slice("name:".length).trim() ?? "";
  if (/^[|>][+-]?\d?[+-]?$/u.test(value)) return toTitle(indentedAfter(lines, at).join(" "));
  if (value.startsWith('"')) return toTitle(unquoted(value));
  if (value.startsWith("'")) return toTitle(value.replace(/^'|'$/gu, "").replaceAll("''", "'"));
  return value === "" || value === "null" || value === "~" ? null : toTitle(value);
}

/** Changes the title in the text of `workspace.yaml`, and marks it as given by a person. */
export function withName(text: string, name: string): string {
  const lines = text.replace(/\n$/u, "").split("\n");
  const others = lines.filter(
    (line) => !/^(?:name|user_named):/u.test(line) && line !== "" && !/^\s/u.test(line),
  );
  return `${[...others, `name: ${JSON.stringify(name)}`, "user_named: true"].join("\n")}\n`;
}

function indentedAfter(lines: readonly string[], at: number): string[] {
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => line !== "" && !/^\s/u.test(line));
  return (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim());
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value.replace(/^"|"$/gu, "");
  }
}

/** The text of `workspace.yaml` for a session that has no such file. */
export function noteOf(facts: {
  readonly id: string;
  readonly cwd: string | null;
  readonly createdAt: string | null;
}): string {
  const { id, cwd, createdAt } = facts;
  return [
    `id: ${id}`,
    ...(cwd === null ? [] : [`cwd: ${JSON.stringify(cwd)}`]),
    "summary_count: 0",
    "fork_count: 0",
    ...(createdAt === null ? [] : [`created_at: ${createdAt}`, `updated_at: ${createdAt}`]),
    "",
  ].join("\n");
}
