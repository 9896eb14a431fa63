/**
 * The provenance of handed-over sessions: an event in a log of the store for each, and a note in the session's
 * own file. The store also keeps a copy of the records that were handed over, so that they can come back.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { type AgentName, ContinuoError, isAgentName, present } from "@continuo/core/model";
import { continuoHome, exactOf, isJson, type Places, parseExactly } from "@continuo/files";
import type { KeptRecord } from "@continuo/native/writing";
import type { OpenedStore } from "@continuo/store";
import type { Receipt } from "../converting/index.ts";
import type { HandOffSource, MessagesMark } from "./source.ts";

/** The session from which another one was made. */
export interface Origin {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly records: number;
  /** The hash of all records as JSON, in their order. */
  readonly sha256: string;
  /** `null` if only a part of it was handed over. */
  readonly said: MessagesMark | null;
}

export interface Provenance {
  readonly from: Origin;
  /** The mark of the new session as it was written. */
  readonly said: MessagesMark;
  /** A blob of the store; `null` if there is none. */
  readonly copy: string | null;
}

const COPY_MEDIA_TYPE = "application/x-continuo-records+zstd";

export function originOf(source: HandOffSource): Origin {
  const { agent, sessionId, location, records } = source;
  return { agent, sessionId, location, records, sha256: source.sha256, said: source.said() };
}

/** Returns the id of the log that has the provenance of a new session. */
export function handOffLogId(agent: AgentName, sessionId: string): string {
  return `handoff/${agent}/${sessionId}`;
}

function storePath(places: Places): string {
  return join(continuoHome(places), "continuo.db");
}

async function openProvenance(places: Places, signal: AbortSignal | undefined): Promise<OpenedStore> {
  const { openStore } = await import("@continuo/store");
  return await openStore(`sqlite:${storePath(places)}`, signal === undefined ? {} : { signal });
}

export interface HandOffRecord {
  readonly source: HandOffSource;
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly said: MessagesMark;
  readonly receipt: Receipt;
  readonly signal: AbortSignal | undefined;
}

/**
 * Stores the provenance, runs `place`, and removes the provenance if that fails, so that no session is placed without
 * it. Errors: those of the store, and of `place`.
 */
export async function withProvenance<T>(
  handed: HandOffRecord,
  places: Places,
  place: () => Promise<T>,
): Promise<T> {
  const { source, agent, sessionId, location, said, receipt, signal } = handed;
  await using store = await openProvenance(places, signal);
  const copy = await copyOf(source, store);
  const { records, ...counts } = receipt;
  const list = await store.putBlob(Buffer.from(JSON.stringify(records)), { mediaType: "application/json" });
  const logId = handOffLogId(agent, sessionId);
  const from = { ...originOf(source), ...present({ copy: copy ?? undefined }) };
  const data = { from, to: { agent, sessionId, location, said }, receipt: { ...counts, records: list.hash } };
  const blobs = [...(copy === null ? [] : [copy]), list.hash];
  await store.createLog({ logId, events: [{ type: "session_handed_over", data, blobs }] });
  try {
    return await place();
  } catch (error) {
    await store.deleteLog(logId, { reason: "the session could not be placed" });
    throw error;
  }
}

/** Removes the provenance of sessions that a killed process recorded but did not place. Errors: those of the store. */
export async function takeBackProvenance(
  agent: AgentName,
  sessionIds: readonly string[],
  { places, signal }: { readonly places: Places; readonly signal: AbortSignal | undefined },
): Promise<void> {
  if (sessionIds.length === 0 || !existsSync(storePath(places))) return;
  await using store = await openProvenance(places, signal);
  for (const sessionId of sessionIds) {
    const logId = handOffLogId(agent, sessionId);
    if ((await store.getLog(logId)) !== null)
      await store.deleteLog(logId, { reason: "the session was not placed" });
  }
}

async function copyOf({ copy }: HandOffSource, store: OpenedStore): Promise<string | null> {
  if (copy === null) return null;
  return (await store.putBlob(copy(), { mediaType: COPY_MEDIA_TYPE })).hash;
}

/** Returns the records as they were handed over. Errors: `not_found` for a copy that no longer exists, `corrupt`. */
export async function readCopy(
  copy: string,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<readonly KeptRecord[]> {
  await using store = await openProvenance(places, signal);
  const blob = await store.openBlob(copy);
  const text = await promisify(zstdDecompress)(Buffer.concat(await Array.fromAsync(blob.bytes)));
  const lines = text.toString("utf8").trimEnd().split("\n");
  return lines.map((line) => exactOf(parseExactly(line)) as KeptRecord);
}

/** Identifies a session and its records. */
export type KnownSource = Pick<HandOffSource, "agent" | "sessionId" | "note">;

/** Reads the provenance from the store, or else from the session's own file. Returns `null` if neither has it. */
export async function readProvenance(
  source: KnownSource,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<Provenance | null> {
  return (await storedProvenance(source, places, signal)) ?? parseProvenance(source.note);
}

/** The session from which this one was handed over, according to the store; `null` if the store does not know it. */
export async function originOfHandOff(
  { agent, sessionId }: Omit<KnownSource, "note">,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<Origin | null> {
  return (await storedProvenance({ agent, sessionId, note: null }, places, signal))?.from ?? null;
}

async function storedProvenance(
  { agent, sessionId }: KnownSource,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<Provenance | null> {
  if (!existsSync(storePath(places))) return null;
  await using store = await openProvenance(places, signal);
  const logId = handOffLogId(agent, sessionId);
  try {
    if ((await store.getLog(logId)) === null) return null;
  } catch (error) {
    if (error instanceof ContinuoError && error.code === "gone") return null;
    throw error;
  }
  const { events } = await store.read(logId, { limit: 1, types: ["session_handed_over"] });
  const data = events[0]?.data;
  if (!isJson(data) || !isJson(data.from) || !isJson(data.to)) return null;
  return parseProvenance({ from: data.from, said: data.to.said });
}

/** The content is not trusted: a session that it names is used only if its hashes match. */
function parseProvenance(note: unknown): Provenance | null {
  if (!isJson(note) || !isJson(note.from)) return null;
  const { agent, sessionId, location, records, sha256, copy } = note.from;
  const said = parseMark(note.said);
  if (!isAgentName(agent) || said === null) return null;
  if (typeof sessionId !== "string" || typeof location !== "string" || typeof sha256 !== "string")
    return null;
  const count = typeof records === "number" ? records : 0;
  const from = { agent, sessionId, location, records: count, sha256, said: parseMark(note.from.said) };
  return { from, said, copy: typeof copy === "string" ? copy : null };
}

function parseMark(mark: unknown): MessagesMark | null {
  if (!isJson(mark) || typeof mark.messages !== "number" || typeof mark.sha256 !== "string") return null;
  return { messages: mark.messages, sha256: mark.sha256 };
}
