/**
 * The history of a person's input, stored between conversations. Only the person can read it, and its size is bounded.
 */

import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { continuoHome, makeFolderDurably, placesOf, writeDurably } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface InputHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** A line that begins with a space is not kept. If the file cannot be written, the line is kept in memory only. */
  add(line: string): void;
}

export async function openHistory(shell: Shell): Promise<InputHistory> {
  const path = join(continuoHome(placesOf(shell)), "history");
  const entries = readEntries(path);
  if (isLarge(path)) rewrite(path, entries);
  return {
    entries,
    add(line) {
      if (line.trim() === "" || line.startsWith(" ") || line.length > REPL_LIMITS.entryChars) return;
      if (entries.at(-1) === line) return;
      entries.push(line);
      if (entries.length > REPL_LIMITS.historyEntries) entries.shift();
      try {
        makeFolderDurably(dirname(path));
        appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      }
    },
  };
}

/** Lines that Continuo did not write are left out. */
function readEntries(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  const entries = lines.flatMap((line): string[] => {
    try {
      const entry: unknown = JSON.parse(line);
      return typeof entry === "string" ? [entry] : [];
    } catch {
      // Broken by a crash, or written by another program.
      return [];
    }
  });
  return entries.slice(-REPL_LIMITS.historyEntries);
}

function isLarge(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > REPL_LIMITS.historyBytes;
}

function rewrite(path: string, entries: string[]): void {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  while (lines.join("").length > REPL_LIMITS.historyBytes / 2) lines.shift();
  entries.splice(0, entries.length - lines.length);
  writeDurably(path, lines.join(""));
}
