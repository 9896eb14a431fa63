/**
 * The numbers of the last list: one file for each terminal and kind. A terminal is identified by the process that
 * started the command, usually a shell: by its number and its start time, or only by its number if the system does not
 * report the start.
 */

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { continuoHome, processStartOf, readJsonFile, writeDurably } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

export type NumberedKind = "results" | "rows";

/** Older numbers are not used, because another process may have the number of the shell by then. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_FILES = 200;

/**
 * The first entry gets the number 1. The old numbers are removed first: if the new ones cannot be stored, no number
 * names a wrong entry. On a read-only disk, the old numbers stay.
 */
export function keepNumbered(kind: NumberedKind, all: readonly object[], shell: Shell): void {
  try {
    rmSync(pathOf(kind, shell), { force: true });
    writeDurably(pathOf(kind, shell), `${JSON.stringify({ [kind]: all })}\n`);
    forgetOld(kind, shell);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** `null` if the last list of this terminal is too old, or has no such number; the caller checks the value. */
export function numbered(kind: NumberedKind, number: number, shell: Shell): unknown {
  const path = pathOf(kind, shell);
  if (isOld(changedMsOf(path), shell)) return null;
  const all = readJsonFile(path)?.[kind];
  return Array.isArray(all) ? (all[number - 1] ?? null) : null;
}

function folderOf(kind: NumberedKind, shell: Shell): string {
  return join(continuoHome(shell), "cache", kind);
}

function pathOf(kind: NumberedKind, shell: Shell): string {
  const { startedBy = process.ppid } = shell;
  const start = String(processStartOf(startedBy) ?? 0).replace(/\W/gu, "");
  return join(folderOf(kind, shell), `${startedBy}-${start}.json`);
}

function forgetOld(kind: NumberedKind, shell: Shell): void {
  const folder = folderOf(kind, shell);
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, changedMs: changedMsOf(path) }))
    .sort((a, b) => b.changedMs - a.changedMs);
  for (const [at, { path, changedMs }] of files.entries()) {
    if (at >= MAX_FILES || isOld(changedMs, shell)) rmSync(path, { force: true });
  }
}

/** Milliseconds since 1970; 0 if there is no file. */
function changedMsOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isOld(changedMs: number, shell: Shell): boolean {
  return shell.now.getTime() - changedMs > KEPT_MS;
}
