/** Failures of Postgres and of the connection to it, as errors of the store. */

import { ContinuoError, type ErrorCode } from "@continuo/core/model";

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** True if the transaction lost a race, and can run again. */
export function isRace(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01";
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

interface Failure {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint: string;
  /** True if waiting does not help. */
  readonly permanent?: true;
}

const RETRY =
  "Try again when it answers. If events were being appended, append them again with the same ids.";
const RESTORE = "Restore a backup with `continuo store restore`.";
const MIGRATE = "Run `continuo store migrate --store URL` with the URL of this database.";
const REPORT = "Look in the log of the server; if it has no entry, report this error with its reason.";
const CHECK_USER = "Check user and password in the URL.";

const LOST: Failure = { code: "unavailable", says: "does not answer", hint: RETRY };

/** The keys are SQLSTATE codes. */
const FAILURES: Readonly<Record<string, Failure>> = {
  "25006": { code: "unavailable", says: "is read-only", hint: "Connect to the primary." },
  "28000": { code: "unavailable", says: "refuses the user", hint: CHECK_USER, permanent: true },
  "28P01": { code: "unavailable", says: "refuses the password", hint: CHECK_USER, permanent: true },
  "3D000": {
    code: "unavailable",
    says: "has no such database",
    hint: "Create it first: createdb NAME.",
    permanent: true,
  },
  "42501": {
    code: "unavailable",
    says: "denies a permission",
    hint: "Grant the missing permission to the user.",
    permanent: true,
  },
  "42703": { code: "migration_required", says: "lacks a column of Continuo", hint: MIGRATE },
  "42P01": { code: "migration_required", says: "lacks a table of Continuo", hint: MIGRATE },
  "53100": { code: "unavailable", says: "has no disk space left", hint: "Free some space and try again." },
  "53300": {
    code: "unavailable",
    says: "has too many connections",
    hint: "Raise max_connections, or run fewer servers.",
  },
  "55P03": { code: "busy", says: "is locked by another session", hint: "Try again." },
  "57014": {
    code: "busy",
    says: "cancelled a statement that took too long",
    hint: "Try again, or raise statement_timeout.",
  },
  // Postgres ended a transaction while this process was idle in it: nothing was committed.
  "25P03": LOST,
  XX001: { code: "corrupt", says: "is damaged", hint: RESTORE },
  XX002: {
    code: "corrupt",
    says: "has a damaged index",
    hint: "Run `reindex database`, or restore a backup.",
  },
};

/** The keys are the first two characters of a SQLSTATE that has no row of its own. */
const CLASSES: Readonly<Record<string, Failure>> = {
  "08": LOST,
  "0A": { code: "unsupported", says: "does not support the request", hint: "Use Postgres 15 or newer." },
  "22": { code: "invalid", says: "cannot store a value", hint: "Check the values that were given." },
  "23": {
    code: "conflict",
    says: "refuses a row that contradicts another one",
    hint: "Read again, then try again.",
  },
  "25": { code: "unavailable", says: "ended a transaction", hint: RETRY },
  "28": { code: "unavailable", says: "refuses the user", hint: CHECK_USER, permanent: true },
  "40": { code: "busy", says: "rolled back a transaction too often", hint: "Try again." },
  "53": { code: "unavailable", says: "lacks memory or another resource", hint: "Try again later." },
  "54": { code: "too_large", says: "cannot store so much at once", hint: "Append less at a time." },
  "55": { code: "busy", says: "is in use", hint: "Try again." },
  "57": LOST,
  "58": {
    code: "unavailable",
    says: "cannot read or write its files",
    hint: "Check the disk of the server.",
  },
};

const CERTIFICATE: Failure = {
  code: "unavailable",
  says: "has a certificate that is not trusted here",
  hint: "Add `sslrootcert=FILE` with its authority to the URL, or set NODE_EXTRA_CA_CERTS.",
  permanent: true,
};
const WITHOUT_TLS: Failure = {
  code: "unavailable",
  says: "offers no TLS",
  hint: "Add a certificate to the server. Where nobody else can listen, `sslmode=disable` in the URL does without TLS.",
  permanent: true,
};
const CERTIFICATE_CODE = /CERT|^UNABLE_TO_|^ERR_TLS_/u;

const UNKNOWN: Failure = { code: "unavailable", says: "reports an error", hint: REPORT };

const SQLSTATE = /^[0-9A-Z]{5}$/;
const CONNECTION = /^E(CONN|PIPE|HOST|NOTFOUND|TIMEDOUT|AI_|NET)/;
const CONNECTION_LOST = /connection (terminated|error|ended)|timeout (exceeded|expired)|not queryable/i;

function failureOf(error: Error): Failure {
  const code = codeOf(error);
  if (isAboutCertificate(error)) return CERTIFICATE;
  if (error.message.includes("does not support SSL")) return WITHOUT_TLS;
  if (code !== undefined && SQLSTATE.test(code) && !CONNECTION.test(code)) {
    return FAILURES[code] ?? CLASSES[code.slice(0, 2)] ?? UNKNOWN;
  }
  if (CONNECTION.test(code ?? "") || CONNECTION_LOST.test(error.message)) return LOST;
  return { ...LOST, says: `cannot be reached: ${error.message}` };
}

function isAboutCertificate(error: Error): boolean {
  return CERTIFICATE_CODE.test(codeOf(error) ?? "");
}

/** True if the connection or its server is gone. */
export function isLost(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof ContinuoError || isForeign(error)) return false;
  return failureOf(error) === LOST;
}

/** The error if it is not known whether a transaction was committed. */
export function unknownOutcome(cause: unknown, location: string): ContinuoError {
  return new ContinuoError("unavailable", `the database ${location} did not answer a commit`, {
    hint: "Look whether the change was stored; appends may be repeated with the same ids.",
    details: { location, outcome: "unknown" },
    cause,
  });
}

/**
 * True for a mistake in our own code, for which there is no hint, and for an error of Node (`ERR_…`) that is not about
 * a certificate.
 */
function isForeign(error: Error): boolean {
  const code = codeOf(error);
  if (code !== undefined) return code.startsWith("ERR_") && !isAboutCertificate(error);
  return [TypeError, RangeError, SyntaxError, ReferenceError].some((type) => error instanceof type);
}

/**
 * Every error of Postgres, of its driver or of the network becomes a `ContinuoError`; other errors stay as they are.
 */
export function translated(error: unknown, location: string): unknown {
  if (error instanceof ContinuoError || !(error instanceof Error) || isForeign(error)) return error;
  const { code, says, hint, permanent } = failureOf(error);
  const reason = codeOf(error);
  return new ContinuoError(code, `the database ${location} ${says}`, {
    hint,
    details: {
      location,
      ...(reason === undefined ? {} : { reason }),
      ...(permanent === undefined ? {} : { permanent }),
    },
    cause: error,
  });
}

/** Runs code that uses Postgres, and translates its errors. */
export async function translating<T>(location: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw translated(error, location);
  }
}
