/** What Postgres and the way to it say, in the store's words. */

import { ContinuoError } from "../../model/index.ts";

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** A race that was lost, and is run again. */
export function isRace(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01";
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

interface Failure {
  readonly says: string;
  readonly hint: string;
}

const RETRY =
  "Try again when it answers. If events were being appended, append them again with the same ids.";

const FAILURES: Readonly<Record<string, Failure>> = {
  "28000": { says: "refuses the user", hint: "Check user and password in the URL." },
  "28P01": { says: "refuses the password", hint: "Check user and password in the URL." },
  "3D000": { says: "has no such database", hint: "Create it first: createdb NAME." },
  "42501": { says: "denies a permission", hint: "Grant the user what it lacks." },
  "53100": { says: "has no disk space left", hint: "Free some space and try again." },
  "53300": { says: "has too many connections", hint: "Raise max_connections, or run fewer servers." },
  "25006": { says: "is read-only", hint: "Connect to the primary." },
};

const CONNECTION = /^(08|57P)|^E(CONN|PIPE|HOST|NOTFOUND|TIMEDOUT)/;

/** Errors of Postgres as `unavailable` or `corrupt`; all others as they are. */
export function translated(error: unknown, location: string): unknown {
  if (error instanceof ContinuoError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === "XX001" || code === "XX002") {
    return new ContinuoError("corrupt", `The database ${location} is damaged.`, {
      hint: "Restore a backup with `continuo store restore`.",
      cause: error,
    });
  }
  const known = code === undefined ? undefined : FAILURES[code];
  const lost =
    (code !== undefined && CONNECTION.test(code)) ||
    /^Connection terminated|timeout exceeded/.test(error.message);
  if (known === undefined && !lost) return error;
  const { says, hint } = known ?? { says: "does not answer", hint: RETRY };
  return new ContinuoError("unavailable", `The database ${location} ${says}.`, {
    hint,
    details: { location, ...(code === undefined ? {} : { reason: code }) },
    cause: error,
  });
}
