/** PUT: creates a stream, or confirms an existing one with the same settings. */

import {
  ContinuoError,
  type CreatedLog,
  EVENTS_MEDIA_TYPE,
  isContinuoError,
  type NewEvent,
  type NewLog,
  present,
  type Session,
} from "@continuo/core/model";
import { readBody } from "../http/index.ts";
import { type Call, headHeaders, requireAccess, requireAdministration } from "./call.ts";
import { type ForkHeaders, forkOf, isClosing, lifeOf } from "./headers.ts";
import { parseRecords } from "./posted-records.ts";
import { BYTES_TYPE, essenceOf, JSON_TYPE, recordsOf } from "./records.ts";

export async function createStream(call: Call): Promise<Response> {
  const { request, url, address, context, grant } = call;
  const fork = forkOf(request.headers);
  if (fork !== undefined) requireAccess(context, grant, fork.source, "read");
  const settings = { logId: address.logId, ...lifeOf(request.headers) };
  const state = isClosing(request.headers) ? "closed" : "open";
  if (address.kind === "channel") requireOpenChannel(call, { ...settings, state, ...present({ fork }) });
  const body = await readBody(request, context.limits.requestBytes);
  const mediaType = mediaTypeOf(call, fork);
  if (address.kind === "session" && (body.length > 0 || state === "closed")) {
    throw new ContinuoError("invalid", "a new session must be open and empty", {
      hint: "Create it with PUT without a body, then send its events with POST.",
    });
  }
  const from = fork === undefined ? {} : { forkedFrom: await forkPoint(call, fork, mediaType) };
  const events = body.length === 0 ? [] : await firstEvents(call, body, fork, mediaType);
  const log = await makeOrConfirm(call, {
    ...settings,
    ...from,
    state,
    events,
    ...(mediaType === undefined ? {} : { mediaType }),
  });
  return new Response(null, {
    status: log.created ? 201 : 200,
    headers: {
      "content-type": recordsOf(log.mediaType).contentType,
      ...headHeaders(log),
      ...(log.created ? { location: `${url.origin}${url.pathname}` } : {}),
    },
  });
}

interface ChannelSettings extends Pick<NewLog, "ttl" | "expiresAt" | "state"> {
  readonly fork?: ForkHeaders;
}

/** A participant opens a channel as a connection does: for everybody, and without an end. Errors: `forbidden`. */
function requireOpenChannel(
  { grant, address }: Call,
  { state, ttl, expiresAt, fork }: ChannelSettings,
): void {
  if (state === "closed") requireAdministration(grant, address, "close");
  if (ttl !== undefined || expiresAt !== undefined)
    requireAdministration(grant, address, "limit the life of");
  if (fork !== undefined) requireAdministration(grant, address, "fork");
}

/** `undefined` for a fork that takes the type of its source. Errors: `conflict`. */
function mediaTypeOf({ request, address }: Call, fork: ForkHeaders | undefined): string | undefined {
  const given = request.headers.get("content-type") ?? "";
  const essence = essenceOf(given);
  if (address.kind !== "stream") {
    if (essence === "" || essence === JSON_TYPE) return EVENTS_MEDIA_TYPE;
    throw new ContinuoError("conflict", `channels and sessions must be ${JSON_TYPE}`, {
      hint: `Omit Content-Type, or send ${JSON_TYPE}.`,
    });
  }
  if (essence === EVENTS_MEDIA_TYPE) {
    throw new ContinuoError("invalid", "only channels and sessions can contain events", {
      hint: "Use channels/NAME or sessions/ID.",
    });
  }
  if (/^[\w.+-]+\/[\w.+-]+$/.test(essence)) return given;
  return fork === undefined ? BYTES_TYPE : undefined;
}

async function forkPoint(
  { store, address }: Call,
  { source, sequence, subOffset }: ForkHeaders,
  mediaType: string | undefined,
): Promise<NonNullable<NewLog["forkedFrom"]>> {
  if (source.kind !== address.kind) {
    throw new ContinuoError("invalid", `a fork of a ${source.kind} must be a ${source.kind}`);
  }
  const from = { logId: source.logId };
  if (sequence === undefined) return from;
  if (subOffset === 0) return { ...from, sequence };
  const records = recordsOf(mediaType ?? (await store.getLog(source.logId))?.mediaType ?? BYTES_TYPE);
  // Each element of a JSON body has its own sequence.
  if (records.framing === "array") return { ...from, sequence: sequence + subOffset };
  return { ...from, sequence, bytes: subOffset };
}

async function firstEvents(
  call: Call,
  body: Uint8Array,
  fork: ForkHeaders | undefined,
  mediaType: string | undefined,
): Promise<readonly NewEvent[]> {
  const type = mediaType ?? (fork && (await call.store.getLog(fork.source.logId))?.mediaType) ?? BYTES_TYPE;
  return await parseRecords(call, recordsOf(type), body);
}

/** Errors: those of the store; `rate_limited` for a stream that does not exist. */
function makeOrConfirm(call: Call, log: NewLog): Promise<CreatedLog> {
  const { context, grant, address, store } = call;
  return context.quotas.log(grant, {
    exists: async () => (await store.getLog(address.logId)) !== null,
    create: () =>
      address.kind === "session" ? createOrConfirmSession(call, log) : createOrConfirm(call, log),
  });
}

/** Creates or confirms the session with its row. Errors: `conflict`. */
async function createOrConfirmSession({ store, address }: Call, asked: NewLog): Promise<CreatedLog> {
  const { ttl, expiresAt, forkedFrom } = asked;
  const sessionId = address.logId;
  let created = true;
  try {
    await store.createSession(present({ sessionId, ttl, expiresAt, forkedFrom }));
  } catch (error) {
    if (!isContinuoError(error, "conflict")) throw error;
    created = false;
    const there = await store.getSession(sessionId);
    if (there === null || !isSameSession(there, asked)) throw error;
  }
  const log = await store.getLog(sessionId);
  if (log === null) throw new ContinuoError("not_found", "the session was deleted in the meantime");
  return { ...log, created };
}

function isSameSession(there: Session, { ttl, expiresAt, forkedFrom }: NewLog): boolean {
  const isSameLife =
    there.ttl === ttl && (ttl !== undefined || timeOf(there.expiresAt) === timeOf(expiresAt));
  const isSameSource =
    there.forkedFrom?.logId === forkedFrom?.logId &&
    (forkedFrom?.sequence === undefined || forkedFrom.sequence === there.forkedFrom?.sequence);
  // A fork that names no time to live gets the one of its source.
  const hasNoLife = ttl === undefined && expiresAt === undefined && forkedFrom !== undefined;
  return isSameSource && (isSameLife || hasNoLife);
}

function timeOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

async function createOrConfirm({ store, request }: Call, log: NewLog): Promise<CreatedLog> {
  const options = { ...log, signal: request.signal };
  try {
    return await store.createLog(options);
  } catch (error) {
    if (!isContinuoError(error, "conflict") || log.mediaType === undefined) throw error;
    // A type with other parameters counts as the same type.
    const there = await store.getLog(log.logId ?? "", { signal: request.signal }).catch(() => null);
    if (there === null || there.mediaType === log.mediaType) throw error;
    if (essenceOf(there.mediaType) !== essenceOf(log.mediaType)) throw error;
    return store.createLog({ ...options, mediaType: there.mediaType });
  }
}
