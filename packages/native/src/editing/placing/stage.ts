/** Writes a session into a private home, where only Continuo's readers look for it. */

import { existsSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Json, type Places, writeFailure } from "@continuo/files";
import {
  type NativeWriter,
  type NewSession,
  writeBeside,
  writeScratchLines,
  writeScratchTexts,
} from "../../native/writing/index.ts";
import { isGone } from "./notes.ts";

export interface StageOptions {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly records: Iterable<Json>;
  readonly home: Places;
}

/** Returns the file. Errors: `unwritable`. */
export function stageRecords({ writer, session, records, home }: StageOptions): string {
  if (writer.stage !== undefined) {
    const file = join(home.home, "session.json");
    writeScratchTexts(file, writer.stage(records, session));
    return file;
  }
  const file = writer.placeOf(session, home);
  for (const beside of writer.besideNew?.(session, file) ?? []) writeBeside(beside);
  writeScratchLines(file, records);
  return file;
}

const SCRATCH = "continuo-scratch-";
const SCRATCH_OF = /^continuo-scratch-(\d+)-/u;

export interface Scratch extends Disposable {
  readonly path: string;
}

/** A folder that only this process uses. Folders that killed processes left are removed first. Errors: `unwritable`. */
export function openScratch(): Scratch {
  const folder = realpathSync(tmpdir());
  removeLeftScratch();
  const path = makeScratch(join(folder, `${SCRATCH}${process.pid}-`));
  return { path, [Symbol.dispose]: () => removeScratch(path) };
}

function makeScratch(prefix: string): string {
  try {
    return mkdtempSync(prefix);
  } catch (cause) {
    throw writeFailure(`cannot make a folder in ${dirname(prefix)}`, cause);
  }
}

/** The folders of killed processes of this user, which contain whole conversations. */
export function removeLeftScratch(user: number | undefined = process.getuid?.()): void {
  const folder = tmpdir();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = SCRATCH_OF.exec(name)?.[1];
    if (pid === undefined || !isGone(Number(pid))) continue;
    // Another user could exchange a folder of their own for a link while it is removed.
    const owner = lstatSync(join(folder, name), { throwIfNoEntry: false })?.uid;
    if (user === undefined || owner === user) removeScratch(join(folder, name));
  }
}

/** A file that a killed agent writes again is removed too. */
function removeScratch(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    // The folder belongs to another user.
    if (!["EPERM", "EACCES"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}
