/**
 * Compares the messages of clients with the log of their session: it holds every piece, chunk, note and picture
 * exactly once.
 */

import { createHash } from "node:crypto";
import type { Store, StoredEvent } from "@continuo/core/model";
import type { Note } from "@continuo/live";
import { expect } from "vitest";
import { replayRecorded } from "../../packages/live/src/replay/replay.ts";
import { allEvents, decidedSequences, sequencesOf } from "./servers.ts";

/** The ids of one client, in the order in which it sent them. */
export interface SentIds {
  readonly client: string;
  readonly transcript_added: string[];
  readonly frame_captured: string[];
  readonly chunks: string[];
  /** Contents by the ids of the frames that point to them. */
  readonly pictures: Map<string, string>;
}

export const COUNTS = [
  "events",
  "transcripts",
  "frames",
  "droppedFrames",
  "pictures",
  "chunks",
  "notes",
  "passes",
] as const;

export type LogCounts = Readonly<Record<(typeof COUNTS)[number], number>>;

export interface SessionLog {
  readonly store: Store;
  readonly sessionId: string;
  /** The notes in the form of the service. */
  readonly notes: readonly Note[];
}

export function nothingSent(client: string): SentIds {
  return { client, transcript_added: [], frame_captured: [], chunks: [], pictures: new Map() };
}

/** A sound file that contains the words which the transcriber of `hearing.ts` returns. */
export function speechBytes({ client }: SentIds, id: string): Buffer {
  return Buffer.from(`RIFF----WAVE${client} speaks ${id}`);
}

/** Checks the log of the one session to which these clients sent. */
export async function checkLog(logged: SessionLog, clients: readonly SentIds[]): Promise<LogCounts> {
  const { store, sessionId } = logged;
  const events = await allEvents(store, sessionId);
  expect((await store.verify(sessionId)).ok).toBe(true);
  const decided = checkDecided(events);
  checkOrder(
    idsOf(events, "transcript_added", isFromPage),
    clients.map((one) => one.transcript_added),
  );
  checkOrder(
    idsOf(events, "frame_captured"),
    clients.map((one) => one.frame_captured),
  );
  checkAudio(events, clients);
  await checkPictures(events, clients, store);
  await checkNotes(events, logged);
  const sum = (count: (one: SentIds) => number): number => clients.reduce((all, one) => all + count(one), 0);
  return {
    ...decided,
    events: events.length,
    pictures: sum(({ pictures }) => pictures.size),
    chunks: sum(({ chunks }) => chunks.length),
    notes: logged.notes.length,
    passes: sequencesOf(events, "page_written").length,
  };
}

/** The log has everything that was sent, once, and nothing else; the ids of each client are in the order of sending. */
function checkOrder(stored: readonly string[], sent: readonly (readonly string[])[]): void {
  expect(stored.toSorted()).toEqual(sent.flat().toSorted());
  for (const one of sent) {
    const own = new Set(one);
    expect(stored.filter((id) => own.has(id))).toEqual(one);
  }
}

/** Each piece is in one decision. A frame may be dropped instead if 20 other frames were pending. */
function checkDecided(
  events: readonly StoredEvent[],
): Pick<LogCounts, "transcripts" | "frames" | "droppedFrames"> {
  const transcripts = sequencesOf(events, "transcript_added");
  const frames = new Set(sequencesOf(events, "frame_captured"));
  const decided = decidedSequences(events);
  const dropped = events
    .filter(({ type }) => type === "evidence_dropped")
    .flatMap((event) => (fieldsOf(event).sequences ?? []) as readonly number[]);
  const isFrame = (sequence: number): boolean => frames.has(sequence);
  expect(decided.filter((sequence) => !isFrame(sequence)).toSorted((a, b) => a - b)).toEqual(transcripts);
  expect(dropped.every(isFrame)).toBe(true);
  const processed = [...decided.filter(isFrame), ...dropped];
  expect(new Set(processed).size).toBe(processed.length);
  for (const [n, event] of events.entries()) {
    if (event.type !== "evidence_dropped") continue;
    const decision = events.slice(n + 1, n + 100).find(({ type }) => type === "decision_made");
    expect(decidedSequences(decision === undefined ? [] : [decision]).filter(isFrame)).toHaveLength(20);
  }
  return { transcripts: transcripts.length, frames: frames.size, droppedFrames: dropped.length };
}

/** Each chunk has one transcript, in the order of the chunks, and one decision that names it. */
function checkAudio(events: readonly StoredEvent[], clients: readonly SentIds[]): void {
  const stored = idsOf(events, "evidence_added");
  checkOrder(
    stored,
    clients.map(({ chunks }) => chunks),
  );
  const words = new Map(
    clients.flatMap(({ client, chunks }) => chunks.map((id) => [id, `${client} speaks ${id}`] as const)),
  );
  const spoken = events.filter((event) => event.type === "transcript_added" && !isFromPage(event));
  expect(spoken.map(fieldsOf).map(({ audioId, text }) => [audioId, text])).toEqual(
    stored.map((id) => [id, words.get(id)]),
  );
  const decided = events
    .filter(({ type }) => type === "decision_made")
    .flatMap((event) => textsOf(fieldsOf(event).audio));
  expect(decided).toEqual(sequencesOf(events, "evidence_added").map(String));
}

/** Each frame that was sent with a picture points to its bytes, which are there. */
async function checkPictures(
  events: readonly StoredEvent[],
  clients: readonly SentIds[],
  store: Store,
): Promise<void> {
  const pictures = new Map(clients.flatMap((one) => [...one.pictures]));
  const pointing = events.filter(
    (event) => event.type === "frame_captured" && fieldsOf(event).full !== undefined,
  );
  checkOrder(
    pointing.map(({ id }) => id),
    clients.map((one) => [...one.pictures.keys()]),
  );
  for (const event of pointing) {
    const { hash, expiresAt } = fieldsOf(event).full as {
      readonly hash: string;
      readonly expiresAt?: string;
    };
    const content = pictures.get(event.id) ?? "";
    expect(hash).toBe(createHash("sha256").update(content).digest("hex"));
    expect(expiresAt).toBeDefined();
    expect(await store.statBlob(hash)).not.toBeNull();
  }
}

/** Notes follow from the recorded drafts, each with one decision, and cite only evidence that is before them in the log. */
async function checkNotes(
  events: readonly StoredEvent[],
  { store, sessionId, notes }: SessionLog,
): Promise<void> {
  const replayed = await replayRecorded(store, sessionId);
  expect([replayed.agreement, replayed.disagreements]).toEqual([1, []]);
  const known = new Set<string>();
  const live = new Set<string>();
  let written = 0;
  const decisions: Readonly<Record<string, unknown>>[] = [];
  const drafts: unknown[] = [];
  for (const event of events) {
    const { noteId, evidence, draftId, decisions: decided } = fieldsOf(event);
    if (NOTES.has(event.type)) {
      written++;
      live.add(String(noteId));
      expect(textsOf(evidence).filter((one) => !known.has(one))).toEqual([]);
    } else if (event.type === "note_archived") live.delete(String(noteId));
    else if (event.type === "draft_written") drafts.push(draftId);
    else if (event.type === "decision_made") decisions.push(...((decided ?? []) as typeof decisions));
    known.add(event.id);
  }
  expect(decisions.map(({ draftId }) => draftId)).toEqual(drafts);
  expect(written).toBe(decisions.filter(({ action }) => action !== "keep" && action !== "ask").length);
  expect(notes.map(({ noteId }) => noteId).toSorted()).toEqual([...live].toSorted());
}

const NOTES: ReadonlySet<string> = new Set(["note_written", "note_updated", "note_merged"]);

function idsOf(
  events: readonly StoredEvent[],
  type: string,
  isWanted: (event: StoredEvent) => boolean = () => true,
): readonly string[] {
  return events.filter((event) => event.type === type && isWanted(event)).map(({ id }) => id);
}

function isFromPage(event: StoredEvent): boolean {
  return fieldsOf(event).audioId === undefined;
}

function fieldsOf({ data }: StoredEvent): Readonly<Record<string, unknown>> {
  return (data ?? {}) as Readonly<Record<string, unknown>>;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
