/** One file for each terminal and kind. A terminal is known by the process that started the command, which is its shell. */

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { continuoHome, processStartOf, readJsonFile, writeDurably } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

export type NumberedKind = "results" | "rows";

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_FILES = 200;

/** The first one has the number 1. The numbers from before name nothing any more, also if the new ones cannot be kept. */
export function keepNumbered(kind: NumberedKind, all: readonly object[], shell: Shell): void {
  try {
    forgetOld(kind, shell);
    rmSync(pathOf(kind, shell), { force: true });
    writeDurably(pathOf(kind, shell), `${JSON.stringify({ [kind]: all })}\n`);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** `null` where this terminal has nothing of that number; the caller checks what it holds. */
export function numbered(kind: NumberedKind, number: number, shell: Shell): unknown {
  const all = readJsonFile(pathOf(kind, shell))?.[kind];
  return Array.isArray(all) ? (all[number - 1] ?? null) : null;
}

function folderOf(kind: NumberedKind, shell: Shell): string {
  return join(continuoHome(shell), "cache", kind);
}

function pathOf(kind: NumberedKind, shell: Shell): string {
  const { ppid } = process;
  return join(folderOf(kind, shell), `${ppid}-${String(processStartOf(ppid) ?? 0).replace(/\W/gu, "")}.json`);
}

function forgetOld(kind: NumberedKind, shell: Shell): void {
  const folder = folderOf(kind, shell);
  if (!existsSync(folder)) return;
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, changedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changedMs - a.changedMs);
  for (const [at, { path, changedMs }] of files.entries()) {
    if (at >= MAX_FILES || shell.now.getTime() - changedMs > KEPT_MS) rmSync(path, { force: true });
  }
}
