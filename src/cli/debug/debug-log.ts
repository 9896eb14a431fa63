/** Writes the messages of the rooms to the debug log, and reads the end of it. */

import { appendFileSync, closeSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError, messageOf } from "@continuo/core/model";
import { maskSecrets } from "@continuo/core/transcript/secrets";
import {
  continuoHome,
  DEBUG_ROOMS,
  type DebugEntry,
  type DebugRoom,
  followDebug,
  makeFolderDurably,
  writeDurably,
} from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

/** Above this size, the older half of the log is removed. */
const MAX_BYTES = 4_194_304;

export function debugLogPath(shell: Shell): string {
  return join(continuoHome(shell), "debug.jsonl");
}

/**
 * The rooms that `CONTINUO_DEBUG` names: `1`, `*` or an empty value means all. Errors: `usage` for a room that does not
 * exist.
 */
export function debugRooms(value: string): readonly DebugRoom[] {
  const names = value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0 || names.includes("1") || names.includes("*")) return DEBUG_ROOMS;
  const unknown = names.find((name) => !DEBUG_ROOMS.some((room) => room === name));
  if (unknown !== undefined) {
    throw new ContinuoError("usage", `CONTINUO_DEBUG names '${unknown}', which is not a room`, {
      hint: `Use * for all, or some of ${DEBUG_ROOMS.join(", ")}.`,
    });
  }
  return DEBUG_ROOMS.filter((room) => names.includes(room));
}

/** Prints the path of the log, and writes each entry at once, so that the log of a killed command is complete. */
export function startDebugLog(shell: Shell, rooms: readonly DebugRoom[]): Disposable {
  const path = debugLogPath(shell);
  let size = 0;
  try {
    makeFolderDurably(dirname(path));
    size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    shell.stderr.write(`cannot write the debug log: ${messageOf(error)}\n`);
    return { [Symbol.dispose]: () => undefined };
  }
  shell.stderr.write(`debug log: ${path}\n`);
  let isBroken = false;
  return followDebug(rooms, (entry) => {
    if (isBroken) return;
    try {
      if (size > MAX_BYTES) size = dropOlderHalf(path);
      const line = toLine(entry, new Date());
      appendFileSync(path, line, { mode: 0o600 });
      size += Buffer.byteLength(line);
    } catch (error) {
      isBroken = true;
      shell.stderr.write(`the debug log ends here: ${messageOf(error)}\n`);
    }
  });
}

function toLine({ room, what, details }: DebugEntry, at: Date): string {
  const entry = { at: at.toISOString(), pid: process.pid, room, what, ...maskSecrets(details).value };
  return `${JSON.stringify(entry)}\n`;
}

function dropOlderHalf(path: string): number {
  const text = readFileSync(path, "utf8");
  const newer = text.slice(text.indexOf("\n", text.length / 2) + 1);
  writeDurably(path, newer);
  return Buffer.byteLength(newer);
}

/** The last whole lines of the log, at most `maxChars` UTF-16 units; `null` if there is no log. */
export function readDebugLog(shell: Shell, maxChars: number): string | null {
  let text: string;
  try {
    text = readFileSync(debugLogPath(shell), "utf8");
  } catch {
    return null;
  }
  if (text.length <= maxChars) return text;
  return text.slice(text.indexOf("\n", text.length - maxChars) + 1);
}
