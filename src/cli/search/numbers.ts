/**
 * The numbers of results, kept for `continuo open N`. They belong to the terminal: what the search in another window
 * found has other numbers. A terminal is known by the process that started the command, which is its shell.
 */

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SearchResult } from "@continuo/agents/search";
import { continuoHome, isJson, processStartOf, readJsonFile, writeDurably } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";
import { nameOfResult } from "./result-json.ts";

/** `location`: what `open` takes for the session. */
export interface NumberedResult {
  readonly location: string;
  readonly messageId: string;
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_FILES = 200;

/** A result that cannot be kept can still be read on the screen. */
export function keepNumbers(results: readonly SearchResult[], shell: Shell): void {
  const kept = results.map(({ session, turn }) => ({
    location: nameOfResult(session),
    messageId: turn.messageId,
  }));
  try {
    forgetOld(shell);
    writeDurably(pathOf(shell), `${JSON.stringify({ results: kept })}\n`);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** `null` where this terminal has no such result. */
export function resultOf(number: number, shell: Shell): NumberedResult | null {
  const kept = readJsonFile(pathOf(shell));
  const results: readonly unknown[] = Array.isArray(kept?.results) ? kept.results : [];
  const result = results[number - 1];
  if (!isJson(result)) return null;
  const { location, messageId } = result;
  return typeof location === "string" && typeof messageId === "string" ? { location, messageId } : null;
}

function folderOf(shell: Shell): string {
  return join(continuoHome(shell), "cache/results");
}

function pathOf(shell: Shell): string {
  const { ppid } = process;
  return join(folderOf(shell), `${ppid}-${String(processStartOf(ppid) ?? 0).replace(/\W/gu, "")}.json`);
}

function forgetOld(shell: Shell): void {
  const folder = folderOf(shell);
  if (!existsSync(folder)) return;
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, changedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changedMs - a.changedMs);
  for (const [at, { path, changedMs }] of files.entries()) {
    if (at >= MAX_FILES || shell.now.getTime() - changedMs > KEPT_MS) rmSync(path, { force: true });
  }
}
