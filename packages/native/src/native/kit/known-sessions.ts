/**
 * Sessions that a list knows from an earlier one. A list shows the newest of thousands, and needs of each session only
 * its id and its time: a session that is one file has both in one line, which is valid as long as the file is
 * unchanged. The line begins with the time, so that lines are sorted as times are.
 */

import type { FoundBatch, FoundSession, KnownFiles } from "./port.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const TIME_CHARS = "2026-01-01T00:00:00.000Z".length;

function noLine(): never {
  throw new Error("a session is known only by the lines of files");
}

/** No line is stored, so every session is found, and none is known. */
export const NO_KNOWN_FILES: KnownFiles = {
  placeOf: () => -1,
  pathAt: noLine,
  lineAt: noLine,
  fileAt: noLine,
  keep: () => undefined,
};

/** Every session of batches in which none is known. */
export async function* foundIn(batches: AsyncIterable<FoundBatch>): AsyncGenerator<FoundSession, void, void> {
  for await (const { found } of batches) yield* found;
}

export function sessionIdOfLine(line: string): string {
  return line.slice(TIME_CHARS + 1);
}

export function updatedAtOfLine(line: string): string {
  return line.slice(0, TIME_CHARS);
}

/** The known session as a reader finds it, for readers whose sessions need no further fact than these. */
export function placeOfKnown(
  files: KnownFiles,
  known: number,
): Pick<FoundSession, "sessionId" | "location" | "files"> {
  const file = files.fileAt(known);
  return { sessionId: sessionIdOfLine(files.lineAt(known)), location: file.path, files: [file] };
}

/** The line of a session that is one file; `null` for a session with further facts. */
export function toKnownLine(
  { sessionId, location, files, problems, parentId }: FoundSession,
  updatedAt: string | null,
): string | null {
  const isOneFile = files.length === 1 && files[0]?.path === location;
  if (!isOneFile || problems.length > 0 || parentId !== undefined) return null;
  if (updatedAt === null || !TIME.test(updatedAt)) return null;
  return sessionId.isWellFormed() && !sessionId.includes("\0") ? `${updatedAt} ${sessionId}` : null;
}
