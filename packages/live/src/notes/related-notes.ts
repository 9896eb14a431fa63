/**
 * Notes that belong together: they share transcripts or frames, they have a similar text, or they show a scene that few
 * notes show.
 */

import { ContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import type { RelatedNote } from "@continuo/core/wire";
import { sceneLikeness } from "../evidence/index.ts";
import { cosineOf, type Embedder, isFields, LIMITS, type Note } from "../kit/index.ts";
import type { Follower } from "../state/index.ts";
import { notesOf } from "./notes-service.ts";

export interface RelatedOptions {
  readonly store: Store;
  readonly follower: Follower;
  readonly noteId: string;
  readonly embedder: Embedder;
}

/**
 * The most related notes, at most 10. Errors: `not_found`, also for an archived note; those of the store, and those of
 * the embedder.
 */
export async function relatedNotes(options: RelatedOptions): Promise<readonly RelatedNote[]> {
  const { store, follower, noteId, embedder } = options;
  const notes = await notesOf(store, follower);
  const note = notes.find((one) => one.noteId === noteId);
  if (note === undefined) {
    throw new ContinuoError("not_found", `there is no note ${noteId}`, { details: { noteId } });
  }
  const others = notes
    .filter((one) => one.noteId !== noteId)
    .toSorted((a, b) => distance(note, a) - distance(note, b))
    .slice(0, LIMITS.relatedCandidates);
  const [vector = [], ...vectors] = await embedder.embed(
    [note, ...others].map(({ text }) => text),
    {},
  );
  const frames = await framesAt(store, follower.sessionId, note);
  const own = new Set([...note.evidence, ...frames.map(({ id }) => id)]);
  const scenes = await sameScenes(options, { note, frames, others });
  const related = others.map((other, n): RelatedNote => {
    const shared = other.evidence.filter((id) => own.has(id));
    const cosine = Math.max(0, cosineOf(vector, vectors[n] ?? []));
    const likeness = cosine >= embedder.threshold * LIMITS.relatedShare ? cosine : 0;
    const score = Math.min(
      1,
      shared.length / Math.max(1, Math.min(own.size, other.evidence.length)) +
        likeness +
        (scenes.has(other.noteId) ? LIMITS.sceneScore : 0),
    );
    return {
      noteId: other.noteId,
      score: Math.round(score * 1_000) / 1_000,
      shared: shared.slice(0, LIMITS.shownEvidence),
      likeness: Math.round(likeness * 1_000) / 1_000,
    };
  });
  return related
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, LIMITS.related);
}

interface NoteComparison {
  readonly note: Note;
  readonly frames: readonly StoredEvent[];
  /** The nearest comes first. */
  readonly others: readonly Note[];
}

/**
 * The notes in whose spans the scene of this note is shown again, found by the embeddings of the frames. A scene that
 * many notes show, such as a person who speaks all the time, does not relate them.
 */
async function sameScenes(
  { store, follower }: RelatedOptions,
  { note, frames, others }: NoteComparison,
): Promise<ReadonlySet<string>> {
  const same = new Set<string>();
  const near = others.filter(({ videoId }) => videoId === note.videoId).slice(0, LIMITS.sceneCandidates);
  for (const other of frames.length === 0 ? [] : near) {
    const theirs = await framesAt(store, follower.sessionId, other);
    const isSame = theirs.some((their) =>
      frames.some((own) => (sceneLikeness(own, their) ?? 0) >= LIMITS.sameScene),
    );
    if (isSame) same.add(other.noteId);
  }
  return same.size > Math.max(1, near.length * LIMITS.commonScene) ? new Set() : same;
}

/** The frames of the note's span, whether it cites them or not. */
async function framesAt(
  store: Store,
  sessionId: string,
  { startMs, endMs }: Note,
): Promise<readonly StoredEvent[]> {
  const { events } = await store.readMedia(sessionId, {
    fromMs: startMs,
    toMs: endMs,
    types: ["frame_captured"],
    limit: LIMITS.contextEvents,
  });
  return events.filter(({ data }) => isFields(data));
}

function distance(a: Note, b: Note): number {
  return Math.abs(a.startMs - b.startMs);
}
