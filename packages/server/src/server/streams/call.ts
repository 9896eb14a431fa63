/** One request for a stream: the first step of every handler. */

import { ContinuoError, type Log, type Store } from "@continuo/core/model";
import {
  type Access,
  addressOf,
  allows,
  formatOffset,
  STREAM_HEADERS,
  STREAM_ROOT,
  type StreamAddress,
} from "@continuo/core/wire";
import type { Grant, ServerContext } from "../context/index.ts";
import type { MediaTypes } from "./media-types.ts";

export interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly grant: Grant;
  readonly store: Store;
  readonly address: StreamAddress;
  readonly context: ServerContext;
  readonly mediaTypes: MediaTypes;
}

type CallBase = Pick<Call, "context" | "mediaTypes">;

/** Errors: `forbidden`, `invalid`. */
export function callOf(request: Request, grant: Grant, { context, mediaTypes }: CallBase): Call {
  const url = new URL(request.url);
  const address = addressOf(pathIn(url.pathname));
  const access = request.method === "GET" || request.method === "HEAD" ? "read" : "write";
  requireAccess(context, grant, address, access);
  return { request, url, grant, store: context.store(grant.workspaceId), address, context, mediaTypes };
}

/** Errors: `forbidden`. */
export function requireAccess(
  context: ServerContext,
  grant: Grant,
  { kind, name }: StreamAddress,
  access: Access,
): void {
  context.require(grant, { kind, name, access });
  if (kind !== "session" || grant.logs !== "hidden") return;
  throw new ContinuoError("forbidden", "the log of a session names folders of the machine and is not shown", {
    hint: "Let `authorize` return `logs: true`, or read `/v1/sessions/ID/events`.",
    hintFor: "program",
  });
}

/**
 * Deleting and closing end a log for everybody in it, and a time to live does the same later: the right to write does
 * not include them. A fork copies what others wrote. Errors: `forbidden`.
 */
export function requireAdministration(grant: Grant, { kind }: StreamAddress, what: string): void {
  if (kind === "stream" || allows(grant.scopes, { kind: "admin" })) return;
  // The program that mounts the server has given the log itself to this person.
  if (kind === "session" && grant.logs === "shown") return;
  throw new ContinuoError("forbidden", `only a token with \`admin\` can ${what} the log of a ${kind}`, {
    hint: "Use a token with `admin`, or the functions of the store in a program.",
    hintFor: "program",
    details: { need: { kind: "admin" } },
  });
}

/** The decoded path below `/v1/stream/`. Errors: `invalid`. */
export function pathIn(pathname: string): string {
  if (!pathname.startsWith(STREAM_ROOT)) {
    throw new ContinuoError("invalid", `the path of a stream must begin with ${STREAM_ROOT}`);
  }
  try {
    return decodeURIComponent(pathname.slice(STREAM_ROOT.length));
  } catch (cause) {
    throw new ContinuoError("invalid", "the path has an invalid percent escape", { cause });
  }
}

/** Errors: `not_found`, `gone`. */
export async function logOf({ store, address, request }: Call): Promise<Log> {
  const log = await store.getLog(address.logId, { signal: request.signal });
  if (log !== null) return log;
  throw new ContinuoError("not_found", "there is no such stream", {
    hint: "Create it with PUT; a stream with a time to live may have expired.",
  });
}

/** Restarts the time to live on reading and closing, as appending does. */
export async function touched({ store, address }: Call, log: Log): Promise<Log> {
  return log.ttl === undefined ? log : await store.touchLog(address.logId);
}

/** The end of the log, and whether the log is closed. */
export function headHeaders(log: Log): Record<string, string> {
  return {
    [STREAM_HEADERS.nextOffset]: formatOffset(log.latestSequence),
    ...(log.closedAt === undefined ? {} : { [STREAM_HEADERS.closed]: "true" }),
  };
}
