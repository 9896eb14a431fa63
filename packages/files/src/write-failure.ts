/** Writes that the system or SQLite refused, as errors with a hint for the person. */

import { ContinuoError, messageOf } from "@continuo/core/model";

const SPACE = "Free some space on the disk, then try again.";
const PERMISSIONS = "Check the permissions of the file and its folder.";
const OPEN_FILES = "Close other programs or raise the limit of open files (`ulimit -n`), then try again.";
const DISK = "Check the disk and its free space, then try again.";

/** Descriptions of the reasons; the keys are codes of the system. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "the system does not permit it",
  EEXIST: "a file is in the place of a folder",
  ENOTDIR: "a file is in the place of a folder",
};

/** Hints; the keys are codes of the system. */
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: SPACE,
  EDQUOT: SPACE,
  EROFS: "Make the file system writable, or use a folder elsewhere.",
  EACCES: PERMISSIONS,
  EPERM: PERMISSIONS,
  EEXIST: "Move the file away, or use a folder elsewhere.",
  ENOTDIR: "Move the file away, or use a folder elsewhere.",
  EMFILE: OPEN_FILES,
  ENFILE: OPEN_FILES,
  EFBIG: "Raise the limit of the size of files (`ulimit -f`), then try again.",
  EIO: DISK,
};

/** Hints; the keys are SQLite's primary result codes. */
const SQLITE_HINTS: Readonly<Record<number, string>> = {
  8: PERMISSIONS,
  10: DISK,
  13: SPACE,
  14: PERMISSIONS,
};
const SQLITE_BUSY = 5;

/** Returns true if the error comes from the system or SQLite, and so is not a mistake in Continuo's code. */
export function isWriteFailure(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof ContinuoError) return false;
  return "syscall" in error || "errcode" in error;
}

/** With `EEXIST`, "a file is in the place of a folder" is the reason only if a folder was to be made. */
function codeOf(cause: unknown): string {
  const { code, syscall } = cause as { readonly code?: unknown; readonly syscall?: unknown };
  return code === "EEXIST" && syscall !== "mkdir" ? "" : String(code);
}

/** The reason in words; the text of the system if Continuo has no description for it. */
export function reasonOf(cause: unknown): string {
  return REASONS[codeOf(cause)] ?? messageOf(cause);
}

/**
 * `unwritable`, or `busy` if another program holds a database. `details.reason` is the system's code.
 *
 * @param what such as `cannot write PATH`
 * @param otherwise the hint if no other one fits the reason
 */
export function writeFailure(what: string, cause: unknown, otherwise = "Try again."): ContinuoError {
  const { code, errcode } = cause as { readonly code?: unknown; readonly errcode?: unknown };
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
  const known = primary === undefined ? HINTS[codeOf(cause)] : SQLITE_HINTS[primary];
  return new ContinuoError(primary === SQLITE_BUSY ? "busy" : "unwritable", `${what}: ${reasonOf(cause)}`, {
    hint: known ?? otherwise,
    details: typeof code === "string" ? { reason: code } : {},
    cause,
  });
}
