/**
 * Imports an agent's own session into a store, as often as a program likes: each import adds the messages that are new.
 * The native session is only read, and not even that if its files are those of the last import.
 */

import { createHash } from "node:crypto";
import {
  appendNew,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  isContinuoError,
  type KnownOptions,
  type Message,
  type NewEvent,
  present,
  type Session,
  type SessionDetails,
  type Store,
  type Write,
} from "@continuo/core/model";
import { type FoundFile, isFolder, mayBeWrittenSince } from "@continuo/files";
import type { Lookup, ReadOptions, SessionRef } from "@continuo/native";
import { openSession } from "@continuo/store/sessions";
import { type ImportedMessage, importedMessages, type KeptMessages } from "./imported-messages.ts";

export interface ImportSessionOptions extends Pick<ReadOptions, "places" | "cwd" | "signal"> {
  /** The session in the store; `AGENT-ID` by default. */
  readonly sessionId?: string;
  /** The metadata of the session, if this import creates it. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SessionImport {
  readonly sessionId: string;
  readonly title: string | null;
  /** The number of messages in the active branch of the native session. Branches that a person left do not count. */
  readonly messages: number;
  /**
   * The number of events that this import stored; 0 if the native session did not change. If several imports run at the
   * same time, only the one that stored an event counts it.
   */
  readonly added: number;
  readonly leftOut: ImportLeftOut;
}

/** The parts of the native session that are not imported. `openNativeSession` reads them. */
export interface ImportLeftOut {
  /** Branches that a person left. */
  readonly branches: number;
  readonly subagents: number;
  /** Records of types that this version does not know. */
  readonly unknownRecords: number;
  /** Damaged records and other problems; `openNativeSession(location).details.problems` describes them. */
  readonly problems: number;
}

/** Events of one append, and the approximate number of characters in them. */
const APPEND_EVENTS = 256;
const APPEND_CHARS = 4_194_304;

const OPTIONS: KnownOptions<ImportSessionOptions> = {
  places: true,
  cwd: true,
  signal: true,
  sessionId: true,
  metadata: true,
};

/**
 * Stores all messages of a native session as events. The id of an event is computed from its message and its content.
 * Any number of imports, also at the same time or after a crash, therefore store each event once. A message that has
 * grown is stored again under its `messageId`, and the transcript has only its last form. A message that the native
 * session does not have any more, because a person went back and continued from an earlier one, is hidden by a
 * `message_deleted`. A session whose files have not changed since the last import is not read again. While the session
 * has only a part of the messages, also after a kill, its metadata have `importing`; the next import completes it.
 *
 * Errors: `usage` for an unknown option; `not_found` for a home that does not exist; those of `openNativeSession` and
 * of the store.
 */
export async function importNativeSession(
  store: Store,
  ref: SessionRef,
  options: ImportSessionOptions = {},
): Promise<SessionImport> {
  assertKnownOptions("importNativeSession", options, OPTIONS);
  return await importSession(store, ref, options);
}

/** @param kept what a program that follows sessions keeps between two imports */
export async function importSession(
  store: Store,
  ref: SessionRef,
  { sessionId, metadata, ...lookup }: ImportSessionOptions,
  kept?: KeptMessages,
): Promise<SessionImport> {
  return await cancellable(lookup.signal, async () => {
    const now = Date.now();
    // The readers of all agents are slow to load.
    const { lookUpSession, openNativeSession } = await import("@continuo/native");
    assertHome(lookup);
    const { found } = await lookUpSession(ref, lookup).catch(rethrowUnknown);
    const version = versionOf(found, now);
    const known = await knownImport(store, sessionId ?? importedAs(found), { found, version });
    if (known !== null) return known;
    using native = await openNativeSession(found, lookup);
    const { agent, location, title, cwd } = native.details;
    const id = sessionId ?? importedAs(native.details);
    const importedFrom = { agent, sessionId: native.details.sessionId, location };
    const mark = { importedFrom, importing: markOf(native.details) };
    const described = present({ title, metadata: { ...metadata, ...mark } });
    // A session that exists keeps its folder: the project of the native session can have moved.
    const there = await store.getSession(id);
    const session = there ?? (await openSession(store, id, present({ ...described, cwd })));
    const history = native.history(present({ signal: lookup.signal }));
    const counts = await importAll(store, { session, history, kept, mark });
    const leftOut = leftOutOf(native.details);
    const data: LastImport = { version, title, messages: counts.messages, leftOut };
    await store.commitCursor({ logId: id, name: LAST_IMPORT, data });
    return { sessionId: id, title, ...counts, leftOut };
  });
}

function leftOutOf({ branches, subagents, unknownRecords, problems }: SessionDetails): ImportLeftOut {
  return {
    branches: Math.max(0, branches - 1),
    subagents: subagents.length,
    unknownRecords: Object.values(unknownRecords).reduce((sum, count) => sum + count, 0),
    problems: problems.length,
  };
}

/** A home that does not exist is a mistake, because it has no sessions. Errors: `not_found`. */
export function assertHome({ places }: Pick<ImportSessionOptions, "places">): void {
  if (places === undefined || isFolder(places.home)) return;
  throw new ContinuoError("not_found", `there is no folder ${places.home}`, {
    hint: "Correct `places.home`: it is the home folder of the person whose sessions are imported.",
    details: { path: places.home },
  });
}

/** The hint of a command does not help a program. */
function rethrowUnknown(error: unknown): never {
  if (!isContinuoError(error, "not_found")) throw error;
  throw new ContinuoError("not_found", error.message, {
    hint: "Give the path of the session's file, or an id that `findNativeSessions` yields for the same `places`.",
    details: error.details,
    cause: error,
  });
}

/** The id in the store of a native session. */
export function importedAs({ agent, sessionId }: Pick<Lookup["found"], "agent" | "sessionId">): string {
  return `${agent}-${sessionId}`;
}

/** The value of `metadata.importing` while the session has only a part of the messages. A program may have other values. */
function markOf({ agent, sessionId }: Pick<Lookup["found"], "agent" | "sessionId">): string {
  return `${agent}:${sessionId}`;
}

/** The cursor whose data are a `LastImport`. */
const LAST_IMPORT = "continuo:last-import";

interface LastImport {
  /** `null` if the files may have changed again while they were read. */
  readonly version: string | null;
  readonly title: string | null;
  readonly messages: number;
  readonly leftOut: ImportLeftOut;
}

/**
 * Changes with every change of the files; `null` if one was written so recently that its times may not show the next
 * change, or if there are none.
 */
export function versionOf(
  { location, files }: { readonly location: string; readonly files: readonly FoundFile[] },
  nowMs: number,
): string | null {
  if (files.length === 0 || files.some((file) => mayBeWrittenSince(file, nowMs))) return null;
  const hash = createHash("sha256")
    .update(FORM)
    .update(JSON.stringify([location, files]));
  return hash.digest("base64url");
}

/** The form of the events. After a change, each session is read again, and events of another form are stored again. */
const FORM = "1";

async function knownImport(
  store: Store,
  sessionId: string,
  { found, version }: { readonly found: Lookup["found"]; readonly version: string | null },
): Promise<SessionImport | null> {
  if (version === null) return null;
  const cursor = await store.getCursor({ logId: sessionId, name: LAST_IMPORT });
  const last = (cursor?.data ?? {}) as Partial<LastImport>;
  if (last.version !== version || last.messages === undefined || last.leftOut === undefined) return null;
  // A later import was killed, and the files are again those of the last one that was complete.
  if ((await store.getSession(sessionId))?.metadata.importing === markOf(found)) return null;
  return { sessionId, title: last.title ?? null, messages: last.messages, added: 0, leftOut: last.leftOut };
}

interface Import {
  readonly session: Session;
  readonly history: AsyncIterable<Message>;
  readonly kept: KeptMessages | undefined;
  /** The metadata of the session while it has only a part of the messages. */
  readonly mark: ImportMark;
}

async function importAll(
  store: Store,
  { session, history, kept, mark }: Import,
): Promise<{ readonly messages: number; readonly added: number }> {
  const { sessionId } = session;
  const imported = await importedMessages(store, session, kept);
  // The appends of this import change the map.
  const before = new Map(imported.messages);
  let [messages, added, chars] = [0, 0, 0];
  let batch = new Map<string, NewEvent>();
  let isMarked = session.metadata.importing === mark.importing;
  const flush = async (marks: readonly MarkChange[]): Promise<void> => {
    const events = [...batch.values(), ...marks.map(({ event }) => event)];
    const also = marks.map(({ write }) => write);
    const stored = await appendNew(store, sessionId, events, { also });
    imported.note(stored);
    added += stored.length - marks.length;
    batch = new Map();
    chars = 0;
  };
  // One append stores all of its events or none. If more are needed, the first one marks the session, and the last one
  // removes the mark.
  const flushPart = async (): Promise<void> => {
    await flush(isMarked ? [] : [markChange(mark)]);
    isMarked = true;
  };
  for await (const message of history) {
    messages += 1;
    const known = imported.messages.get(message.id);
    const { event, size } = toEvent(message, known);
    before.delete(message.id);
    if (event.id === known?.eventId) continue;
    batch.set(event.id, event);
    chars += size;
    if (batch.size >= APPEND_EVENTS || chars >= APPEND_CHARS) await flushPart();
  }
  for (const [messageId, { isHidden, sequence }] of before) {
    if (isHidden) continue;
    const id = `${messageId}/hidden/${sequence}`;
    batch.set(id, { id, type: "message_deleted", data: { messageId, reason: NOT_NATIVE } });
    if (batch.size >= APPEND_EVENTS) await flushPart();
  }
  await flush(isMarked ? [markChange({ importing: null })] : []);
  return { messages, added };
}

interface ImportMark {
  readonly importedFrom: Readonly<Record<string, unknown>>;
  readonly importing: string;
}

interface MarkChange {
  readonly event: NewEvent;
  readonly write: Write;
}

/** Changes the metadata of the session, as `updateSession` does, in an append. */
function markChange(metadata: ImportMark | { readonly importing: null }): MarkChange {
  const patch = { metadata: { ...metadata } };
  return { event: { type: "session_updated", data: patch }, write: { type: "session", patch } };
}

const NOT_NATIVE = "the native session does not have this message any more";

/** A message that was hidden and is there again gets another event, after the one that hid it. */
function toEvent(
  message: Message,
  before: ImportedMessage | undefined,
): {
  readonly event: NewEvent & { readonly id: string };
  readonly size: number;
} {
  const { id: messageId, role, origin, content, model, usage, stopReason, timestamp: occurredAt } = message;
  const data =
    role === "assistant"
      ? present({ messageId, origin, content, model, usage, stopReason })
      : present({ messageId, role, origin, content });
  const text = JSON.stringify(data);
  const again = before?.isHidden === true ? `/${before.sequence}` : "";
  const id = `${messageId}/${createHash("sha256").update(text).digest("hex")}${again}`;
  const type = role === "assistant" ? "message_received" : "message_sent";
  return { event: { id, type, data, ...present({ occurredAt }) }, size: text.length };
}
