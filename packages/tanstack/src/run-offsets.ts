/** The offsets of a run, and the run and the offset that a request names. Pure. */

import { ContinuoError } from "@continuo/core/model";

/** The offsets for reading from the first chunk, and for reading only new ones. */
export const FROM_START = "-1";
export const FROM_NOW = "now";

export interface RunOfStream {
  readonly runId: string;
  /** The offset after which a reader resumes; `null` for the writer. */
  readonly offset?: string | null;
}

const PREFIX = "continuo:v1:";
const OFFSET = /^continuo:v1:(?<run>[^:]+):(?<at>[1-9]\d{0,14})$/u;

export function toOffset(runId: string, at: number): string {
  return `${PREFIX}${encodeURIComponent(runId)}:${at}`;
}

/** Returns the position of an offset of the run. Errors: `invalid`. */
export function placeOf(offset: string, runId: string): number {
  const named = parseOffset(offset);
  if (named.runId === runId) return named.at;
  throw new ContinuoError("invalid", `the offset ${JSON.stringify(offset)} is one of another run`);
}

/** Errors: `invalid`. */
function parseOffset(offset: unknown): { readonly runId: string; readonly at: number } {
  const { run, at } = (typeof offset === "string" ? OFFSET.exec(offset)?.groups : undefined) ?? {};
  const runId = run === undefined ? undefined : decoded(run);
  if (runId === undefined || at === undefined) {
    throw new ContinuoError("invalid", `${JSON.stringify(offset)} is no offset of a stream`);
  }
  return { runId, at: Number(at) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the header `X-Run-Id`, or the parameter `runId`; and `Last-Event-ID`, or `offset`, whose run has priority. If
 * the request names no run, the result has a new run id. Errors: `invalid`.
 */
export function runOfStream(source: Request | RunOfStream): Required<RunOfStream> {
  if (!("headers" in source)) return { runId: checked(source.runId), offset: source.offset ?? null };
  const { searchParams } = new URL(source.url);
  const offset = source.headers.get("last-event-id") || searchParams.get("offset");
  if (offset !== null && offset !== FROM_START && offset !== FROM_NOW) {
    return { runId: checked(parseOffset(offset).runId), offset };
  }
  const runId = source.headers.get("x-run-id") || searchParams.get("runId");
  return { runId: checked(runId ?? crypto.randomUUID()), offset };
}

function checked(runId: string): string {
  if (runId !== "" && !/\p{Cc}/u.test(runId)) return runId;
  throw new ContinuoError("invalid", "the id of a run is empty, or has a control character");
}
