/**
 * Writes that a process began and did not end, because it was killed: told by a note below Continuo's home, which
 * is there for as long as the write takes. Whoever writes next takes back what is half there.
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "../../model/index.ts";
import { continuoHome, isJson, type Places } from "../reader/index.ts";
import { writeBeside } from "./lines.ts";
import { unfinishedPath } from "./unfinished-path.ts";
import type { BesideFile } from "./writer.ts";

export type Unfinished =
  /** A new file, which has its name when it is whole. */
  | { readonly how: "create"; readonly path: string }
  /** `text` behind the first `size` bytes. */
  | {
      readonly how: "append";
      readonly path: string;
      readonly size: number;
      readonly text: string;
      /** Nobody holds a lock for this file: it is taken back as soon as somebody looks. */
      readonly unlocked?: true;
    };

/** Runs `write` under a note. */
export function noted<T>(places: Places, unfinished: Unfinished, write: () => T): T {
  const end = beginNote(places, unfinished);
  try {
    return write();
  } finally {
    end();
  }
}

/** `writeBeside` under a note. Errors: `unwritable`. */
export function placeBeside(places: Places, beside: BesideFile): void {
  const { path, text } = beside;
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (beside.how === "create" && size !== undefined) return;
  const unfinished: Unfinished =
    size === undefined ? { how: "create", path } : { how: "append", path, size, text, unlocked: true };
  noted(places, unfinished, () => writeBeside(beside));
}

/** Gives what takes the note away. Errors: `unwritable`. */
export function beginNote(places: Places, unfinished: Unfinished): () => void {
  const folder = notesFolder(places);
  count += 1;
  const note = join(folder, `${process.pid}-${count}.json`);
  const end = (): void => rmSync(note, { force: true });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(note, JSON.stringify(unfinished), { mode: 0o600 });
  } catch (cause) {
    end();
    throw new ContinuoError("unwritable", `cannot write ${note}: ${(cause as Error).message}`, {
      cause,
      hint: "Nothing was added to the session.",
    });
  }
  return end;
}

let count = 0;

/**
 * Takes back what processes that are gone left half written: every new file, and what was to be added to
 * `file`, whose lock the caller holds.
 */
export function takeBackUnfinished(places: Places, file: string | null): void {
  const folder = notesFolder(places);
  for (const name of namesOf(folder)) {
    const pid = Number(/^(\d+)-\d+\.json$/u.exec(name)?.[1] ?? process.pid);
    if (!isGone(pid)) continue;
    const path = join(folder, name);
    const unfinished = parseNote(path);
    if (unfinished?.how === "append" && unfinished.unlocked !== true && unfinished.path !== file) continue;
    if (unfinished?.how === "create") rmSync(unfinishedPath(unfinished.path, pid), { force: true });
    if (unfinished?.how === "append") takeBackAppend(unfinished);
    rmSync(path, { force: true });
  }
}

/** Whether a process of this number is there no more. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function notesFolder(places: Places): string {
  return join(continuoHome(places), "unfinished");
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** `null` for a note that is itself half written: nothing else was begun then. */
function parseNote(path: string): Unfinished | null {
  try {
    const note: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isJson(note) || typeof note.path !== "string") return null;
    const { path: file, size, text } = note;
    if (note.how === "create") return { how: "create", path: file };
    if (typeof size !== "number" || typeof text !== "string") return null;
    return { how: "append", path: file, size, text, ...(note.unlocked === true ? { unlocked: true } : {}) };
  } catch {
    // Half written, or gone since.
    return null;
  }
}

/** Only where nothing but a part of what was to be added stands there: an agent may have gone on meanwhile. */
function takeBackAppend({ path, size, text }: Unfinished & { readonly how: "append" }): void {
  if (!existsSync(path)) return;
  const fd = openSync(path, "r+");
  try {
    const whole = Buffer.from(text, "utf8");
    const rest = fstatSync(fd).size - size;
    if (rest <= 0 || rest > whole.length) return;
    const there = Buffer.alloc(rest);
    readSync(fd, there, 0, rest, size);
    const lines = there[0] === LINE_FEED ? there.subarray(1) : there;
    if (lines.length < whole.length && lines.equals(whole.subarray(0, lines.length))) ftruncateSync(fd, size);
  } finally {
    closeSync(fd);
  }
}

const LINE_FEED = 0x0a;
