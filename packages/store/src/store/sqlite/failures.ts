/** Failures of SQLite, as errors of the store. */

import { ContinuoError, type ErrorCode, isContinuoError } from "@continuo/core/model";

const BUSY = 5;
const LOCKED = 6;

const IOERR = 10;
const FULL = 13;
const RANGE = 25;
const CANTOPEN = 14;

/** SQLite's primary result code, or the closest one to an error of the file system; `undefined` for any other error. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, code, cause, syscall } = error as Partial<
    Record<"errcode" | "code" | "cause" | "syscall", unknown>
  >;
  if (typeof errcode === "number") return errcode & 0xff;
  if (code === "ENOSPC" || code === "EDQUOT") return FULL;
  // The value cannot be bound to a statement.
  if (code === "ERR_INVALID_ARG_TYPE" || code === "ERR_INVALID_ARG_VALUE") return RANGE;
  if (typeof code === "string" && /^E(ACCES|PERM|EXIST|NOENT|NOTDIR|ISDIR|ROFS|LOOP)$/.test(code))
    return CANTOPEN;
  if (syscall !== undefined || ["EIO", "EFBIG", "EMFILE"].includes(String(code))) return IOERR;
  return isContinuoError(cause) || cause === undefined ? undefined : codeOf(cause);
}

export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === BUSY || code === LOCKED;
}

const DAMAGED =
  "Copy the file and its -wal to another folder, then restore a backup with `continuo store restore`, or examine the damage with `continuo store verify`.";

interface Failure {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint: string;
}

const IS_LOCKED: Failure = {
  code: "busy",
  says: "is locked by another process",
  hint: "Try again; if the lock remains, look for a process that hangs.",
};

const FAILURES: Readonly<Record<number, Failure>> = {
  [BUSY]: IS_LOCKED,
  [LOCKED]: IS_LOCKED,
  8: {
    code: "unavailable",
    says: "cannot be written",
    hint: "Check the permissions of the file and its folder.",
  },
  [IOERR]: {
    code: "unavailable",
    says: "cannot be read or written",
    hint: "Check the disk and its free space.",
  },
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
  18: { code: "too_large", says: "cannot store a value of this size", hint: "Keep large data as a blob." },
  19: {
    code: "conflict",
    says: "refuses a row that contradicts another one",
    hint: "Read again, then try again.",
  },
  [RANGE]: { code: "invalid", says: "cannot store a value", hint: "Check the values that were given." },
  26: { code: "corrupt", says: "is not a SQLite database", hint: DAMAGED },
};

const UNKNOWN: Failure = {
  code: "unavailable",
  says: "reports an error",
  hint: "Try again; if it happens again, report this error with its cause.",
};

/** Every error of SQLite and of its files becomes a `ContinuoError`; other errors stay as they are. */
export function translated(error: unknown, path: string): unknown {
  if (isContinuoError(error) && !isBusy(error)) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const failure = FAILURES[code] ?? UNKNOWN;
  return new ContinuoError(failure.code, `the database ${path} ${failure.says}`, {
    hint: failure.hint,
    details: { path },
    cause: error,
  });
}

export function truncated(path: string, sizeBytes: number, expectedBytes: number): ContinuoError {
  return new ContinuoError(
    "corrupt",
    `the database ${path} is cut off: ${sizeBytes} of ${expectedBytes} bytes`,
    {
      hint: DAMAGED,
      details: { path, sizeBytes, expectedBytes },
    },
  );
}

/** The error if the database, or a file that SQLite keeps next to it, was deleted or replaced while it was open. */
export function replacedFile(path: string, file: string): ContinuoError {
  const what = path === file ? `database ${path}` : `file ${file} of the database ${path}`;
  return new ContinuoError("unavailable", `the ${what} was deleted or replaced while it was open`, {
    hint: "Open the store again to continue with the new file; this store still reads the old one.",
    details: { path, file, permanent: true },
  });
}
