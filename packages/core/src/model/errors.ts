/**
 * Errors are expected failures, such as a file that is missing. There is one error type with a closed list of codes,
 * and one table with the exit code and the HTTP status of each code.
 *
 * A mistake in our own code is an `assert`, and is not caught; a strange file is a `Problem`.
 */

/** Why an operation failed. A client must accept codes that it does not know: newer servers have more. */
export type ErrorCode =
  | "usage"
  | "not_found"
  | "ambiguous"
  | "unreadable"
  | "unwritable"
  | "unsupported"
  | "session_live"
  | "conflict"
  | "has_forks"
  | "fidelity"
  | "verification_failed"
  | "invalid"
  | "too_large"
  | "out_of_range"
  | "gone"
  | "log_closed"
  | "fenced"
  | "lease_held"
  | "sequence_gap"
  | "invalid_transition"
  | "run_ended"
  | "migration_required"
  | "schema_newer"
  | "corrupt"
  | "busy"
  | "unavailable"
  | "agent_missing"
  | "agent_failed"
  | "folder_missing"
  | "native_unavailable"
  | "too_many_runs"
  | "untrusted"
  | "session_disabled"
  | "unauthorized"
  | "forbidden"
  | "handle_taken"
  | "rate_limited"
  | "degraded"
  | "cancelled"
  | "interrupted";

/** A row is short, because every page that connects to a server loads the table. `hint` is the code's default hint. */
type ErrorKind = readonly [exitCode: number, httpStatus: number, hint?: string];

/** `docs/errors.md` is made from this table: `scripts/errors-page.ts` explains each code to users. */
export const ERROR_KINDS: Readonly<Record<ErrorCode, ErrorKind>> = {
  usage: [2, 400],
  not_found: [3, 404],
  /** An id that names several sessions; `details.matches` lists them. */
  ambiguous: [1, 300],
  unwritable: [1, 500],
  unreadable: [1, 500],
  unsupported: [1, 501],
  session_live: [5, 409],
  conflict: [5, 409],
  has_forks: [5, 409],
  fidelity: [6, 422],
  verification_failed: [7, 502],
  /** A value that is not allowed, or that the store cannot keep as it was given. */
  invalid: [2, 400],
  too_large: [2, 413],
  /** A sequence that the log has not reached; `details.latestSequence` is the newest one. */
  out_of_range: [2, 400],
  /** A log that was deleted and is kept, hidden, for its forks. */
  gone: [3, 410],
  log_closed: [5, 409],
  /** Another holder has the name now; `details.token` or `details.epoch` is that of the new holder. */
  fenced: [5, 403],
  lease_held: [5, 409],
  /** A producer left a number out; `details.expected` is the number that comes next. */
  sequence_gap: [5, 409],
  invalid_transition: [5, 409],
  /** An answer to a run that no longer waits for one; `details.status` is the status of the run. */
  run_ended: [5, 409],
  migration_required: [1, 503],
  schema_newer: [1, 503],
  /** The stored bytes differ from those that were written. */
  corrupt: [4, 500],
  busy: [1, 503],
  /** The database or the server does not answer, or the store or the client is closed. */
  unavailable: [1, 503],
  agent_missing: [8, 424],
  agent_failed: [8, 502],
  /** The folder in which the agent works does not exist on the machine that runs it. */
  folder_missing: [8, 424],
  /** `native` was requested, but is impossible; `details.steps` lists the tries. */
  native_unavailable: [8, 409],
  /** The session has as many waiting or working runs as are allowed. */
  too_many_runs: [5, 429],
  /** A project's configuration wants to run programs, and nobody has run `continuo trust` for it. */
  untrusted: [5, 403],
  /** A method that needs a workspace was called by a client that gave no `workspaceId`. */
  session_disabled: [2, 400, "Give `workspaceId` when you connect."],
  /** No token, or one that is unknown, expired or revoked. */
  unauthorized: [
    5,
    401,
    "Send a valid token as `Authorization: Bearer TOKEN`; `continuo token create` makes one.",
  ],
  /** The token is known and does not allow this. */
  forbidden: [5, 403, "Use a token whose scopes allow this; `continuo token list` shows them."],
  /** Another participant of the channel holds the handle; the first one keeps it. */
  handle_taken: [5, 409, "Choose another handle, or close the client that holds this one."],
  /** The request is more than the token's limits allow; `details.retryAfterMs` is the time to wait. */
  rate_limited: [5, 429, "Wait for the time in `details.retryAfterMs` and try again."],
  /** Sessions cannot be stored now, but the channel works; `details.reason` gives the cause. */
  degraded: [1, 503, "Wait until the store answers again; `details.reason` gives the cause."],
  /** The caller's signal was aborted; the `cause` is its reason. */
  cancelled: [130, 499, "Try again with a signal that is not aborted."],
  interrupted: [130, 499],
};

export interface ErrorParts {
  /** One imperative sentence about what the person can do now. */
  readonly hint?: string;
  /** `program`: only the program that called the library can follow the hint, so no answer over HTTP has it. */
  readonly hintFor?: "program";
  /** Plain data for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class ContinuoError extends Error {
  override readonly name = "ContinuoError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly hintFor: "program" | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /**
   * The section about this code, in the folder of the package `continuo` or `@continuo/core`: `docs/errors.md#conflict`.
   * A property of the object, so that Node prints it with an error that nobody catches.
   */
  readonly page: string;

  constructor(code: ErrorCode, message: string, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.hint = parts.hint ?? hintOfCode(code);
    this.hintFor = parts.hintFor;
    this.details = parts.details ?? {};
    this.page = pageOfCode(code);
  }
}

/** The default hint of errors of a code. */
export function hintOfCode(code: ErrorCode): string | undefined {
  return ERROR_KINDS[code][2];
}

/** The section of a code, also of `internal`, which commands and the server have for a mistake in a program. */
export function pageOfCode(code: ErrorCode | "internal"): string {
  return `docs/errors.md#${code}`;
}

/** Also works for a value that throws when it is read. */
export function isContinuoError(error: unknown, code?: ErrorCode): error is ContinuoError {
  try {
    return error instanceof ContinuoError && (code === undefined || error.code === code);
  } catch {
    return false;
  }
}

/**
 * Returns true if the error is temporary, so that the store may answer in a moment. Returns false if the store is
 * closed or its file is gone.
 */
export function isPassing(error: unknown): boolean {
  if (isContinuoError(error, "busy")) return true;
  return isContinuoError(error, "unavailable") && error.details.permanent !== true;
}

/**
 * Returns the message of an error, or another thrown value as a string. It never throws, even for a value that cannot
 * become a string.
 */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return `a value that cannot be converted to text (${typeof error})`;
  }
}

/**
 * Throws the error of a store again: a caller that asked for a session learns that there is no session, and not that
 * there is no log.
 */
export function rethrowForSession(error: unknown, sessionId: string): never {
  if (!isContinuoError(error, "not_found") || error.details.logId !== sessionId) throw error;
  throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`, {
    hint: "Create it first, for example with `createSession`; a session with a time to live may have expired.",
    hintFor: "program",
    details: { logId: sessionId, sessionId },
    cause: error,
  });
}

/** Takes an error or its code; 1 for anything else. */
export function exitCodeOf(error: unknown): number {
  return kindOf(error)?.[0] ?? 1;
}

/** Takes an error or its code; 500 for anything else. */
export function httpStatusOf(error: unknown): number {
  return kindOf(error)?.[1] ?? 500;
}

/** Returns a code of another program, or `otherwise` if Continuo does not know it. */
export function knownCode(code: string, otherwise: ErrorCode): ErrorCode {
  return Object.hasOwn(ERROR_KINDS, code) ? (code as ErrorCode) : otherwise;
}

function kindOf(error: unknown): (typeof ERROR_KINDS)[ErrorCode] | undefined {
  if (isContinuoError(error)) return ERROR_KINDS[error.code];
  return typeof error === "string" && Object.hasOwn(ERROR_KINDS, error)
    ? ERROR_KINDS[error as ErrorCode]
    : undefined;
}
