/** What SQLite says, in the store's words. */

import { ContinuoError, isContinuoError } from "../../model/index.ts";

const BUSY = 5;
const LOCKED = 6;

const FULL = 13;
const CANTOPEN = 14;

/** SQLite's primary result code, or the nearest one to a file system's; `undefined` for any other error. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, code, cause } = error as { errcode?: unknown; code?: unknown; cause?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  if (code === "ENOSPC") return FULL;
  if (typeof code === "string" && /^E(ACCES|PERM|EXIST|NOENT|NOTDIR|ISDIR|ROFS|LOOP)$/.test(code))
    return CANTOPEN;
  return isContinuoError(cause) || cause === undefined ? undefined : codeOf(cause);
}

export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === BUSY || code === LOCKED;
}

const DAMAGED =
  "Copy the file and its -wal aside, then restore a backup with `continuo store restore`, or look with `continuo store verify`.";

interface Failure {
  readonly code: "corrupt" | "unavailable" | "busy";
  readonly says: string;
  readonly hint: string;
}

const FAILURES: Readonly<Record<number, Failure>> = {
  [BUSY]: {
    code: "busy",
    says: "is locked by another process",
    hint: "Try again; a process that holds the lock for long may hang.",
  },
  8: {
    code: "unavailable",
    says: "cannot be written",
    hint: "Check the permissions of the file and its folder.",
  },
  10: { code: "unavailable", says: "cannot be read or written", hint: "Check the disk." },
  11: { code: "corrupt", says: "is damaged", hint: DAMAGED },
  [FULL]: {
    code: "unavailable",
    says: "cannot grow: the disk is full",
    hint: "Free some space and try again.",
  },
  [CANTOPEN]: {
    code: "unavailable",
    says: "cannot be opened",
    hint: "Check the path and the permissions of its folder.",
  },
  26: { code: "corrupt", says: "is no SQLite database", hint: DAMAGED },
};

/** Errors of SQLite as `busy`, `corrupt` or `unavailable`; all others as they are. */
export function translated(error: unknown, path: string): unknown {
  if (isContinuoError(error) && !isBusy(error)) return error;
  const failure = FAILURES[codeOf(error) ?? -1];
  if (failure === undefined) return error;
  return new ContinuoError(failure.code, `The database ${path} ${failure.says}.`, {
    hint: failure.hint,
    details: { path },
    cause: error,
  });
}

export function truncated(path: string, sizeBytes: number, expectedBytes: number): ContinuoError {
  return new ContinuoError(
    "corrupt",
    `The database ${path} is cut off: ${sizeBytes} of ${expectedBytes} bytes.`,
    {
      hint: DAMAGED,
      details: { path, sizeBytes, expectedBytes },
    },
  );
}

/** SQLite itself goes on writing into a file that has no name any more. */
export function replacedFile(path: string): ContinuoError {
  return new ContinuoError("unavailable", `The database ${path} was deleted or replaced while it was open.`, {
    hint: "What was kept until then can still be read here. Open the store again to go on in what is there now.",
    details: { path },
  });
}
