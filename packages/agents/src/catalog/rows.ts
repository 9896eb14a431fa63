/** Makes a row of the list from a session of the store. */

import { type NativeRef, type Problem, present, type Session, type SessionRow } from "@continuo/core/model";
import type { RowPlace, SessionMarks } from "@continuo/core/wire/machine";

/** The value of `agent` for own sessions, and the prefix of their names in commands: `continuo:ID`. */
export const OWN = "continuo";

/** A row: a native session, or one of Continuo's own. */
export interface ListedSession extends SessionRow {
  readonly location: string;
  readonly problems: readonly Problem[];
  /** The session of the same agent that this one was forked from, if the list knows it. */
  readonly forkedFrom?: string | null;
  /** The native sessions that are the same conversation; left out for a native session. */
  readonly nativeRefs?: readonly NativeRef[];
  /** The channel or the continuous session that the session belongs to. */
  readonly place?: RowPlace | null;
  /** Present only in lists, for a session that a person marked. */
  readonly marks?: SessionMarks;
  /** Present only in lists, for a session that was moved to another machine. */
  readonly movedTo?: RemoteLocation;
  /** Orders Continuo's own sessions that changed in the same millisecond, as `Session.activityOrder` does. */
  readonly activityOrder?: number;
}

export type NativeName = Pick<NativeRef, "agent" | "sessionId"> & Partial<Pick<NativeRef, "location">>;

/** The place of a session on another machine. */
export interface RemoteLocation {
  /** The address by which the person named it: `ssh://HOST`. */
  readonly machine: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface OwnRow extends ListedSession {
  readonly agent: typeof OWN;
  readonly nativeRefs: readonly NativeRef[];
  /** The author of the last answer. */
  readonly lastAgent: string | null;
  /** The native session that it began as a copy of; `null` for a session that began here. */
  readonly importedFrom: Pick<NativeRef, "agent" | "sessionId"> | null;
  /** The source of the native session that it began as a copy of, if that session is a fork. */
  readonly importedFork?: Pick<NativeRef, "agent" | "sessionId">;
  /** Present if an import of a native session is under way or was killed: the session has only a part of it. */
  readonly isPartial?: true;
  /** The time at which it was moved to the trash; only sessions in the trash have one. */
  readonly trashedAt?: string;
}

export function toOwnRow(session: Session, storeLocation: string): OwnRow {
  const { sessionId, title, cwd, createdAt, updatedAt, lastActivityAt, activityOrder } = session;
  return {
    agent: OWN,
    sessionId,
    title,
    cwd,
    createdAt,
    // Appends change `updatedAt` at most once a minute. A change of only the row changes only `updatedAt`.
    updatedAt: updatedAt > lastActivityAt ? updatedAt : lastActivityAt,
    ...present({ activityOrder, place: placeOf(session) ?? undefined }),
    ...present({ forkedFrom: session.forkedFrom?.logId }),
    gitBranch: null,
    sizeBytes: null,
    archived: false,
    live: null,
    location: `${storeLocation}#${sessionId}`,
    problems: [],
    nativeRefs: nativeRefsOf(session),
    lastAgent: session.agent,
    importedFrom: importedFromOf(session),
    ...(isPartial(session) ? { isPartial: true } : {}),
    ...present({ trashedAt: trashedAtOf(session) }),
  };
}

/** The channel of a participant, or the key of a continuous session. */
function placeOf({ metadata }: Pick<Session, "metadata">): RowPlace | null {
  const { channel, handle, live } = metadata;
  if (typeof channel === "string" && typeof handle === "string") return { of: "channel", name: channel };
  const { key } = (live ?? {}) as Readonly<Record<string, unknown>>;
  return typeof key === "string" ? { of: "live", name: key } : null;
}

/** A program may use the key for facts of its own, so it counts only in a session that says where it was imported from. */
function isPartial({ metadata: { importing, takenFrom, importedFrom } }: Session): boolean {
  return [takenFrom, importedFrom].some((from) => {
    const { agent, sessionId } = (from ?? {}) as Readonly<Record<string, unknown>>;
    return typeof sessionId === "string" && importing === nativeKey({ agent: String(agent), sessionId });
  });
}

/** The metadata of a session that is moved to the trash. */
export function trashMarkOf({ sessionId }: Pick<OwnRow, "sessionId">, at: Date): Session["metadata"] {
  return { trashed: { sessionId, at: at.toISOString() } };
}

/** A program may use the key for facts of its own, so it counts only if it names this session and a time. */
export function trashedAtOf({ sessionId, metadata }: Session): string | undefined {
  const { sessionId: named, at } = (metadata.trashed ?? {}) as Readonly<Record<string, unknown>>;
  return named === sessionId && isTime(at) ? at : undefined;
}

/** True for ISO 8601 UTC in the form that can be compared as text. */
function isTime(value: unknown): value is string {
  if (typeof value !== "string" || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}

function importedFromOf({ metadata }: Session): OwnRow["importedFrom"] {
  const { agent, sessionId } = (metadata.takenFrom ?? {}) as Readonly<Record<string, unknown>>;
  return typeof agent === "string" && typeof sessionId === "string" ? { agent, sessionId } : null;
}

/** It has the same form as `TrashedSession` of a native session. */
export interface TrashedOwn {
  readonly trashId: string;
  readonly trashedAt: string;
  readonly info: Pick<
    OwnRow,
    "agent" | "sessionId" | "title" | "cwd" | "updatedAt" | "sizeBytes" | "location"
  >;
}

/** One reference for each agent, as the session manager stores them; invalid values are left out. */
export function nativeRefsOf({ metadata }: Session): readonly NativeRef[] {
  const kept: unknown = metadata.providerSessions;
  if (typeof kept !== "object" || kept === null) return [];
  return Object.entries(kept).flatMap(([agent, reference]): NativeRef[] => {
    const { sessionId, location, cwd } = (reference ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof sessionId !== "string") return [];
    return [{ agent, sessionId, location: textOf(location), cwd: textOf(cwd) }];
  });
}

/** The native session in which an own session continues now; `null` if the agent that answered last has none. */
export function presentRefOf({
  lastAgent,
  nativeRefs,
}: Pick<OwnRow, "lastAgent" | "nativeRefs">): NativeRef | null {
  return nativeRefs.find(({ agent }) => agent === lastAgent) ?? null;
}

/** The session that this one was forked from, by its agent and id; `null` if the list does not know one. */
export function forkOriginOf(row: ListedSession): Pick<NativeRef, "agent" | "sessionId"> | null {
  const { agent, forkedFrom = null } = row;
  if (forkedFrom === null) return isOwn(row) ? (row.importedFork ?? null) : null;
  // A header can name the file of the source by a path that has no id.
  return forkedFrom.includes("/") ? null : { agent, sessionId: forkedFrom };
}

export function isOwn(row: ListedSession): row is OwnRow {
  return row.agent === OWN;
}

/** `AGENT:ID`. */
export function nativeKey({ agent, sessionId }: NativeName): string {
  return `${agent}:${sessionId}`;
}

/**
 * Newest first. Own sessions that changed in the same millisecond are sorted by the order of their changes, all others
 * by agent, id and location (an id can be in two files), so that the order never depends on the file system.
 */
export function byNewest(a: ListedSession, b: ListedSession): number {
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  const later = (b.activityOrder ?? 0) - (a.activityOrder ?? 0);
  if (isOwn(a) && isOwn(b) && later !== 0) return later;
  const [i, j] = [`${a.agent}:${a.sessionId} ${a.location}`, `${b.agent}:${b.sessionId} ${b.location}`];
  return i < j ? -1 : i > j ? 1 : 0;
}

/**
 * The name of a session in commands: `continuo:ID` for an own session, otherwise its location, because two agents can
 * have the same id.
 */
export function nameOf(row: ListedSession): string {
  return isOwn(row) ? `${OWN}:${row.sessionId}` : row.location;
}

/** A list leaves out the native sessions of an own session, so its row includes their facts about the conversation. */
export function withNative(row: OwnRow, natives: readonly ListedSession[]): OwnRow {
  const same = natives.filter((info) => isSame(row, info));
  const first = same.find(({ agent, sessionId }) => {
    const { importedFrom } = row;
    return agent === importedFrom?.agent && sessionId === importedFrom.sessionId;
  });
  const times = [row.updatedAt, ...same.map(({ updatedAt }) => updatedAt)].filter((time) => time !== null);
  return {
    ...row,
    title: row.title ?? same.find(({ title }) => title !== null)?.title ?? null,
    cwd: row.cwd ?? same.find(({ cwd }) => cwd !== null)?.cwd ?? null,
    updatedAt: times.sort().at(-1) ?? null,
    live: same.some(({ live }) => live === true) ? true : row.live,
    ...present({ importedFork: (first === undefined ? null : forkOriginOf(first)) ?? undefined }),
  };
}

export function isSame({ nativeRefs }: OwnRow, native: Pick<NativeRef, "agent" | "sessionId">): boolean {
  return nativeRefs.some(({ agent, sessionId }) => agent === native.agent && sessionId === native.sessionId);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function toTrashedOwn(row: OwnRow): TrashedOwn {
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location, trashedAt = "" } = row;
  const trashId = `${trashedAt.replace(/[:.]/gu, "-")}-${agent}-${sessionId}`.replace(/[^\w.-]/gu, "_");
  return { trashId, trashedAt, info: { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } };
}
