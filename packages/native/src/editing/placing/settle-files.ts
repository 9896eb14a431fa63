/** Finishes or removes incomplete writes of killed processes. */

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
} from "node:fs";
import { appendLines, removeLeft, unfinishedPath } from "@continuo/files";
import { type SideFile, writeNewFile } from "../../native/writing/index.ts";
import type { AppendNote, PlaceNote } from "./notes.ts";

/** Removes an incomplete append, but only if nothing follows it: the agent may have continued the session. */
export function settleAppend({ path, size, text }: AppendNote, pid: number): void {
  removeLeft(unfinishedPath(path, pid));
  if (!existsSync(path)) return;
  const fd = openSync(path, "r+");
  try {
    const lines = Buffer.from(text, "utf8");
    // If the previous line was incomplete, the append began with a line feed.
    const whole = isLineEnd(fd, size) ? lines : Buffer.concat([Buffer.of(LINE_FEED), lines]);
    const rest = fstatSync(fd).size - size;
    if (rest <= 0 || rest > whole.length) return;
    const there = Buffer.alloc(rest);
    readSync(fd, there, 0, rest, size);
    if (there.equals(whole) || !isPartOf(there, whole)) return;
    ftruncateSync(fd, size);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const LINE_FEED = 0x0a;

function isLineEnd(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === LINE_FEED);
}

/** After a power cut, a file may have its full length, with zeros in place of some of the written bytes. */
function isPartOf(part: Buffer, whole: Buffer): boolean {
  return part.every((byte, at) => byte === 0 || byte === whole[at]);
}

/**
 * Removes the staged files. If the session was placed, finishes the texts that belong to it in other files.
 * @param pid the number of the process that is gone
 */
export function settlePlaced(note: PlaceNote, pid: number, isThere: boolean): void {
  for (const path of [note.path, ...note.besides.map((beside) => beside.path)]) {
    removeLeft(unfinishedPath(path, pid));
  }
  if (!isThere) return;
  for (const beside of note.besides) if (beside.how === "append") finishText(beside, pid);
}

/** @param pid the number of the process that is gone */
export function finishText(beside: SideFile, pid: number): void {
  removeLeft(unfinishedPath(beside.path, pid));
  removeTornText(beside);
  addText(beside);
}

/** Removes an incomplete part of the text at the very end of the file. */
function removeTornText({ path, text }: SideFile): void {
  if (!existsSync(path)) return;
  const whole = readFileSync(path, "utf8");
  const torn = whole.slice(whole.lastIndexOf("\n") + 1);
  if (torn === "" || !isPartOf(Buffer.from(torn), Buffer.from(text))) return;
  truncateTo(path, Buffer.byteLength(whole) - Buffer.byteLength(torn));
}

function truncateTo(path: string, size: number): void {
  const fd = openSync(path, "r+");
  try {
    ftruncateSync(fd, size);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Appends the text, unless the file already contains all of it. Creates a missing file. */
export function addText({ path, text }: SideFile): void {
  if (!existsSync(path)) writeNewFile(path, Buffer.from(text, "utf8"));
  else if (!readFileSync(path, "utf8").includes(text)) appendLines(path, Buffer.from(text, "utf8"));
}
