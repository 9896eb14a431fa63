/** The request to a note writer: the batch, the newest notes, and a function that reads more evidence. */

import { present, type Store, type StoredEvent } from "@continuo/core/model";
import { fetchContextWindow, readPictures, readSequences, stopOf, toItem } from "../evidence/index.ts";
import {
  type AnsweredDraft,
  type EvidenceItem,
  findSession,
  LIMITS,
  type Note,
  type NoteRequest,
} from "../kit/index.ts";
import { newestEntries, readNotes } from "../notes/index.ts";
import { type LiveFold, restore } from "../state/index.ts";
import type { Batch } from "./batches.ts";
import { draftIn } from "./drafts.ts";

export interface NoteRequestOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly fold: LiveFold;
  readonly batch: Batch;
  readonly evidence: readonly StoredEvent[];
  readonly isEnd: boolean;
  readonly nowMs: number;
}

/** Also returns the events in the request: those beyond the byte limit of a batch wait for the next one. */
export async function noteRequest(
  options: NoteRequestOptions,
): Promise<{ readonly events: readonly StoredEvent[]; readonly request: NoteRequest }> {
  const { store, sessionId, fold, batch } = options;
  const events = withinBytes(options.evidence);
  const { videoId, title, memory } = fold;
  const given = events.map(toItem);
  const frames = given.filter(({ type }) => type === "frame_captured");
  const count = fold.budget === "normal" ? LIMITS.picturesPerBatch : LIMITS.picturesAtWarning;
  const owner = { sessionId, videoId };
  const request: NoteRequest = {
    sessionId,
    batchId: batch.batchId,
    videoId,
    title,
    evidence: given,
    notes: await readNotes(store, sessionId, newestEntries(fold, LIMITS.newestNotes)),
    inherited: fold.carry === "none" ? await inheritedNotes(store, fold.parentId) : [],
    memory,
    unsure: [],
    answered: await answeredDrafts(options, events),
    isEnd: options.isEnd,
    ...present({ speech: batch.goesOn === true ? speechAt(given, options.nowMs) : undefined }),
    pictures: () => readPictures(frames, { store, owner, nowMs: options.nowMs, count }),
    idsOf: (sequences) => idsOf(store, sessionId, sequences),
    context: (timestampMs, window) => fetchContextWindow(store, sessionId, timestampMs, window),
  };
  return { events, request };
}

/**
 * `now` if the last words ended less than 2 s ago (`quietWindowMs`); `undefined` if the video ended; otherwise
 * `paused`.
 */
function speechAt(given: readonly EvidenceItem[], nowMs: number): "now" | "paused" | undefined {
  const last = given.findLast(({ type }) => type === "transcript_added" || type === "playback_changed");
  if (last === undefined) return "paused";
  if (last.type === "playback_changed") return stopOf(last) === "ended" ? undefined : "paused";
  const endsAtMs = Date.parse(last.event.occurredAt) + last.endMs - last.startMs;
  return nowMs - endsAtMs < LIMITS.quietWindowMs ? "now" : "paused";
}

/** The ids of events, in the order of the log. Errors: those of the store. */
export async function idsOf(
  store: Store,
  sessionId: string,
  sequences: readonly number[],
): Promise<readonly string[]> {
  const sorted = sequences.toSorted((a, b) => a - b);
  return (await readSequences(store, sessionId, sorted)).map(({ id }) => id);
}

async function answeredDrafts(
  { store, sessionId, fold }: NoteRequestOptions,
  events: readonly StoredEvent[],
): Promise<readonly AnsweredDraft[]> {
  const answers = new Map(events.map((event) => [event.sequence, toItem(event)]));
  const requests = [...fold.requests.values()].filter(({ answer }) => answer !== null && answers.has(answer));
  const asked = await readSequences(
    store,
    sessionId,
    requests.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
  );
  return asked.flatMap((event) => {
    const request = requests.find(({ sequence }) => sequence === event.sequence);
    const answer = answers.get(request?.answer ?? -1);
    const draft = draftIn(event);
    return request === undefined || answer === undefined || draft === null
      ? []
      : [{ requestId: request.requestId, draft, answer }];
  });
}

/** The newest notes of the key's earlier sessions, oldest first. */
async function inheritedNotes(store: Store, parentId: string | null): Promise<readonly Note[]> {
  let notes: readonly Note[] = [];
  let ancestorId = parentId;
  for (let n = 0; n < LIMITS.ancestors && ancestorId !== null && notes.length < LIMITS.newestNotes; n++) {
    if ((await findSession(store, ancestorId)) === null) break;
    const { fold } = await restore(store, ancestorId);
    const older = await readNotes(store, ancestorId, newestEntries(fold, LIMITS.newestNotes - notes.length));
    notes = [...older, ...notes];
    ancestorId = fold.parentId;
  }
  return notes;
}

function withinBytes(events: readonly StoredEvent[]): readonly StoredEvent[] {
  let bytes = 0;
  const count = events.findIndex((event) => {
    bytes += JSON.stringify(event.data).length;
    return bytes > LIMITS.batchBytes;
  });
  // At least one event is given, however large it is.
  return count === -1 ? events : events.slice(0, Math.max(1, count));
}
